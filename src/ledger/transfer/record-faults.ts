import { accountOfKeyId, isAccountId } from "#ids.ts";
import { EMAIL_CHARS_MAX, GRANT_CREDITS_MAX, HOUR_MS, KEY_LABEL_CHARS_MAX } from "#limits.ts";
import type { TransferRecord } from "./records.ts";

/** What the types of an imported record do not say. Someone may have edited the lines, or written them with another program. */
export type MemberFault = { member: string; value: unknown; rule: string };

/** The last millisecond of the year 9999. Dates of later times cannot be written in four digits, and some cannot be written at all. */
const TIME_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const ID_CHARS_MAX = 255;

const TIMES: ReadonlySet<string> = new Set([
  ...["at", "hour", "createdAt", "closedAt", "lastUsedAt", "revokedAt", "previousUntil"],
  ...["voidedAt", "grantedAt", "expiresAt", "waivedExpiresAt", "reversedAt", "debitAt"],
  ...["receivedAt", "paidAt", "refundedAt", "updatedAt", "since", "on"],
]);
/** Members that name something. A path or a line break in one of them is no id of ours. */
const NAMES: ReadonlySet<string> = new Set([
  ...["id", "account", "key", "grant", "callId", "tool", "offer", "session", "payment", "start"],
]);

/** Returns the first member of a record that cannot be imported; null if there is none. */
export const faultOf = (record: TransferRecord): MemberFault | null =>
  record.record === "secret" ? null : faultIn(record, "", record.record);

function faultIn(value: object, path: string, kind: TransferRecord["record"]): MemberFault | null {
  for (const [name, each] of Object.entries(value)) {
    const member = path === "" ? name : `${path}.${name}`;
    if (typeof each === "object" && each !== null) {
      const fault = faultIn(each, member, kind);
      if (fault !== null) return fault;
      continue;
    }
    const rule = ruleBroken(kind, name, each, value as Record<string, unknown>);
    if (rule !== null) return { member, value: each, rule };
  }
  return null;
}

/** Returns the rule that a value breaks; null if it breaks none. */
function ruleBroken(
  kind: TransferRecord["record"],
  name: string,
  value: unknown,
  { account }: Record<string, unknown>,
): string | null {
  if (typeof value === "number") return ruleOfNumber(name, value);
  if (typeof value !== "string") return null;
  if (name === "account" || (name === "id" && kind === "account"))
    return isAccountId(value) ? null : "must be acc_ and 12 letters and digits";
  if (kind === "key" && name === "id")
    return accountOfKeyId(value) === account ? null : "must be the id of a key of the account";
  if (name === "key" && kind !== "idempotency")
    return accountOfKeyId(value) === undefined ? "must be the id of a key" : null;
  if (name === "email") return isEmail(value) ? null : "must be an email address in lowercase";
  if (name === "emailHash")
    return /^[0-9a-f]{64}$/.test(value) ? null : "must be the hash of an email address";
  if (name === "label" && value.length > KEY_LABEL_CHARS_MAX)
    return `must have at most ${KEY_LABEL_CHARS_MAX} characters`;
  if (hasControl(value)) return "must not have line breaks or other control characters";
  if (!NAMES.has(name)) return null;
  if (value.length > ID_CHARS_MAX) return `must have at most ${ID_CHARS_MAX} characters`;
  return kind !== "idempotency" && /[/\\]/.test(value) ? "must be an id, not a path" : null;
}

function ruleOfNumber(name: string, value: number): string | null {
  if (TIMES.has(name) && value > TIME_MAX)
    return "must be a time in milliseconds since 1970 UTC, before the year 10000";
  if (name === "hour" && value % HOUR_MS !== 0) return "must be the start of an hour";
  return name === "amount" && value > GRANT_CREDITS_MAX
    ? `must be at most ${GRANT_CREDITS_MAX}`
    : null;
}

const isEmail = (text: string) =>
  text.length <= EMAIL_CHARS_MAX &&
  /^[^\s@]+@[^\s@]+$/.test(text) &&
  !hasControl(text) &&
  text === text.toLowerCase();

const hasControl = (text: string) => /\p{Cc}|[\u2028\u2029]/u.test(text);
