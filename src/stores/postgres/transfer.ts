import { readTransfer, writeTransferPages } from "#ledger/transfer/lines.ts";
import {
  type RecordCounts,
  type RecordKind,
  storeFault,
  TransferError,
  type TransferRecord,
  totalsFault,
} from "#ledger/transfer/records.ts";
import { completeImport, filledSql } from "../sql/complete-import.ts";
import { RECORD_ORDER, RECORD_TABLES } from "../sql/transfer-rows.ts";
import { insertFrom, readRecord, selectAll, valuesOf } from "../sql/transfer-table.ts";
import type { SqlRow } from "../sqlite/driver.ts";
import { createPostgresReads, textOf } from "./database.ts";
import { codeOf } from "./faults.ts";
import { makePastDays } from "./partitions.ts";
import type { PostgresMode, PostgresPool, PostgresQuery } from "./pool.ts";

/** Exporting and importing a ledger in PostgreSQL. `ledger/transfer/lines.ts` defines the format. */

const PAGE_ROWS = 1_000;
const BATCH_ROWS = 2_000;

/** The program that reads or sends the lines may be slow, but one that is frozen must not hold locks for ever. */
const PATIENT = "SET LOCAL idle_in_transaction_session_timeout = '1h'";

/**
 * Exports the whole ledger as of one moment, and the secret that is given. The transaction reads a snapshot, so it does not block
 * calls.
 */
export const exportPostgres = (
  { transaction }: PostgresPool,
  { secret }: { secret: string | null },
  write: (bytes: Uint8Array) => void,
): Promise<RecordCounts> =>
  transaction("report", async (query) => {
    // All rows are read, so the planner should optimize for the last one.
    await query(`${PATIENT}; SET LOCAL cursor_tuple_fraction = 1`);
    return writeTransferPages(allPages(query, secret), write);
  });

async function* allPages(
  query: PostgresQuery,
  secret: string | null,
): AsyncGenerator<readonly TransferRecord[]> {
  for (const kind of RECORD_ORDER) if (kind !== "secret") yield* pagesOf(query, kind);
  if (secret !== null) yield [{ record: "secret", value: secret }];
}

/** Yields the records of one kind. The next page is fetched while the current one is written. */
async function* pagesOf(
  query: PostgresQuery,
  kind: RecordKind,
): AsyncGenerator<readonly TransferRecord[]> {
  const fetch = () => {
    const page = query<SqlRow>(`FETCH ${PAGE_ROWS} FROM records`);
    // If the page is never awaited, another fault was thrown before.
    page.catch(() => {});
    return page;
  };
  await query(`DECLARE records NO SCROLL CURSOR FOR ${selectAll(RECORD_TABLES[kind])}`);
  for (let next: Promise<SqlRow[]> | null = fetch(); next !== null; ) {
    const rows: SqlRow[] = await next;
    next = rows.length < PAGE_ROWS ? null : fetch();
    yield rows.map((row) => readRecord(kind, RECORD_TABLES[kind], row));
  }
  await query("CLOSE records");
}

/**
 * Imports an export into an empty ledger, all or nothing. The totals are audited before the commit. Nodes may run at the same time, but
 * opening an account waits for the import. Throws a `TransferError` that names the line with the fault.
 *
 * `keptFrom`: debits before this time get no partition of their own, because the next maintenance rolls them up.
 */
export async function importPostgres(
  pool: PostgresPool,
  lines: Iterable<Uint8Array>,
  { now, keptFrom }: { now: number; keptFrom: number },
): Promise<RecordCounts> {
  // In separate transactions, because creating a partition blocks all debits until it is committed.
  await makePastDays(pool, now, keptFrom);
  return pool.transaction("upkeep", async (query) => {
    await query(
      `${PATIENT}; LOCK TABLE account, address, closed_address, starter_claim, purchase IN SHARE ROW EXCLUSIVE MODE`,
    );
    if (!(await isEmptyLedger(query))) throw new TransferError("The ledger is not empty");
    const counts = await insertLines(query, lines);
    for (const each of completeImport(now)) await query(textOf(each));
    // Autovacuum has not analyzed the new rows yet, and the audit needs good plans.
    await query(`ANALYZE ${TABLES.join(", ")}`);
    const { ok, faults } = await createPostgresReads(within(query)).audit({ now });
    if (!ok) throw totalsFault(faults);
    return counts;
  });
}

/** Runs reads inside this transaction. */
const within = (query: PostgresQuery): Pick<PostgresPool, "together"> => ({
  async together<Row>(_mode: PostgresMode, statements: readonly string[]) {
    const rows: Row[][] = [];
    for (const statement of statements) rows.push(await query<Row>(statement));
    return rows;
  },
});

const TABLES = [
  "account",
  "api_key",
  "credit_grant",
  "purchase",
  "debit",
  "usage_hour",
  "reversal",
  "idempotency",
];

export async function isEmptyLedger(query: PostgresQuery): Promise<boolean> {
  const [row] = await query<{ filled: number }>(filledSql.sql);
  return row?.filled === 0;
}

type Batch = { line: number; record: TransferRecord }[];

/** Inserts the records of the lines. While PostgreSQL inserts one batch, the next one is read and checked. */
async function insertLines(
  query: PostgresQuery,
  lines: Iterable<Uint8Array>,
): Promise<RecordCounts> {
  const batches = batchesOf(lines);
  await query("SAVEPOINT batch");
  let underWay: Promise<void> = Promise.resolve();
  try {
    let step = batches.next();
    for (; !step.done; step = batches.next()) {
      await underWay;
      underWay = insertBatch(query, step.value);
      underWay.catch(() => {});
    }
    await underWay;
    return step.value;
  } finally {
    await underWay.catch(() => {});
  }
}

/** Yields batches of records of one kind. */
function* batchesOf(lines: Iterable<Uint8Array>): Generator<Batch, RecordCounts> {
  let batch: Batch = [];
  const records = readTransfer(lines);
  let step = records.next();
  for (; !step.done; step = records.next()) {
    const [first] = batch;
    const isOther = first !== undefined && first.record.record !== step.value.record.record;
    if (isOther || batch.length === BATCH_ROWS) {
      yield batch;
      batch = [];
    }
    batch.push(step.value);
  }
  if (batch.length > 0) yield batch;
  return step.value;
}

const KEEP = "RELEASE SAVEPOINT batch; SAVEPOINT batch";

async function insertBatch(query: PostgresQuery, batch: Batch): Promise<void> {
  try {
    await insert(query, batch);
    await query(KEEP);
  } catch (error) {
    if (constraintOf(error) === undefined) throw error;
    await query("ROLLBACK TO SAVEPOINT batch");
    throw await firstFault(query, batch);
  }
}

const ARRAYS = { text: "text", json: "text", number: "bigint", flag: "smallint" };

/** Inserts records of one kind with one statement, which has an array parameter for each member. */
async function insert(query: PostgresQuery, batch: Batch): Promise<void> {
  const kind = batch[0]?.record.record;
  if (kind === undefined) return;
  const rows = RECORD_TABLES[kind];
  const members = Object.entries(rows.members);
  const arrays = members.map(([, { type }], index) => `$${index + 1}::${ARRAYS[type]}[]`);
  const names = members.map(([member]) => `"${member}"`);
  const source = `unnest(${arrays.join(", ")}) WITH ORDINALITY AS r (${names.join(", ")}, place)`;
  const values = batch.map(({ record }) => valuesOf(rows, record));
  const sql = `${insertFrom(rows, "postgres", source)} ORDER BY place ${rows.onConflict ?? ""}`;
  await query(
    sql,
    members.map((_, index) => values.map((ofRecord) => ofRecord[index] ?? null)),
  );
}

/** Finds the first record of a batch that cannot be inserted, by halving the batch. */
async function firstFault(query: PostgresQuery, batch: Batch): Promise<unknown> {
  let [rest, cause]: [Batch, unknown] = [batch, null];
  while (rest.length > 0) {
    const half = rest.slice(0, Math.ceil(rest.length / 2));
    try {
      await insert(query, half);
      await query(KEEP);
      rest = rest.slice(half.length);
    } catch (error) {
      cause = error;
      if (half.length === 1) break;
      await query("ROLLBACK TO SAVEPOINT batch");
      rest = half;
    }
  }
  const [first] = rest;
  const fault = constraintOf(cause);
  if (first === undefined || fault === undefined) return cause;
  return storeFault(fault, first.line, first.record);
}

/** Returns how a record violates a constraint, by the SQLSTATE of the error; undefined for any other error. */
export function constraintOf(error: unknown): Parameters<typeof storeFault>[0] | undefined {
  switch (codeOf(error)) {
    case "23505": // unique_violation
    case "21000": // cardinality_violation: the secret, twice
      return "again";
    case "23502": // not_null_violation
      return "unknown";
    case "23514": // check_violation
      return "contradiction";
    case "22021": // character_not_in_repertoire
    case "22P05": // untranslatable_character, where it came in JSON
      return "character";
  }
  return undefined;
}
