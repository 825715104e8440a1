import {
  booksFault,
  type RecordCounts,
  type RecordKind,
  readTransfer,
  storeFault,
  TransferFault,
  type TransferRecord,
  writeTransferPages,
} from "#ledger/transfer/records.ts";
import { createPostgresAudit } from "./audit.ts";
import { codeOf } from "./faults.ts";
import { makePastDays } from "./partitions.ts";
import type { PostgresPool, PostgresQuery } from "./pool.ts";
import { completeImport, insertOf, RECORD_ORDER, selectOf } from "./transfer-rows.ts";

/** A ledger in PostgreSQL to lines of JSON and back. What the lines say is in `credits/transfer.ts`. */

const PAGE_ROWS = 1_000;
const BATCH_ROWS = 2_000;

/** Whoever reads or sends the lines may be slow; but one that was frozen must not hold tables for ever. */
const PATIENT = "SET LOCAL idle_in_transaction_session_timeout = '1h'";

/** Writes all there is, as of one moment: the transaction reads a snapshot, and calls go on beside it. */
export const exportPostgres = (
  { transaction }: PostgresPool,
  options: { withSecret: boolean },
  write: (bytes: Uint8Array) => void,
): Promise<RecordCounts> =>
  transaction("report", async (query) => {
    // Every row is read: what the first ones cost is no matter.
    await query(`${PATIENT}; SET LOCAL cursor_tuple_fraction = 1`);
    const kinds = RECORD_ORDER.filter((kind) => kind !== "secret" || options.withSecret);
    return writeTransferPages(allPages(query, kinds), write);
  });

async function* allPages(query: PostgresQuery, kinds: readonly RecordKind[]) {
  for (const kind of kinds) yield* pagesOf(query, kind);
}

/** The next page is on its way while one is written. */
async function* pagesOf(
  query: PostgresQuery,
  kind: RecordKind,
): AsyncGenerator<readonly TransferRecord[]> {
  const fetch = () => {
    const page = query<object>(`FETCH ${PAGE_ROWS} FROM records`);
    // Where nobody waits for it any more, another fault was there first.
    page.catch(() => {});
    return page;
  };
  await query(`DECLARE records NO SCROLL CURSOR FOR ${selectOf(kind)}`);
  for (let next: Promise<object[]> | null = fetch(); next !== null; ) {
    const rows: object[] = await next;
    next = rows.length < PAGE_ROWS ? null : fetch();
    yield rows.map((row) => ({ record: kind, ...row }) as TransferRecord);
  }
  await query("CLOSE records");
}

/**
 * Takes the lines into an empty ledger, all or nothing: what they say is audited before it is committed. Nodes may run
 * beside it; who would open an account waits meanwhile. `keptFrom`: since when calls are kept one by one here; older ones
 * are summed up at the next upkeep.
 * Throws a `TransferFault` with the line where something is wrong.
 */
export async function importPostgres(
  pool: PostgresPool,
  lines: Iterable<Uint8Array>,
  { now, keptFrom }: { now: number; keptFrom: number },
): Promise<RecordCounts> {
  // In transactions of their own, for each holds up all debits until it is committed.
  await makePastDays(pool, now, keptFrom);
  return pool.transaction("upkeep", async (query) => {
    await query(
      `${PATIENT}; LOCK TABLE account, address, closed_address, purchase IN SHARE ROW EXCLUSIVE MODE`,
    );
    if (!(await isEmptyLedger(query))) throw new TransferFault("The ledger is not empty");
    const counts = await takeIn(query, lines);
    await completeImport(query, now);
    // Nobody has looked at the tables yet, and the audit is not the last who wants to know what is in them.
    await query(`ANALYZE ${TABLES.join(", ")}`);
    const inside: PostgresPool = { ...pool, transaction: (_mode, body) => body(query) };
    const { ok, faults } = await createPostgresAudit(inside).audit({ now });
    if (!ok) throw booksFault(faults);
    return counts;
  });
}

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
  const [row] = await query<{ filled: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM account) OR EXISTS (SELECT 1 FROM address)
       OR EXISTS (SELECT 1 FROM closed_address) OR EXISTS (SELECT 1 FROM purchase) AS filled`,
  );
  return row?.filled === false;
}

type Batch = { line: number; record: TransferRecord }[];

/** While PostgreSQL takes in one batch, the next one is read and checked. */
async function takeIn(query: PostgresQuery, lines: Iterable<Uint8Array>): Promise<RecordCounts> {
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

/** Records that go into one table together. */
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
    if (faultOf(error) === undefined) throw error;
    await query("ROLLBACK TO SAVEPOINT batch");
    throw await firstFault(query, batch);
  }
}

async function insert(query: PostgresQuery, batch: Batch): Promise<void> {
  const records = batch.map(({ record }) => record);
  const [first] = records;
  if (first !== undefined) await query(...insertOf(first.record, records));
}

/** Of a batch that does not go in, the first line at which it does not: halved until it is alone. */
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
  const fault = faultOf(cause);
  if (first === undefined || fault === undefined) return cause;
  return storeFault(fault, first.line, first.record.record);
}

/** SQLSTATE of a constraint, as the fault of the line that met it. */
function faultOf(error: unknown): Parameters<typeof storeFault>[0] | undefined {
  switch (codeOf(error)) {
    case "23505": // unique_violation
    case "21000": // cardinality_violation: the secret, twice
      return "again";
    case "23502": // not_null_violation
      return "unknown";
    case "23514": // check_violation
      return "contradiction";
    case "22021": // character_not_in_repertoire
      return "character";
  }
  return undefined;
}
