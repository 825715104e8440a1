import type { ReadTurns } from "#accounts/read-turns.ts";
import type { RequestChunk, RequestLogBounds, RequestLogReads } from "#accounts/request-log.ts";
import {
  DAY_MS,
  HOUR_MS,
  REQUEST_HOURS_KEPT_MS,
  REQUEST_LOG_DAYS_DEFAULT,
  REQUEST_LOG_MAX,
} from "#limits.ts";
import type { createRequestSearch } from "../sql/request-search.ts";
import { createSqliteDatabase } from "../sqlite/database.ts";
import type { SqlDriver, SqlRow } from "../sqlite/driver.ts";
import type { Chore } from "./next-alarm.ts";

/**
 * The request log of one account, in its object beside its ledger: it is stored where the account is, and goes with it. What a Worker
 * hands over is one written row, because the newest chunk takes more requests until it is full.
 */
export type ObjectRequestLog = RequestLogReads &
  Chore & {
    /**
     * Adds the requests of a chunk. Returns whether a new row was begun, so that the alarm may have to be set. Does nothing for an
     * account that is closed or missing, and where the log is off.
     */
    append(chunk: RequestChunk): boolean;
    /** Deletes what is too old or too much. */
    tidy(now: number): void;
    /** Deletes everything. */
    clear(): void;
  };

/** Requests and errors of a tool in an hour. */
type Count = [hour: number, tool: string, requests: number, errors: number];

/** A search reads whole chunks, so they are small. */
const CHUNK_MAX = 250;
/** Chunks that are too many are deleted whole, so that they must be small beside what may be kept. */
const CHUNKS_MIN = 10;
/** Old rows wait this long for others, so that an account without calls is not woken for each row. */
const GATHER_MS = HOUR_MS;

export function createObjectRequestLog(
  driver: SqlDriver,
  { keptDays, keptMax }: RequestLogBounds,
): ObjectRequestLog {
  const chunkMax = Math.max(1, Math.min(CHUNK_MAX, Math.floor(keptMax / CHUNKS_MIN)));
  const isOpen = driver.prepare("SELECT 1 FROM account WHERE id = ? AND state <> 'closed'");
  const newest = driver.prepare(
    "SELECT no, first_at, last_at, count, counts FROM request_chunk ORDER BY no DESC LIMIT 1",
  );
  const insert = driver.prepare(
    `INSERT INTO request_chunk (no, account, first_at, last_at, count, errors, counts, packed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const extend = driver.prepare(
    `UPDATE request_chunk SET first_at = MIN(first_at, ?), last_at = MAX(last_at, ?), count = count + ?, errors = errors + ?,
      counts = ?, packed = packed || ',' || ? WHERE no = ?`,
  );
  const oldest = driver.prepare("SELECT last_at FROM request_chunk ORDER BY no LIMIT 1");
  const oldestDay = driver.prepare("SELECT day FROM request_day ORDER BY day LIMIT 1");
  /** Those that are too old, and those that are too much: all before the first beyond the bound. */
  const superfluous = driver.prepare(
    `SELECT no, counts FROM (SELECT no, counts, last_at, SUM(count) OVER (ORDER BY no DESC) AS total FROM request_chunk)
      WHERE last_at < ? OR total > ?`,
  );
  const remove = driver.prepare("DELETE FROM request_chunk WHERE no = ?");
  const dayCounts = driver.prepare("SELECT counts FROM request_day WHERE day = ?");
  const setDay = driver.prepare(
    "INSERT INTO request_day (day, counts) VALUES (?, ?) ON CONFLICT (day) DO UPDATE SET counts = excluded.counts",
  );
  const removeDays = driver.prepare("DELETE FROM request_day WHERE day < ?");
  const allCounts = driver.prepare(
    "SELECT counts FROM request_day WHERE day >= ? UNION ALL SELECT counts FROM request_chunk WHERE last_at >= ?",
  );

  function append(chunk: RequestChunk): boolean {
    const { account, firstAt, lastAt, count, errors, packed } = chunk;
    if (keptDays === 0 || isOpen.get(account) === undefined) return false;
    const last = newest.get();
    const added = countsOf(chunk);
    if (last !== undefined && fits(last, chunk)) {
      const counts = JSON.stringify(sumCounts([...readCounts(last), ...added]));
      extend.run(firstAt, lastAt, count, errors, counts, packed, Number(last["no"]));
      return false;
    }
    const no = Math.max(Number(last?.["no"] ?? 0) + 1, lastAt);
    mayHaveRows = true;
    insert.run(no, account, firstAt, lastAt, count, errors, JSON.stringify(added), packed);
    return true;
  }

  /** A chunk is deleted whole, so all of it is of one day. */
  const fits = (last: SqlRow, { count, firstAt, lastAt }: RequestChunk) =>
    Number(last["count"]) + count <= chunkMax &&
    dayOf(Number(last["first_at"])) === dayOf(lastAt) &&
    dayOf(Number(last["last_at"])) === dayOf(firstAt);

  function removeChunks(rows: readonly SqlRow[]): void {
    const byDay = Map.groupBy(rows.flatMap(readCounts), ([hour]) => dayOf(hour));
    for (const [day, counts] of byDay) {
      const before = dayCounts.get(day);
      const known = before === undefined ? [] : readCounts(before);
      setDay.run(day, JSON.stringify(sumCounts([...known, ...counts])));
    }
    for (const { no } of rows) remove.run(Number(no));
  }

  function removeSuperfluous(now: number): void {
    const until = keptDays === 0 ? Number.MAX_SAFE_INTEGER : now - keptDays * DAY_MS;
    removeChunks(superfluous.all(until, keptMax));
    removeDays.run(keptDays === 0 ? until : now - REQUEST_HOURS_KEPT_MS);
  }

  /** False once it is known that there are none, so that the alarm of an account without a log reads nothing. */
  let mayHaveRows = true;

  /** Returns when the first rows are old; null if there are none. */
  function oldAt(): number | null {
    if (!mayHaveRows) return null;
    const [chunk, day] = [oldest.get()?.["last_at"], oldestDay.get()?.["day"]];
    const times = [];
    if (typeof chunk === "number") times.push(keptDays === 0 ? 0 : chunk + keptDays * DAY_MS);
    if (typeof day === "number") times.push(keptDays === 0 ? 0 : day + REQUEST_HOURS_KEPT_MS);
    mayHaveRows = times.length > 0;
    return mayHaveRows ? Math.min(...times) : null;
  }

  let loaded: ReturnType<typeof createRequestSearch> | undefined;

  /** A module that the first search loads. */
  async function search() {
    const module = await import("../sql/request-search.ts");
    const options = { elapsed: () => Date.now(), turns: createTurns() };
    loaded ??= module.createRequestSearch(createSqliteDatabase(driver), options);
    return loaded;
  }

  const tidy = (now: number) => driver.transaction("write", () => removeSuperfluous(now));

  return {
    append: (chunk) =>
      driver.transaction("write", () => {
        const isNew = append(chunk);
        // A busy account needs no alarm for it.
        if (isNew) removeSuperfluous(chunk.lastAt);
        return isNew;
      }),
    list: async (order) => (await search()).list(order),
    summarize: async (order) => (await search()).summarize(order),
    async counts({ from }) {
      const first = from - (from % HOUR_MS);
      const rows = allCounts.all(dayOf(first), first);
      return sumCounts(rows.flatMap(readCounts))
        .filter(([hour]) => hour >= first)
        .map(([hour, tool, requests, errors]) => ({ hour, tool, requests, errors }));
    },
    dueAt(now) {
      const at = oldAt();
      // Not sooner, so that a clock that was set back does not wake the object over and over.
      return at === null ? null : Math.max(at, now) + GATHER_MS;
    },
    async round(now) {
      const at = oldAt();
      // Most rounds are for something else, and read nothing for it.
      if (at === null || at > now) return;
      try {
        tidy(now);
      } catch (cause) {
        console.error(JSON.stringify({ message: NOT_TIDIED, cause: String(cause) }));
      }
    },
    tidy,
    clear() {
      driver.exec("DELETE FROM request_chunk; DELETE FROM request_day");
    },
  };
}

/** The Worker validates its configuration before it calls an object. */
export function requestLogBoundsOf(env: unknown): RequestLogBounds {
  const { TOOLBOOTH_REQUEST_LOG_DAYS: days = "" } = env as Record<string, string | undefined>;
  const keptDays = /^\d+$/.test(days) ? Number(days) : REQUEST_LOG_DAYS_DEFAULT;
  return { keptDays, keptMax: REQUEST_LOG_MAX };
}

const NOT_TIDIED = "Old requests of an account were not deleted from its request log; trying again";

/** Calls of the account run between two slices of a search. */
function createTurns(): ReadTurns {
  let pause = Promise.resolve();
  return {
    async take() {
      await pause;
      return () => {
        pause = new Promise((resolve) => setTimeout(resolve, 0));
      };
    },
  };
}

const dayOf = (at: number) => at - (at % DAY_MS);

/** A chunk as it is handed over covers seconds, so its requests count to the hour of the first. */
const countsOf = ({ firstAt, tools }: RequestChunk): Count[] =>
  tools.map(({ tool, count, errors }) => [firstAt - (firstAt % HOUR_MS), tool, count, errors]);

const readCounts = ({ counts }: SqlRow): Count[] => JSON.parse(String(counts)) as Count[];

/** Adds up the counts of the same hour and tool, and sorts them. */
function sumCounts(counts: readonly Count[]): Count[] {
  const sums = new Map<string, Count>();
  for (const [hour, tool, requests, errors] of counts) {
    const sum = sums.get(`${hour} ${tool}`);
    if (sum === undefined) sums.set(`${hour} ${tool}`, [hour, tool, requests, errors]);
    else {
      sum[2] += requests;
      sum[3] += errors;
    }
  }
  return [...sums.values()].sort(
    ([hour, tool], [other, otherTool]) => hour - other || (tool < otherTool ? -1 : 1),
  );
}
