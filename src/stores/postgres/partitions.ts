import { DAY_MS, ROLL_UP_AFTER_DAYS } from "#limits.ts";
import { codeOf } from "./faults.ts";
import type { PostgresPool } from "./pool.ts";

/**
 * The partitions of the debits. Each UTC day is a partition, which is created some days ahead and dropped when all of its debits are
 * rolled up. So the size of the index that a debit is inserted into does not grow with the total number of calls.
 */
const DAYS_AHEAD = 3;
const NAME = /^debit_(\d{4})(\d\d)(\d\d)$/;

/** One node at a time creates and drops partitions, rolls up and deletes. The number is arbitrary but fixed. */
export const UPKEEP_LOCK = 7_200_001;

/** If another node does the maintenance, `wait` waits for it and `try` gives up. */
type Turn = "wait" | "try";
const TURNS: Record<Turn, string> = {
  wait: `SELECT pg_advisory_xact_lock(${UPKEEP_LOCK})`,
  try: `DO $do$ BEGIN IF NOT pg_try_advisory_xact_lock(${UPKEEP_LOCK}) THEN
    RAISE EXCEPTION 'another node does the maintenance' USING ERRCODE = 'lock_not_available'; END IF; END $do$`,
};

export async function keepPartitions(
  pool: PostgresPool,
  now: number,
  rollUpBefore: number,
  turn: Turn = "wait",
): Promise<void> {
  const { names, missing } = await daysOf(pool, now, now);
  for (const day of missing) if ((await makeDay(pool, day, turn)) === "held") return;
  for (const name of names) {
    const day = dayOf(name);
    if (day === null || day + DAY_MS > rollUpBefore) continue;
    if ((await dropDay(pool, name)) === "held") return;
  }
}

/**
 * Creates the partitions of calls that are about to be imported, for those days that are kept. Without them, the calls would be in the
 * default partition, all rows of which PostgreSQL reads whenever a day is created, while every call waits.
 */
export async function makePastDays(pool: PostgresPool, now: number): Promise<void> {
  const { missing } = await daysOf(pool, now - ROLL_UP_AFTER_DAYS * DAY_MS, now);
  for (const day of missing) await makeDay(pool, day, "wait");
}

/** Returns the names of the existing partitions, and the days since `from` that have none. */
async function daysOf({ once }: PostgresPool, from: number, now: number) {
  const tables = await once<{ name: string }>("read", TABLES);
  const names = new Set(tables.map(({ name }) => name));
  const missing: number[] = [];
  const last = startOf(now) + DAYS_AHEAD * DAY_MS;
  for (let day = startOf(from); day <= last; day += DAY_MS) {
    if (!names.has(nameOf(day))) missing.push(day);
  }
  return { names, missing };
}

const startOf = (at: number) => Math.floor(at / DAY_MS) * DAY_MS;

const TABLES =
  "SELECT relname AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'debit'::regclass";

/** Waiting for a lock blocks calls, so give up soon. The next round tries again. */
const SOON = "SET LOCAL lock_timeout = 200";

function makeDay({ once }: PostgresPool, day: number, turn: Turn): Promise<"done" | "held"> {
  const sql = `CREATE TABLE IF NOT EXISTS ${nameOf(day)} PARTITION OF debit FOR VALUES FROM (${day}) TO (${day + DAY_MS})`;
  return unlessPassing(once("write", `${TURNS[turn]}; ${SOON}; ${sql}`));
}

/**
 * Drops a partition if it is empty. Calls lock `debit` first and then its partitions. So the partition is locked only against
 * changes while it is searched for rows, which may take long after many deletions, and `debit` is locked only for the moment of the
 * DROP. All statements are sent in one message, so that a node whose connection breaks does not hold the locks.
 */
async function dropDay({ once, transaction }: PostgresPool, name: string) {
  const look = `SELECT 1 FROM ${name} LIMIT 1`;
  let isEmpty = false;
  const looked = await unlessPassing(
    transaction("report", async (query) => {
      isEmpty = (await query(look)).length === 0;
    }),
  );
  if (!isEmpty) return looked;
  const sql = `${TURNS.try}; ${SOON}; LOCK TABLE ${name} IN SHARE MODE; DO $do$ BEGIN
      IF NOT EXISTS (${look}) THEN DROP TABLE ${name}; END IF; END $do$`;
  return unlessPassing(once("write", sql));
}

/** lock_not_available and deadlock_detected: a lock is held, or another node does the maintenance. */
const HELD: ReadonlySet<string> = new Set(["55P03", "40P01"]);
/**
 * Debits of the day are already in the default partition (23514, check_violation), another node has created or dropped the partition
 * (42P07, 42P01), or the search for rows took too long (57014).
 */
const PASSING: ReadonlySet<string> = new Set(["23514", "42P07", "42P01", "57014"]);

async function unlessPassing(work: Promise<unknown>): Promise<"done" | "held"> {
  try {
    await work;
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (HELD.has(code)) return "held";
    if (!PASSING.has(code)) throw error;
  }
  return "done";
}

const nameOf = (day: number) =>
  `debit_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;

function dayOf(name: string): number | null {
  const match = NAME.exec(name);
  return match === null ? null : Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
}
