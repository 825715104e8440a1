import type { RecordKind, RecordOf, TransferRecord } from "#ledger/transfer/records.ts";
import { CALL_PRICE, LOW_BALANCE_DEFAULT } from "#limits.ts";
import { lookAtSql } from "#stores/sql/grant-sql.ts";
import type { SqlDriver, SqlRow, SqlStatement, SqlValue } from "./driver.ts";
import { PURCHASE_ROWS } from "./transfer-purchases.ts";

/**
 * Each kind of record as rows of SQLite: how a page of them is read, and how one is written. Rows name each other by
 * small integers, records by ids. Pages are read in the order of the primary keys, so that the integers which an
 * import gives stand in the same order, and with them whatever is decided by age.
 */
type Rows<Kind extends RecordKind> = {
  /** A page: the values of `after` of the row before it, then how many. Members of the record are columns. */
  page: string;
  /** What a page starts after; before every row there is. */
  first: SqlValue[];
  after(row: SqlRow): SqlValue[];
  read?(row: SqlRow): Partial<RecordOf<Kind>>;
  insert: string;
  values(record: RecordOf<Kind>): SqlValue[];
};

const PAGE_ROWS = 1_000;

const accountId = "(SELECT id FROM account WHERE no = account_no) AS account";
const keyId = `(SELECT id FROM api_key WHERE no = key_no) AS "key"`;
const accountNo = "(SELECT no FROM account WHERE id = ?)";
const keyNo = "(SELECT no FROM api_key WHERE id = ?)";
const grantId = `(SELECT id FROM credit_grant WHERE no = grant_no) AS "grant"`;
const grantNo =
  "(SELECT g.no FROM credit_grant g JOIN account a ON a.no = g.account_no WHERE a.id = ? AND g.id = ?)";

const byNo = { first: [0], after: (row: SqlRow) => [row["_no"] as number] };

const ROWS: { [Kind in RecordKind]: Rows<Kind> } = {
  account: {
    ...byNo,
    page: `SELECT no AS _no, id, created_at AS createdAt, state, free_call AS freeCall,
        low_balance AS lowBalance, told_level AS toldLevel
      FROM account WHERE no > ? ORDER BY no LIMIT ?`,
    insert: `INSERT INTO account (id, created_at, state, free_call, low_balance, told_level)
      VALUES (?, ?, ?, ?, ?, ?)`,
    values: (r) => [
      r.id,
      r.createdAt,
      r.state,
      r.freeCall,
      r.lowBalance ?? LOW_BALANCE_DEFAULT,
      r.toldLevel ?? null,
    ],
  },
  address: {
    page: `SELECT email, account, created_at AS createdAt FROM address
      WHERE email > ? ORDER BY email LIMIT ?`,
    first: [""],
    after: (row) => [row["email"] as string],
    insert: "INSERT INTO address (email, account, created_at) VALUES (?, ?, ?)",
    values: (r) => [r.email, r.account, r.createdAt],
  },
  closedAddress: {
    page: `SELECT email_hash AS emailHash, closed_at AS closedAt FROM closed_address
      WHERE email_hash > ? ORDER BY email_hash LIMIT ?`,
    first: [""],
    after: (row) => [row["emailHash"] as string],
    insert: "INSERT INTO closed_address (email_hash, closed_at) VALUES (?, ?)",
    values: (r) => [r.emailHash, r.closedAt],
  },
  key: {
    ...byNo,
    page: `SELECT no AS _no, id, ${accountId}, sha256, start, label, created_at AS createdAt,
        last_used_at AS lastUsedAt, revoked_at AS revokedAt
      FROM api_key WHERE no > ? ORDER BY no LIMIT ?`,
    insert: `INSERT INTO api_key
        (account_no, id, sha256, start, label, created_at, last_used_at, revoked_at)
      VALUES (${accountNo}, ?, ?, ?, ?, ?, ?, ?)`,
    values: (r) => [
      r.account,
      r.id,
      r.sha256,
      r.start,
      r.label,
      r.createdAt,
      r.lastUsedAt,
      r.revokedAt,
    ],
  },
  grant: {
    ...byNo,
    page: `SELECT no AS _no, ${accountId}, id, kind, amount, remaining, voided,
        voided_at AS voidedAt, granted_at AS grantedAt, expires_at AS expiresAt,
        waived_expires_at AS waivedExpiresAt, withdrawn
      FROM credit_grant WHERE no > ? ORDER BY no LIMIT ?`,
    insert: `INSERT INTO credit_grant
        (account_no, id, kind, amount, remaining, voided, voided_at, granted_at, expires_at,
         waived_expires_at, withdrawn)
      VALUES (${accountNo}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    values: (r) => [
      r.account,
      r.id,
      r.kind,
      r.amount,
      r.remaining,
      r.voided,
      // Older lines do not say when.
      r.voided > 0 ? (r.voidedAt ?? r.grantedAt) : null,
      r.grantedAt,
      r.expiresAt,
      r.waivedExpiresAt ?? null,
      r.withdrawn ?? 0,
    ],
  },
  purchase: PURCHASE_ROWS,
  debit: {
    page: `SELECT account_no AS _account, ${accountId}, at, call_id AS callId, ${keyId}, tool, credits,
        ${grantId}, reversed_at AS reversedAt
      FROM debit WHERE (account_no, at, call_id) > (?, ?, ?) AND key_no > 0
      ORDER BY account_no, at, call_id LIMIT ?`,
    first: [0, 0, ""],
    after: (row) => [row["_account"] as number, row["at"] as number, row["callId"] as string],
    insert: `INSERT INTO debit (account_no, at, call_id, key_no, tool, credits, grant_no, reversed_at)
      VALUES (${accountNo}, ?, ?, ${keyNo}, ?, ?,
        ${grantNo}, ?)`,
    values: (r) => [
      r.account,
      r.at,
      r.callId,
      r.key,
      r.tool,
      r.credits,
      r.account,
      r.grant,
      r.reversedAt,
    ],
  },
  usage: {
    page: `SELECT account_no AS _account, key_no AS _key, ${accountId}, hour, ${keyId}, tool, calls, credits
      FROM usage_hour WHERE (account_no, hour, key_no, tool) > (?, ?, ?, ?)
      ORDER BY account_no, hour, key_no, tool LIMIT ?`,
    first: [0, 0, 0, ""],
    after: (row) => ["_account", "hour", "_key", "tool"].map((column) => row[column] as SqlValue),
    insert: `INSERT INTO usage_hour (account_no, hour, key_no, tool, calls, credits)
      VALUES (${accountNo}, ?, ${keyNo}, ?, ?, ?)`,
    values: (r) => [r.account, r.hour, r.key, r.tool, r.calls, r.credits],
  },
  reversal: {
    page: `SELECT account_no AS _account, ${accountId}, debit_at AS debitAt, call_id AS callId,
        reversed_at AS reversedAt, credits, debit_kept AS debitKept, ${grantId}, ${keyId}, tool
      FROM reversal WHERE (account_no, debit_at, call_id) > (?, ?, ?)
      ORDER BY account_no, debit_at, call_id LIMIT ?`,
    first: [0, 0, ""],
    after: (row) => ["_account", "debitAt", "callId"].map((column) => row[column] as SqlValue),
    read: (row) => ({ debitKept: row["debitKept"] === 1 }),
    insert: `INSERT INTO reversal
        (account_no, debit_at, call_id, reversed_at, credits, debit_kept, grant_no, key_no, tool)
      VALUES (${accountNo}, ?, ?, ?, ?, ?, ${grantNo}, ${keyNo}, ?)`,
    values: (r) => [
      r.account,
      r.debitAt,
      r.callId,
      r.reversedAt,
      r.credits,
      r.debitKept ? 1 : 0,
      r.account,
      r.grant,
      r.key,
      r.tool,
    ],
  },
  idempotency: {
    page: `SELECT account_no AS _account, ${accountId}, tool, key, at, call_id AS callId,
        body_sha256 AS bodySha256, answer_sha256 AS answerSha256, received_at AS receivedAt, random
      FROM idempotency WHERE (account_no, tool, key) > (?, ?, ?)
      ORDER BY account_no, tool, key LIMIT ?`,
    first: [0, "", ""],
    after: (row) => ["_account", "tool", "key"].map((column) => row[column] as SqlValue),
    insert: `INSERT INTO idempotency
        (account_no, tool, key, at, call_id, body_sha256, answer_sha256, received_at, random)
      VALUES (${accountNo}, ?, ?, ?, ?, ?, ?, ?, ?)`,
    values: (r) => [
      r.account,
      r.tool,
      r.key,
      r.at,
      r.callId,
      r.bodySha256,
      r.answerSha256,
      r.receivedAt,
      r.random,
    ],
  },
  secret: {
    page: "SELECT name AS _name, value FROM setting WHERE name = 'secret' AND name > ? LIMIT ?",
    first: [""],
    after: (row) => [row["_name"] as string],
    insert: "INSERT OR REPLACE INTO setting (name, value) VALUES ('secret', ?)",
    values: (r) => [r.value],
  },
};

/** Every kind, each after those whose records it names. */
export const RECORD_ORDER = Object.keys(ROWS) as RecordKind[];

/** A place between two rows: the values by which pages are ordered. Null: before every row there is. */
export type PageCursor = readonly SqlValue[] | null;
export type RecordPage<Kind extends RecordKind = RecordKind> = {
  records: RecordOf<Kind>[];
  /** Where the next page starts; null after the last one. */
  after: PageCursor;
};

/** Reads pages of one kind's records, in the order in which they were made. */
export function preparePages<Kind extends RecordKind>(driver: SqlDriver, kind: Kind) {
  const rows: Rows<Kind> = ROWS[kind];
  const page = driver.prepare(rows.page);
  const read = (row: SqlRow) => {
    const columns = Object.entries(row).filter(([column]) => !column.startsWith("_"));
    return { record: kind, ...Object.fromEntries(columns), ...rows.read?.(row) } as RecordOf<Kind>;
  };
  return (cursor: PageCursor, max: number): RecordPage<Kind> => {
    const found = page.all(...(cursor ?? rows.first), max);
    const last = found.length < max ? undefined : found.at(-1);
    return { records: found.map(read), after: last === undefined ? null : rows.after(last) };
  };
}

/** Whether a cursor that came from outside can be one of this kind's. */
export const isCursorOf = (kind: RecordKind, cursor: PageCursor): boolean =>
  cursor === null ||
  (cursor.length === ROWS[kind].first.length &&
    cursor.every((value, at) => typeof value === typeof ROWS[kind].first[at]));

/** The records of one kind, page by page, so that memory stays flat. */
export function* pagesOf<Kind extends RecordKind>(
  driver: SqlDriver,
  kind: Kind,
): Generator<RecordOf<Kind>> {
  const readPage = preparePages(driver, kind);
  for (let cursor: PageCursor = null; ; ) {
    const { records, after }: RecordPage<Kind> = readPage(cursor, PAGE_ROWS);
    yield* records;
    if (after === null) return;
    cursor = after;
  }
}

/** `again`: what to do with a record whose like is there already. */
export function prepareInserts(
  driver: SqlDriver,
  again: "refuse" | "leave" = "refuse",
): (record: TransferRecord) => void {
  const clause = again === "leave" ? " ON CONFLICT DO NOTHING" : "";
  // Prepared when one comes: the ledger of one account has not the tables of all kinds.
  const inserts = new Map<RecordKind, SqlStatement>();
  return (record) => {
    const { record: kind } = record;
    const rows = ROWS[kind] as Rows<RecordKind>;
    const insert = inserts.get(kind) ?? driver.prepare(rows.insert + clause);
    inserts.set(kind, insert);
    insert.run(...rows.values(record));
  };
}

/**
 * After all records are in: what no line says. When to look at a grant's end depends on the time; lines that do not say what an
 * account's owner knows of its balance are from before anybody was told, and what is so now is told nobody.
 */
export function completeImport(driver: SqlDriver, now: number): void {
  const openAccounts = "SELECT no FROM account WHERE state <> 'closed'";
  const balance = `(SELECT coalesce(sum(remaining), 0) FROM credit_grant
    WHERE account_no = a.no AND (expires_at IS NULL OR expires_at > ?1))`;
  driver
    .prepare(
      `UPDATE credit_grant SET look_at = ${lookAtSql("expires_at", "?1")}
       WHERE expires_at > ?1 AND account_no IN (${openAccounts})`,
    )
    .run(now);
  driver
    .prepare(
      `UPDATE account AS a SET told_level = CASE WHEN state = 'closed' OR ${balance} < ${CALL_PRICE} THEN 'gone'
         WHEN ${balance} < low_balance THEN 'low' ELSE 'enough' END
       WHERE told_level IS NULL`,
    )
    .run(now);
}
