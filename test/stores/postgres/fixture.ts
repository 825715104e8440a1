import { after } from "node:test";
import type { NodeClock } from "#stores/postgres/database-clock.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { migratePostgres } from "#stores/postgres/migrate.ts";
import { openPostgresPool, type PostgresPool } from "#stores/postgres/pool.ts";
import { type SharedPostgres, sharedPostgres } from "../../support/postgres.ts";

/** Each scene has its own database with our tables, in the PostgreSQL of the run. */

let running: Promise<{ server: SharedPostgres; template: string }> | undefined;

async function start() {
  const server = await sharedPostgres();
  const url = await server.createDatabase();
  const pool = openPostgresPool(url, { max: 1 });
  await migratePostgres(pool);
  await pool.close();
  return { server, template: new URL(url).pathname.slice(1) };
}

/** Returns the URL of a new database. */
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

/** The ledger as a node opens it, with the time of the test for its upkeep. */
export async function openNode(url: string, clock: NodeClock = "caller") {
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

/** A pool that can be passed on before its database exists. */
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
