import { DAY_MS } from "#limits.ts";
import { codeOf } from "./faults.ts";
import type { PostgresPool } from "./pool.ts";

/**
 * The days of the debits: each UTC day is a table of its own, made some days ahead and dropped, empty, when its debits were
 * folded. So the index that a debit goes into is that of a day, however many calls there ever were.
 */
const DAYS_AHEAD = 3;
/** Where calls are kept for longer, the oldest have no day of their own: each day is a table that every plan may look at. */
const DAYS_BACK_MAX = 400;
const NAME = /^debit_(\d{4})(\d\d)(\d\d)$/;

/** One node at a time makes and drops days, folds and forgets. Any number will do, but always the same. */
export const UPKEEP_LOCK = 7_200_001;

/** `wait`: each of several nodes that start at once finds what the one before it made. `try`: another one does it. */
type Turn = "wait" | "try";
const TURNS: Record<Turn, string> = {
  wait: `SELECT pg_advisory_xact_lock(${UPKEEP_LOCK})`,
  try: `DO $do$ BEGIN IF NOT pg_try_advisory_xact_lock(${UPKEEP_LOCK}) THEN
    RAISE EXCEPTION 'another node does it' USING ERRCODE = 'lock_not_available'; END IF; END $do$`,
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
 * The days of calls that are to be brought here, and those ahead, before the first of them comes: a day that is made later
 * is made behind a look through all that has no day of its own.
 */
export async function makePastDays(
  pool: PostgresPool,
  now: number,
  keptFrom: number,
): Promise<void> {
  const { missing } = await daysOf(pool, Math.max(keptFrom, now - DAYS_BACK_MAX * DAY_MS), now);
  for (const day of missing) await makeDay(pool, day, "wait");
}

/** The tables that are there, and the days from `from` on that have none. */
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

/** What holds up calls is not worth waiting for: it is tried again at the next round. */
const SOON = "SET LOCAL lock_timeout = 200";

function makeDay({ once }: PostgresPool, day: number, turn: Turn): Promise<"done" | "held"> {
  const sql = `CREATE TABLE IF NOT EXISTS ${nameOf(day)} PARTITION OF debit FOR VALUES FROM (${day}) TO (${day + DAY_MS})`;
  return unlessPassing(once("write", `${TURNS[turn]}; ${SOON}; ${sql}`));
}

/**
 * Everything that takes calls locks `debit` first and then days of it. So this day is only kept from changing while it is
 * looked through, which may take a while after so many rows were deleted, and then all are locked for the moment in which
 * it goes. In one message: a node whose connection breaks must not hold them.
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

/** Somebody holds what is wanted, or another node does the upkeep. */
const HELD: ReadonlySet<string> = new Set(["55P03", "40P01"]);
/**
 * The day's debits lie among the others already (23514, check_violation), somebody else made the table or dropped it (42P07,
 * 42P01), or there is so much to look through that it takes too long (57014).
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
