import { after } from "node:test";
import pg from "pg";
import { LEDGER_TIMEOUT_MS } from "#limits.ts";
import { createPostgresDatabase } from "#stores/postgres/database.ts";
import type { NodeClock } from "#stores/postgres/database-clock.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { migratePostgres } from "#stores/postgres/migrate.ts";
import { openPostgresPool, type PostgresPool } from "#stores/postgres/pool.ts";
import { createPostgresSumUsage } from "#stores/postgres/usage-sums.ts";
import { createLedgerEvents } from "#stores/sql/ledger-events.ts";
import type { OpenedLedger } from "../../contract/ledger/fixture.ts";
import { HANGS_MS } from "../../support/deadline.ts";
import { type SharedPostgres, sharedPostgres } from "../../support/postgres.ts";

/** Databases with our tables, in the PostgreSQL of the run. */

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
  return (await sharedPostgres()).createDatabase();
}

export type Node = Awaited<ReturnType<typeof openNode>>;

/** The ledger as a node opens it, with the time of the test for its upkeep. */
export async function openNode(
  url: string,
  clock: NodeClock = "caller",
  orderMs: number = HANGS_MS,
) {
  const pool = openPostgresPool(url, { max: 8, orderMs });
  await migratePostgres(pool);
  const { ledger, close } = createPostgresLedger(pool, undefined, clock);
  const ledgerEvents = createLedgerEvents(createPostgresDatabase(pool), "postgres");
  return {
    ...{ ledger, ledgerEvents, pool },
    sumUsage: createPostgresSumUsage(pool),
    async close() {
      await close();
      await pool.close();
    },
  };
}

/** Of a test, or of a file. */
export type Hooks = { after(act: () => unknown): unknown };

/** Those of the suite whose body calls this: a `before` hook cannot register what comes after the suite. */
export function hooksOfSuite(): Hooks {
  const acts: (() => unknown)[] = [];
  after(async () => {
    for (const act of acts) await act();
  });
  return { after: (act) => acts.push(act) };
}

/** Databases that tests have given back. */
const free: string[] = [];

/** A database without rows, given back after the test. What changes its tables takes a new one: making it takes half a second. */
export async function borrowDatabase(t: Hooks): Promise<string> {
  const url = free.pop() ?? (await newDatabase());
  // One that cannot be emptied is left alone: the other hooks of the test have to run.
  t.after(() =>
    emptyDatabaseAt(url).then(
      () => void free.push(url),
      () => {},
    ),
  );
  return url;
}

/** Over a connection of its own. Also drops the tables of days. */
export async function emptyDatabaseAt(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`BEGIN READ WRITE; ${DROP_DAYS}; ${EMPTY}; COMMIT`);
  await client.end();
}

/** Nodes on one database, closed after the test. */
export async function openNodes(t: Hooks, ...clocks: NodeClock[]) {
  const url = await borrowDatabase(t);
  const nodes = await Promise.all(clocks.map((clock) => openNode(url, clock)));
  t.after(() => Promise.all(nodes.map((node) => node.close())));
  return nodes;
}

/** One node, closed after the test. */
export async function openOnly(t: Hooks): Promise<Node> {
  const [node] = await openNodes(t, "caller");
  return node as Node;
}

/** Deletes the rows of every table. Copying a database for each rule of the contract would take most of its time. */
const EMPTY = `SET LOCAL session_replication_role = replica;
  DO $$ DECLARE name regclass; BEGIN
    FOR name IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace
      AND NOT relispartition AND relname <> 'schema_migration'
      AND (relkind = 'p' OR relkind = 'r' AND pg_relation_size(oid) > 0)
    LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
  END $$`;

const DROP_DAYS = `DO $$ DECLARE name regclass; BEGIN
    FOR name IN SELECT inhrelid FROM pg_inherits
      WHERE inhparent = 'debit'::regclass AND inhrelid <> 'debit_other'::regclass
    LOOP EXECUTE 'DROP TABLE ' || name; END LOOP;
  END $$`;

export const emptyDatabase = (pool: PostgresPool) =>
  pool.transaction("upkeep", (query) => query(EMPTY));

/** Sent in one tick, debits form one batch. */
export const inBatches = <Opened extends Pick<OpenedLedger, "ledger">>(opened: Opened) => ({
  ...opened,
  batches: "debits" as const,
  together: (items: Parameters<NonNullable<OpenedLedger["together"]>>[0]) =>
    Promise.all(
      items.map(([, order]) => opened.ledger.debit(order as never).catch((error) => error)),
    ),
});

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
    orderMs: LEDGER_TIMEOUT_MS,
    close: async () => (await ready).close(),
  };
  after(() => pool.close());
  return pool;
}
