import type { RecordKind, RecordOf, TransferRecord } from "#ledger/transfer/records.ts";
import { CALL_PRICE, LOW_BALANCE_DEFAULT } from "#limits.ts";
import { lookAtSql } from "#stores/sql/grant-sql.ts";
import { PURCHASE_COLUMNS } from "#stores/sql/purchase-columns.ts";
import type { PostgresQuery, PostgresValue } from "./pool.ts";

/**
 * Each kind of record as rows of PostgreSQL: the statement that reads them all, and the one that takes in many at once,
 * an array a column. Rows name each other by numbers, records by ids. Rows are read in the order of the primary keys and
 * numbered in the order in which they come, so whatever is decided by age is decided alike afterwards.
 */
type Member<Kind extends RecordKind> = Exclude<keyof RecordOf<Kind>, "record"> & string;
type Column = { column: string; type: "text" | "bigint" | "boolean" };
type Rows = { select: string; insert: string; members: readonly string[] };

const text = (column: string): Column => ({ column, type: "text" });
const number = (column: string): Column => ({ column, type: "bigint" });

/** What a column holds where it is not the member itself: read from the row `t`, written from the record `r`. */
const LOOKED_UP: Record<string, { read: string; write: string } | undefined> = {
  account_no: {
    read: "(SELECT id FROM account WHERE no = t.account_no)",
    write: "(SELECT no FROM account WHERE id = r.account)",
  },
  key_no: {
    read: "(SELECT id FROM api_key WHERE no = t.key_no)",
    write: '(SELECT no FROM api_key WHERE id = r."key")',
  },
  grant_no: {
    read: "(SELECT id FROM credit_grant WHERE no = t.grant_no)",
    write: `(SELECT g.no FROM credit_grant g JOIN account a ON a.no = g.account_no
      WHERE a.id = r.account AND g.id = r."grant")`,
  },
  voided_at: {
    read: "t.voided_at",
    // Older lines do not say when.
    write: 'CASE WHEN r.voided > 0 THEN coalesce(r."voidedAt", r."grantedAt") END',
  },
  "purchase.account": {
    read: "t.account",
    // Null, which the column refuses, where no earlier line has the account.
    write: `CASE r.trouble WHEN 'no_account' THEN r.account
      ELSE (SELECT id FROM account WHERE id = r.account) END`,
  },
  withdrawn: { read: "t.withdrawn", write: "coalesce(r.withdrawn, 0)" },
  low_balance: {
    read: "t.low_balance",
    write: `coalesce(r."lowBalance", ${LOW_BALANCE_DEFAULT})`,
  },
};

function rows<Kind extends RecordKind>(
  _kind: Kind,
  table: string,
  primaryKey: readonly string[],
  columns: Record<Member<Kind>, Column>,
  where = "",
): Rows {
  const all = Object.entries<Column>(columns).map(([member, { column, type }]) => ({
    ...{ member, column, type, read: `t.${column}`, write: `r."${member}"` },
    ...(LOOKED_UP[`${table}.${column}`] ?? LOOKED_UP[column]),
  }));
  const listed = (part: (each: (typeof all)[number], at: number) => string) =>
    all.map(part).join(", ");
  return {
    members: all.map(({ member }) => member),
    select: `SELECT ${listed(({ read, member }) => `${read} AS "${member}"`)}
      FROM ${table} t ${where} ORDER BY ${primaryKey.map((column) => `t.${column}`).join(", ")}`,
    insert: `INSERT INTO ${table} (${listed(({ column }) => column)})
      SELECT ${listed(({ write }) => write)}
      FROM unnest(${listed(({ type }, at) => `$${at + 1}::${type}[]`)})
        WITH ORDINALITY AS r (${listed(({ member }) => `"${member}"`)}, place) ORDER BY place`,
  };
}

const ROWS: Record<RecordKind, Rows> = {
  account: rows("account", "account", ["no"], {
    id: text("id"),
    createdAt: number("created_at"),
    state: text("state"),
    freeCall: text("free_call"),
    lowBalance: number("low_balance"),
    toldLevel: text("told_level"),
  }),
  address: rows("address", "address", ["email"], {
    email: text("email"),
    account: text("account"),
    createdAt: number("created_at"),
  }),
  closedAddress: rows("closedAddress", "closed_address", ["email_hash"], {
    emailHash: text("email_hash"),
    closedAt: number("closed_at"),
  }),
  key: rows("key", "api_key", ["no"], {
    id: text("id"),
    account: text("account_no"),
    sha256: text("sha256"),
    start: text("start"),
    label: text("label"),
    createdAt: number("created_at"),
    lastUsedAt: number("last_used_at"),
    revokedAt: number("revoked_at"),
  }),
  grant: rows("grant", "credit_grant", ["no"], {
    account: text("account_no"),
    id: text("id"),
    kind: text("kind"),
    amount: number("amount"),
    remaining: number("remaining"),
    voided: number("voided"),
    voidedAt: number("voided_at"),
    grantedAt: number("granted_at"),
    expiresAt: number("expires_at"),
    waivedExpiresAt: number("waived_expires_at"),
    withdrawn: number("withdrawn"),
  }),
  purchase: rows("purchase", "purchase", ["created_at", "id"], PURCHASE_COLUMNS),
  debit: rows(
    "debit",
    "debit",
    ["account_no", "at", "call_id"],
    {
      account: text("account_no"),
      at: number("at"),
      callId: text("call_id"),
      key: text("key_no"),
      tool: text("tool"),
      credits: number("credits"),
      grant: text("grant_no"),
      reversedAt: number("reversed_at"),
    },
    // Others mark calls that were given back before their debits came.
    "WHERE t.key_no > 0",
  ),
  usage: rows("usage", "usage_hour", ["account_no", "hour", "key_no", "tool"], {
    account: text("account_no"),
    hour: number("hour"),
    key: text("key_no"),
    tool: text("tool"),
    calls: number("calls"),
    credits: number("credits"),
  }),
  reversal: rows("reversal", "reversal", ["account_no", "debit_at", "call_id"], {
    account: text("account_no"),
    debitAt: number("debit_at"),
    callId: text("call_id"),
    reversedAt: number("reversed_at"),
    credits: number("credits"),
    debitKept: { column: "debit_kept", type: "boolean" },
    grant: text("grant_no"),
    key: text("key_no"),
    tool: text("tool"),
  }),
  idempotency: rows("idempotency", "idempotency", ["account_no", "tool", "key"], {
    account: text("account_no"),
    tool: text("tool"),
    key: text("key"),
    at: number("at"),
    callId: text("call_id"),
    bodySha256: text("body_sha256"),
    answerSha256: text("answer_sha256"),
    receivedAt: number("received_at"),
    random: text("random"),
  }),
  secret: {
    members: ["value"],
    select: "SELECT value FROM setting WHERE name = 'secret'",
    insert: `INSERT INTO setting (name, value) SELECT 'secret', value FROM unnest($1::text[]) r (value)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  },
};

/** Every kind, each after those whose records it names. */
export const RECORD_ORDER = Object.keys(ROWS) as RecordKind[];

export const selectOf = (kind: RecordKind): string => ROWS[kind].select;

/** The statement that takes in records of one kind, and its values. */
export function insertOf(
  kind: RecordKind,
  records: readonly TransferRecord[],
): [sql: string, values: PostgresValue[]] {
  const { insert, members } = ROWS[kind];
  const values = members.map((member) =>
    records.map((record) => {
      const value = (record as unknown as Record<string, string | number | boolean | null>)[member];
      return typeof value === "boolean" ? String(value) : (value ?? null);
    }),
  );
  return [insert, values];
}

/**
 * After all records are in: what no line says. When to look at a grant's end depends on the time; lines that do not say what
 * an account's owner knows of its balance are from before anybody was told, and what is so now is told nobody.
 */
export async function completeImport(query: PostgresQuery, now: number): Promise<void> {
  await query(
    `UPDATE credit_grant g SET look_at = ${lookAtSql("g.expires_at", "$1::bigint")}
     FROM account a WHERE a.no = g.account_no AND a.state <> 'closed' AND g.expires_at > $1`,
    [now],
  );
  await query(
    `UPDATE account a SET told_level = CASE WHEN state = 'closed' OR balance < ${CALL_PRICE} THEN 'gone'
       WHEN balance < low_balance THEN 'low' ELSE 'enough' END
     FROM (SELECT no, balance_at(no, $1) AS balance FROM account WHERE told_level IS NULL) b WHERE b.no = a.no`,
    [now],
  );
}
