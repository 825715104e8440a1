import type { RecordKind, RecordOf } from "#ledger/transfer/records.ts";
import { isReversedSql } from "./find-call.ts";
import { PURCHASE_COLUMNS } from "./purchases.ts";
import type { SqlDialect } from "./sql-database.ts";
import { number, type RecordColumn, type RecordTable, text } from "./transfer-table.ts";

/**
 * The table of each kind of record, in every database. Rows refer to accounts, keys and grants by number, records by id. A look-up
 * that finds nothing gives null, which the column's NOT NULL constraint rejects.
 */
type Member<Kind extends RecordKind> = Exclude<keyof RecordOf<Kind>, "record"> & string;
type Members<Kind extends RecordKind> = Record<Member<Kind>, RecordColumn>;

const byNo = [{ column: "no", type: "number" }] as const;
const byAccount = { column: "account_no", type: "number" } as const;
const keyOf = (column: string, type: "text" | "number") => ({ column, type }) as const;

const account: RecordColumn = {
  ...text("account_no"),
  read: "(SELECT id FROM account WHERE no = t.account_no)",
  write: "(SELECT no FROM account WHERE id = r.account)",
};
const key: RecordColumn = {
  ...text("key_no"),
  read: "(SELECT id FROM api_key WHERE no = t.key_no)",
  write: `(SELECT no FROM api_key WHERE id = r."key")`,
};
const grantNo = (id: string) =>
  `(SELECT g.no FROM credit_grant g JOIN account a ON a.no = g.account_no WHERE a.id = r.account AND g.id = ${id})`;
const eachPart = (dialect: SqlDialect, of: "r" | "h") =>
  dialect === "sqlite"
    ? `json_each(${of}.parts) p`
    : `json_array_elements(CAST(${of}.parts AS json)) AS p (value)`;
/** Also null if one of several grants is not found. */
const grant: RecordColumn = {
  ...text("grant_no"),
  read: "(SELECT id FROM credit_grant WHERE no = t.grant_no)",
  write: (dialect) => `CASE
    WHEN r.parts IS NOT NULL AND EXISTS (SELECT 1 FROM ${eachPart(dialect, "r")} WHERE ${grantNo("p.value ->> 'id'")} IS NULL) THEN NULL
    ELSE ${grantNo('r."grant"')} END`,
};
const json = (column: string): RecordColumn => ({ column, type: "json" });
const parts = json("parts");
const flag = (column: string): RecordColumn => ({ column, type: "flag" });

const table = <Kind extends RecordKind>(
  _kind: Kind,
  rows: RecordTable & { members: Members<Kind> },
): RecordTable => rows;

const accountRows = table("account", {
  table: "account",
  key: byNo,
  members: {
    id: text("id"),
    createdAt: number("created_at"),
    state: text("state"),
    freeCall: {
      ...text("free_call"),
      read: "CASE WHEN EXISTS (SELECT 1 FROM hold WHERE account_no = t.no AND is_free = 1) THEN 'open' ELSE t.free_call END",
    },
    lowBalance: number("low_balance"),
    notifiedLevel: text("notified_level"),
    prices: json("prices"),
  },
  // -1: the rules compute the balance at the next order.
  others: { rest: "-1" },
});

const keyRows = table("key", {
  table: "api_key",
  key: byNo,
  members: {
    id: text("id"),
    account,
    sha256: text("sha256"),
    start: text("start"),
    label: text("label"),
    createdAt: number("created_at"),
    lastUsedAt: number("last_used_at"),
    revokedAt: number("revoked_at"),
    previousSha256: text("previous_sha256"),
    previousUntil: number("previous_until"),
    limits: json("limits"),
    budgetSpent: json("budget_spent"),
  },
});

/** What running calls hold of the grant `t`. Holds are not exported: what they hold goes back. */
const heldSql = (dialect: SqlDialect) => `coalesce((
  SELECT CAST(sum(CASE WHEN h.parts IS NULL THEN CASE WHEN h.grant_no = t.no THEN h.credits END
    ELSE (SELECT sum(CAST(p.value ->> 'credits' AS BIGINT)) FROM ${eachPart(dialect, "h")} WHERE p.value ->> 'id' = t.id) END) AS BIGINT)
  FROM hold h WHERE h.account_no = t.account_no), 0)`;

const grantRows = table("grant", {
  table: "credit_grant",
  key: byNo,
  members: {
    account,
    id: text("id"),
    kind: text("kind"),
    amount: number("amount"),
    remaining: { ...number("remaining"), read: (dialect) => `t.remaining + ${heldSql(dialect)}` },
    voided: number("voided"),
    voidedAt: number("voided_at"),
    grantedAt: number("granted_at"),
    expiresAt: number("expires_at"),
    waivedExpiresAt: number("waived_expires_at"),
    clawback: number("clawback"),
    clawbackVersion: number("clawback_version"),
  },
  others: { spent: "CASE WHEN r.remaining = 0 THEN 1 ELSE 0 END" },
});

const purchaseRows = table("purchase", {
  table: "purchase",
  key: [keyOf("created_at", "number"), keyOf("id", "text")],
  members: {
    ...PURCHASE_COLUMNS,
    account: {
      ...PURCHASE_COLUMNS.account,
      write: `CASE r.trouble WHEN 'no_account' THEN r.account ELSE (SELECT id FROM account WHERE id = r.account) END`,
    },
  },
});

/** The table that debits are written to. In SQLite, `debit` is a view. */
const DEBIT_TABLE = { sqlite: "debit_by_account", postgres: "debit" };

const debitRows = table("debit", {
  table: "debit",
  key: [byAccount, keyOf("at", "number"), keyOf("call_id", "text")],
  // A row without a key marks a call that was reversed before its debit arrived.
  where: "t.key_no > 0",
  into: DEBIT_TABLE,
  members: {
    account,
    at: number("at"),
    callId: text("call_id"),
    key,
    tool: text("tool"),
    credits: number("credits"),
    isFree: flag("is_free"),
    grant,
    parts,
    reversedAt: number("reversed_at"),
  },
});

const usageRows = table("usage", {
  table: "usage_hour",
  key: [byAccount, keyOf("hour", "number"), keyOf("key_no", "number"), keyOf("tool", "text")],
  members: {
    account,
    hour: number("hour"),
    key,
    tool: text("tool"),
    calls: number("calls"),
    freeCalls: number("free_calls"),
    credits: number("credits"),
  },
});

const reversalRows = table("reversal", {
  table: "reversal",
  key: [byAccount, keyOf("debit_at", "number"), keyOf("call_id", "text")],
  members: {
    account,
    debitAt: number("debit_at"),
    callId: text("call_id"),
    reversedAt: number("reversed_at"),
    credits: number("credits"),
    debitKept: flag("debit_kept"),
    grant,
    parts,
    key,
    tool: text("tool"),
  },
});

const idempotencyRows = table("idempotency", {
  table: "idempotency",
  key: [byAccount, keyOf("tool", "text"), keyOf("key", "text")],
  where: `NOT ${isReversedSql("t")}`,
  members: {
    account,
    tool: text("tool"),
    key: text("key"),
    at: number("at"),
    callId: text("call_id"),
    bodySha256: text("body_sha256"),
    responseSha256: text("response_sha256"),
    receivedAt: number("received_at"),
    random: text("random"),
  },
});

/** Their responses are not exported: a repeat is told that the outcome is not known. */
const actedCallRows = table("actedCall", {
  table: "kept_call",
  key: [byAccount, keyOf("tool", "text"), keyOf("key", "text")],
  where: "t.may_act = 1",
  members: {
    account,
    tool: text("tool"),
    key: text("key"),
    at: number("at"),
    callId: text("call_id"),
    bodySha256: text("body_sha256"),
  },
  others: { state: "'unknown'", may_act: "1", bytes: "0" },
});

/** The table of every kind. A kind comes after the kinds that its records refer to. */
export const RECORD_TABLES: Record<RecordKind, RecordTable> = {
  account: accountRows,
  address: table("address", {
    table: "address",
    key: [keyOf("email", "text")],
    members: { email: text("email"), account: text("account"), createdAt: number("created_at") },
  }),
  closedAddress: table("closedAddress", {
    table: "closed_address",
    key: [keyOf("email_hash", "text")],
    members: { emailHash: text("email_hash"), closedAt: number("closed_at") },
  }),
  starterClaim: table("starterClaim", {
    table: "starter_claim",
    key: [keyOf("account", "text")],
    members: {
      account: text("account"),
      emailHash: text("email_hash"),
      at: number("at"),
      outcome: text("outcome"),
    },
  }),
  key: keyRows,
  grant: grantRows,
  purchase: purchaseRows,
  debit: debitRows,
  usage: usageRows,
  reversal: reversalRows,
  idempotency: idempotencyRows,
  actedCall: actedCallRows,
  secret: table("secret", {
    table: "setting",
    key: [keyOf("name", "text")],
    where: "t.name = 'secret'",
    members: { value: text("value") },
    others: { name: "'secret'" },
  }),
};
