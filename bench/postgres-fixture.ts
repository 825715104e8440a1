import { readFileSync } from "node:fs";
import path from "node:path";
import { migratePostgres } from "#stores/postgres/migrate.ts";
import { keepPartitions } from "#stores/postgres/partitions.ts";
import { openPostgresPool, type PostgresPool } from "#stores/postgres/pool.ts";
import { type Postgres, startPostgres } from "../test/support/postgres.ts";
import { readProc } from "./process-cpu.ts";

/** The benchmark's own PostgreSQL, which syncs every commit, with its data before and after a run. */
export type PostgresFixture = { server: Postgres; url: string; pool: PostgresPool };

const SETTINGS = { shared_buffers: "256MB", max_wal_size: "4GB" };

export async function openPostgresFixture(): Promise<PostgresFixture> {
  const server = await startPostgres(SETTINGS);
  const url = await server.createDatabase();
  const pool = openPostgresPool(url, { max: 2 });
  await migratePostgres(pool);
  await keepPartitions(pool, Date.now(), 0);
  return { server, url, pool };
}

export async function closePostgresFixture({ pool, server }: PostgresFixture): Promise<void> {
  await pool.close();
  await server.dispose();
}

export const accountAt = (n: number) => `bench_${n}`;
export const keyAt = (n: number) => `key_of_bench_${n}`;

/** Inserts accounts with one key, one grant that no run can spend, and no free call. `from`: the number of the first. */
export async function fillAccounts(
  { transaction }: PostgresPool,
  count: number,
  { from = 0, isAnalyzed = true } = {},
): Promise<void> {
  await transaction("upkeep", async (query) => {
    await query(
      `INSERT INTO account (id, created_at, free_call, notified_level, front_grant)
       SELECT 'bench_' || n, 0, 'withheld', 'enough', 'bench' FROM generate_series($1::int, $2::int - 1) n`,
      [from, from + count],
    );
    await query(`INSERT INTO api_key (account_no, id, sha256, start, label, created_at)
      SELECT no, 'key_' || id, 'key_of_' || id, 'tb', 'bench', 0 FROM account ON CONFLICT DO NOTHING`);
    await query(`INSERT INTO credit_grant (account_no, id, kind, amount, remaining, spent, granted_at)
      SELECT no, 'bench', 'operator', 1000000000, 1000000000, 0, 0 FROM account ON CONFLICT DO NOTHING`);
  });
  if (isAnalyzed)
    await transaction("upkeep", (query) => query("ANALYZE account, api_key, credit_grant"));
}

/** Returns the number of debits and the credits spent. */
export async function readTotals({ transaction }: PostgresPool) {
  const [row] = await transaction("report", (query) =>
    query<{ debits: number; paid: number }>(
      `SELECT (SELECT count(*) FROM debit) AS debits,
         (SELECT sum(amount - remaining)::bigint FROM credit_grant) AS paid`,
    ),
  );
  return row ?? { debits: 0, paid: 0 };
}

/** CPU time in microseconds: of the processes that serve connections, and of the server's other ones. */
export type PostgresCpu = { backends: number; others: number };

/** Returns the CPU time of the server and all its processes, including those that have ended. Linux only. */
export function readPostgresCpu({ server }: PostgresFixture): PostgresCpu {
  const [first] = readFileSync(path.join(server.folder, "postmaster.pid"), "utf8").split("\n");
  const pid = Number(first);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  const cpu = { backends: 0, others: readProc(pid, "withChildren") };
  for (const child of children) {
    cpu[isBackend(child) ? "backends" : "others"] += readProcOrNone(Number(child));
  }
  return cpu;
}

export function postgresCpuMicros(fixture: PostgresFixture): number {
  const { backends, others } = readPostgresCpu(fixture);
  return backends + others;
}

/** The title of a backend has the address of its client. */
function isBackend(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("127.0.0.1(");
  } catch {
    // The process has just ended.
    return false;
  }
}

function readProcOrNone(pid: number): number {
  try {
    return readProc(pid);
  } catch {
    // The process has just ended.
    return 0;
  }
}
