import type { Level } from "#ledger/events.ts";
import type { KeyLimits, KeySpent } from "#ledger/key-limits.ts";
import type { AccountState, FreeCall, GrantKind, OnCrash } from "#ledger/port.ts";
import type {
  AccountRow,
  CallKey,
  DebitPart,
  DebitRow,
  GrantRow,
  HoldRow,
  IdempotencyRow,
  KeptCallRow,
  KeyRow,
  OpenGrant,
} from "#ledger/rules/rows.ts";
import type { SqlRow } from "../sqlite/driver.ts";

/** The columns of the ledger's rows, which are the same in every database. */

export const readAccount = (row: SqlRow): AccountRow => ({
  no: row["no"] as number,
  id: row["id"] as string,
  createdAt: row["created_at"] as number,
  state: row["state"] as AccountState,
  freeCall: row["free_call"] as FreeCall,
  lifetimeGrants: row["lifetime_grants"] as number,
  lowBalance: row["low_balance"] as number,
  notifiedLevel: row["notified_level"] as Level,
  frontGrant: row["front_grant"] as string | null,
  rest: row["rest"] as number,
  prices: readPrices(row["prices"]),
  summedUntil: row["summed_until"] as number,
});

export const readPrices = (text: SqlRow[string] | undefined): AccountRow["prices"] =>
  text == null ? null : (JSON.parse(text as string) as Record<string, number>);

/** The columns of a key that a call needs. */
export const CALL_KEY_COLUMNS =
  "no, id, sha256, last_used_at, revoked_at, previous_sha256, previous_until, limits, budget_spent";

export const readCallKey = (row: SqlRow): CallKey => ({
  no: row["no"] as number,
  id: row["id"] as string,
  sha256: row["sha256"] as string,
  lastUsedAt: row["last_used_at"] as number | null,
  revokedAt: row["revoked_at"] as number | null,
  previousSha256: row["previous_sha256"] as string | null,
  previousUntil: row["previous_until"] as number | null,
  limits: readLimits(row["limits"]),
  spent: readSpent(row["budget_spent"]),
});

export const readKey = (row: SqlRow): KeyRow => ({
  ...readCallKey(row),
  start: row["start"] as string,
  label: row["label"] as string,
  createdAt: row["created_at"] as number,
});

export const readLimits = (text: SqlRow[string] | undefined): KeyLimits | null =>
  text == null ? null : (JSON.parse(text as string) as KeyLimits);

export const readSpent = (text: SqlRow[string] | undefined): KeySpent | null =>
  text == null ? null : (JSON.parse(text as string) as KeySpent);

export const writeJson = (value: object | null): string | null =>
  value === null ? null : JSON.stringify(value);

/** The columns of a grant that a debit and the balance need. */
export const OPEN_GRANT_COLUMNS = "no, id, kind, remaining, granted_at, expires_at";

export const readOpenGrant = (row: SqlRow): OpenGrant => ({
  no: row["no"] as number,
  id: row["id"] as string,
  kind: row["kind"] as GrantKind,
  remaining: row["remaining"] as number,
  grantedAt: row["granted_at"] as number,
  expiresAt: row["expires_at"] as number | null,
});

export const readGrant = (row: SqlRow): GrantRow => ({
  ...readOpenGrant(row),
  amount: row["amount"] as number,
  voided: row["voided"] as number,
  voidedAt: row["voided_at"] as number | null,
  clawback: row["clawback"] as number,
  clawbackVersion: row["clawback_version"] as number,
  waivedExpiresAt: row["waived_expires_at"] as number | null,
  eventDueAt: row["event_due_at"] as number | null,
});

/** What a call costs, in the row of its debit and in that of its hold. */
const readCost = (row: SqlRow) => ({
  at: row["at"] as number,
  callId: row["call_id"] as string,
  keyNo: row["key_no"] as number,
  tool: row["tool"] as string,
  credits: row["credits"] as number,
  isFree: row["is_free"] === 1,
  grantNo: row["grant_no"] as number | null,
  parts: readParts(row["parts"]),
});

export const readDebit = (row: SqlRow): DebitRow => ({
  ...readCost(row),
  reversedAt: row["reversed_at"] as number | null,
});

export const readParts = (text: SqlRow[string] | undefined): DebitPart[] | null =>
  text == null ? null : (JSON.parse(text as string) as DebitPart[]);

export const readRecord = (row: SqlRow): IdempotencyRow => ({
  tool: row["tool"] as string,
  key: row["key"] as string,
  at: row["at"] as number,
  callId: row["call_id"] as string,
  bodySha256: row["body_sha256"] as string,
  responseSha256: row["response_sha256"] as string,
  receivedAt: row["received_at"] as number,
  random: row["random"] as string | null,
});

export const readHold = (row: SqlRow): HoldRow => ({
  ...readCost(row),
  key: row["key"] as string | null,
  onCrash: row["on_crash"] as OnCrash,
  leaseMs: row["lease_ms"] as number,
  leaseUntil: row["lease_until"] as number,
  hasLapsed: row["has_lapsed"] === 1,
});

/** The columns of a kept call but its response. */
export const KEPT_CALL_COLUMNS = "tool, key, at, call_id, body_sha256, state, may_act, bytes";

export const readKeptCall = (row: SqlRow): KeptCallRow => ({
  tool: row["tool"] as string,
  key: row["key"] as string,
  at: row["at"] as number,
  callId: row["call_id"] as string,
  bodySha256: row["body_sha256"] as string,
  state: row["state"] as KeptCallRow["state"],
  mayAct: row["may_act"] === 1,
  bytes: row["bytes"] as number,
});

/** The values of a row in the order of its columns. The store adds `account_no` and `no`. */
export const accountValues = (row: AccountRow) => [
  row.id,
  row.createdAt,
  row.state,
  row.freeCall,
  row.lifetimeGrants,
  row.lowBalance,
  row.notifiedLevel,
  row.frontGrant,
  row.rest,
  writeJson(row.prices),
];
export const ACCOUNT_COLUMNS =
  "id, created_at, state, free_call, lifetime_grants, low_balance, notified_level, front_grant, rest, prices";

export const keyValues = (row: KeyRow) => [
  row.id,
  row.createdAt,
  row.sha256,
  row.start,
  row.label,
  row.lastUsedAt,
  row.revokedAt,
  row.previousSha256,
  row.previousUntil,
  writeJson(row.limits),
  writeJson(row.spent),
];
/** The first two never change. */
export const KEY_COLUMNS =
  "id, created_at, sha256, start, label, last_used_at, revoked_at, previous_sha256, previous_until, limits, budget_spent";

export const grantValues = (row: GrantRow) => [
  row.id,
  row.kind,
  row.amount,
  row.remaining,
  row.remaining === 0 ? 1 : 0,
  row.voided,
  row.voidedAt,
  row.clawback,
  row.clawbackVersion,
  row.grantedAt,
  row.expiresAt,
  row.waivedExpiresAt,
  row.eventDueAt,
];
export const GRANT_COLUMNS =
  "id, kind, amount, remaining, spent, voided, voided_at, clawback, clawback_version, granted_at, expires_at, waived_expires_at, event_due_at";

export const debitValues = (row: DebitRow) => [
  row.at,
  row.callId,
  row.keyNo,
  row.tool,
  row.credits,
  row.isFree ? 1 : 0,
  row.grantNo,
  writeJson(row.parts),
  row.reversedAt,
];
export const DEBIT_COLUMNS =
  "at, call_id, key_no, tool, credits, is_free, grant_no, parts, reversed_at";

export const reversalValues = (row: {
  at: number;
  callId: string;
  reversedAt: number;
  credits: number;
  grantNo: number | null;
  parts: readonly DebitPart[] | null;
  keyNo: number;
  tool: string;
}) => [
  row.at,
  row.callId,
  row.reversedAt,
  row.credits,
  row.grantNo,
  writeJson(row.parts),
  row.keyNo,
  row.tool,
];
export const REVERSAL_COLUMNS =
  "debit_at, call_id, reversed_at, credits, grant_no, parts, key_no, tool";

export const recordValues = (row: IdempotencyRow) => [
  row.tool,
  row.key,
  row.at,
  row.callId,
  row.bodySha256,
  row.responseSha256,
  row.receivedAt,
  row.random,
];
export const RECORD_COLUMNS =
  "tool, key, at, call_id, body_sha256, response_sha256, received_at, random";

export const holdValues = (row: HoldRow) => [
  row.at,
  row.callId,
  row.keyNo,
  row.tool,
  row.credits,
  row.isFree ? 1 : 0,
  row.grantNo,
  writeJson(row.parts),
  row.key,
  row.onCrash,
  row.leaseMs,
  row.leaseUntil,
  row.hasLapsed ? 1 : 0,
];
export const HOLD_COLUMNS =
  "at, call_id, key_no, tool, credits, is_free, grant_no, parts, key, on_crash, lease_ms, lease_until, has_lapsed";

export const keptCallValues = (row: KeptCallRow) => [
  row.tool,
  row.key,
  row.at,
  row.callId,
  row.bodySha256,
  row.state,
  row.mayAct ? 1 : 0,
  row.bytes,
];
