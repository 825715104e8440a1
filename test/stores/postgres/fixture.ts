import { after } from "node:test";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import type { UpkeepClock } from "#stores/postgres/maintain.ts";
import { migratePostgres } from "#stores/postgres/migrate.ts";
import { openPostgresPool, type PostgresPool } from "#stores/postgres/pool.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";

/** One PostgreSQL for a test file; each scene has a database of its own, with our tables. */

/** What is tried here is no crash of the server, so it need not wait for the disk. */
const NO_SYNC = { fsync: "off", full_page_writes: "off" };

let running: Promise<{ server: Postgres; template: string }> | undefined;
after(async () => (await running)?.server.dispose());

async function start() {
  const server = await startPostgres(NO_SYNC);
  const url = await server.createDatabase();
  const pool = openPostgresPool(url, { max: 1 });
  await migratePostgres(pool);
  await pool.close();
  return { server, template: new URL(url).pathname.slice(1) };
}

/** The URL of a fresh database. */
export async function newDatabase(): Promise<string> {
  running ??= start();
  const { server, template } = await running;
  return server.createDatabase(template);
}

/** The same, without our tables. */
export async function newEmptyDatabase(): Promise<string> {
  running ??= start();
  return (await running).server.createDatabase();
}

export type Node = Awaited<ReturnType<typeof openNode>>;

/** The ledger as a node has it, whose upkeep goes by the time that the test makes up. */
export async function openNode(url: string, clock: UpkeepClock = "caller") {
  const pool = openPostgresPool(url, { max: 8 });
  await migratePostgres(pool);
  const { ledger, close } = createPostgresLedger(pool, undefined, clock);
  return {
    ...{ ledger, pool },
    async close() {
      await close();
      await pool.close();
    },
  };
}

/** A pool that can be handed on before its database is there. */
export function openPoolLater(): PostgresPool {
  const ready = newDatabase().then((url) => openPostgresPool(url, { max: 4 }));
  const connect = async () => (await ready).connections.connect();
  const pool: PostgresPool = {
    once: async (...given) => (await ready).once(...given) as never,
    together: async (...given) => (await ready).together(...given) as never,
    roundTrips: async (...given) => (await ready).roundTrips(...given),
    transaction: async (...given) => (await ready).transaction(...given),
    statement: async (...given) => (await ready).statement(...given),
    connections: { connect } as PostgresPool["connections"],
    close: async () => (await ready).close(),
  };
  after(() => pool.close());
  return pool;
}
