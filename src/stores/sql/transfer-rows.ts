import type { RecordKind, RecordOf } from "#ledger/transfer/records.ts";
import { isReversedSql } from "./find-call.ts";
import { PURCHASE_COLUMNS } from "./purchases.ts";
import type { SqlDialect } from "./sql-database.ts";
import {
  flags,
  json,
  numbers,
  type RecordColumn,
  type RecordTable,
  texts,
} from "./transfer-table.ts";

/**
 * The table of each kind of record, in every database. Rows refer to accounts, keys and grants by number, records by id. A look-up
 * that finds nothing gives null, which the column's NOT NULL constraint rejects.
 */
type Member<Kind extends RecordKind> = Exclude<keyof RecordOf<Kind>, "record"> & string;

const byNo = [{ column: "no", type: "number" }] as const;
const byAccount = { column: "account_no", type: "number" } as const;
const keyOf = (column: string, type: "text" | "number") => ({ column, type }) as const;

const account: RecordColumn = {
  ...{ column: "account_no", type: "text" },
  read: "(SELECT id FROM account WHERE no = t.account_no)",
  write: "(SELECT no FROM account WHERE id = r.account)",
};
const key: RecordColumn = {
  ...{ column: "key_no", type: "text" },
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
  ...{ column: "grant_no", type: "text" },
  read: "(SELECT id FROM credit_grant WHERE no = t.grant_no)",
  write: (dialect) => `CASE
    WHEN r.parts IS NOT NULL AND EXISTS (SELECT 1 FROM ${eachPart(dialect, "r")} WHERE ${grantNo("p.value ->> 'id'")} IS NULL) THEN NULL
    ELSE ${grantNo('r."grant"')} END`,
};

/** What running calls hold of the grant `t`. Holds are not exported: what they hold goes back. */
const heldSql = (dialect: SqlDialect) => `coalesce((
  SELECT CAST(sum(CASE WHEN h.parts IS NULL THEN CASE WHEN h.grant_no = t.no THEN h.credits END
    ELSE (SELECT sum(CAST(p.value ->> 'credits' AS BIGINT)) FROM ${eachPart(dialect, "h")} WHERE p.value ->> 'id' = t.id) END) AS BIGINT)
  FROM hold h WHERE h.account_no = t.account_no), 0)`;

/** The table of every kind. A kind comes after the kinds that its records refer to. */
export const RECORD_TABLES: {
  readonly [Kind in RecordKind]: RecordTable & { members: Record<Member<Kind>, RecordColumn> };
} = {
  account: {
    table: "account",
    key: byNo,
    members: {
      ...texts("id"),
      ...numbers("createdAt"),
      ...texts("state"),
      freeCall: {
        ...texts("freeCall").freeCall,
        read: "CASE WHEN EXISTS (SELECT 1 FROM hold WHERE account_no = t.no AND is_free = 1) THEN 'open' ELSE t.free_call END",
      },
      ...numbers("lowBalance"),
      ...texts("notifiedLevel"),
      ...json("prices"),
    },
    // -1: the rules compute the balance at the next order.
    others: { rest: "-1" },
  },
  address: {
    table: "address",
    key: [keyOf("email", "text")],
    members: { ...texts("email", "account"), ...numbers("createdAt") },
  },
  closedAddress: {
    table: "closed_address",
    key: [keyOf("email_hash", "text")],
    members: { ...texts("emailHash"), ...numbers("closedAt") },
  },
  starterClaim: {
    table: "starter_claim",
    key: [keyOf("account", "text")],
    members: { ...texts("account", "emailHash"), ...numbers("at"), ...texts("outcome") },
  },
  key: {
    table: "api_key",
    key: byNo,
    members: {
      ...texts("id"),
      account,
      ...texts("sha256", "start", "label"),
      ...numbers("createdAt", "lastUsedAt", "revokedAt"),
      ...texts("previousSha256"),
      ...numbers("previousUntil"),
      ...json("limits", "budgetSpent"),
    },
  },
  grant: {
    table: "credit_grant",
    key: byNo,
    members: {
      account,
      ...texts("id", "kind"),
      ...numbers("amount"),
      remaining: {
        ...numbers("remaining").remaining,
        read: (dialect) => `t.remaining + ${heldSql(dialect)}`,
      },
      ...numbers("voided", "voidedAt", "grantedAt", "expiresAt", "waivedExpiresAt"),
      ...numbers("clawback", "clawbackVersion"),
    },
    others: { spent: "CASE WHEN r.remaining = 0 THEN 1 ELSE 0 END" },
  },
  purchase: {
    table: "purchase",
    key: [keyOf("created_at", "number"), keyOf("id", "text")],
    members: {
      ...PURCHASE_COLUMNS,
      account: {
        ...PURCHASE_COLUMNS.account,
        write: `CASE r.trouble WHEN 'no_account' THEN r.account ELSE (SELECT id FROM account WHERE id = r.account) END`,
      },
    },
  },
  debit: {
    table: "debit",
    key: [byAccount, keyOf("at", "number"), keyOf("call_id", "text")],
    // A row without a key marks a call that was reversed before its debit arrived.
    where: "t.key_no > 0",
    // In SQLite, `debit` is a view.
    into: { sqlite: "debit_by_account", postgres: "debit" },
    members: {
      ...{ account, ...numbers("at"), ...texts("callId"), key, ...texts("tool") },
      ...{ ...numbers("credits"), ...flags("isFree"), grant, ...json("parts") },
      ...numbers("reversedAt"),
    },
  },
  usage: {
    table: "usage_hour",
    key: [byAccount, keyOf("hour", "number"), keyOf("key_no", "number"), keyOf("tool", "text")],
    members: {
      ...{ account, ...numbers("hour"), key, ...texts("tool") },
      ...numbers("calls", "freeCalls", "credits"),
    },
  },
  reversal: {
    table: "reversal",
    key: [byAccount, keyOf("debit_at", "number"), keyOf("call_id", "text")],
    members: {
      account,
      ...numbers("debitAt"),
      ...texts("callId"),
      ...numbers("reversedAt", "credits"),
      ...{ ...flags("debitKept"), grant, ...json("parts"), key, ...texts("tool") },
    },
  },
  idempotency: {
    table: "idempotency",
    key: [byAccount, keyOf("tool", "text"), keyOf("key", "text")],
    where: `NOT ${isReversedSql("t")}`,
    members: {
      ...{ account, ...texts("tool", "key"), ...numbers("at") },
      ...texts("callId", "bodySha256", "responseSha256"),
      ...{ ...numbers("receivedAt"), ...texts("random") },
    },
  },
  /** Their responses are not exported: a repeat is told that the outcome is not known. */
  actedCall: {
    table: "kept_call",
    key: [byAccount, keyOf("tool", "text"), keyOf("key", "text")],
    where: "t.may_act = 1",
    members: {
      ...{ account, ...texts("tool", "key"), ...numbers("at"), ...texts("callId", "bodySha256") },
    },
    others: { state: "'unknown'", may_act: "1", bytes: "0" },
  },
  secret: {
    table: "setting",
    key: [keyOf("name", "text")],
    where: "t.name = 'secret'",
    members: texts("value"),
    others: { name: "'secret'" },
  },
};
