import { after, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { NotCarriedOut } from "#ledger/port.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { migratePostgres } from "#stores/postgres/migrate.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { createFixture } from "../../../contract/ledger/fixture.ts";
import { HANGS_MS } from "../../../support/deadline.ts";
import { type Postgres, startPostgres } from "../../../support/postgres.ts";
import { openNetwork } from "../../../support/postgres-proxy.ts";
import { borrowDatabase, emptyDatabaseAt } from "../fixture.ts";

/** Deadlines only end what hangs. */
export const PATIENT = { timeout: HANGS_MS };

/** `database`: one with our tables, which each test finds without rows. */
export type FaultyServer = { server: Postgres; database: string };

/** What a crash of the process leaves is in the memory of the system, so nothing has to wait for the disk. */
const NO_SYNC = { fsync: "off", full_page_writes: "off" };

let own: Promise<FaultyServer> | undefined;
after(async () => (await own)?.server.dispose());

/** A PostgreSQL of this process that tests may stop, crash and reconfigure, and leave running. */
export function ownServer(): Promise<FaultyServer> {
  own ??= startFaulty();
  return own;
}

async function startFaulty(): Promise<FaultyServer> {
  const server = await startPostgres(NO_SYNC);
  const database = await server.createDatabase();
  const pool = openPostgresPool(database, { max: 1 });
  await migratePostgres(pool);
  await pool.close();
  return { server, database };
}

/** `orderMs`: for a test whose orders all succeed, the time limit that they have instead of the usual one. */
type FaultyOptions = { server?: FaultyServer; user?: string; orderMs?: number };

/** The ledger of one node behind a network, and an operator's connection that bypasses it. By default on the run's PostgreSQL. */
export async function openFaulty(
  t: TestContext,
  { server, user = "postgres", orderMs }: FaultyOptions = {},
) {
  const direct = server?.database ?? (await borrowDatabase(t));
  if (server !== undefined) await emptyDatabaseAt(direct);
  const url = new URL(direct);
  const network = await openNetwork(Number(url.port));
  url.port = String(network.port);
  url.username = user;
  const pool = openPostgresPool(url.href, { max: 6, ...(orderMs && { orderMs }) });
  const { ledger, close, waiting } = createPostgresLedger(pool);
  t.after(async () => {
    network.swallow(false);
    network.cut();
    await close();
    await pool.close();
    await network.close();
  });

  /** Holds another session until it is released. */
  async function openSession() {
    const session = new pg.Client({ connectionString: direct });
    session.on("error", () => {});
    await session.connect();
    return session;
  }
  async function asOperator(sql: string): Promise<void> {
    const session = await openSession();
    await session.query(sql);
    await session.end();
  }
  /** Reads past the network and the node's pool. */
  async function rows(sql: string): Promise<unknown[]> {
    const session = await openSession();
    const result = await session.query(sql);
    await session.end();
    return result.rows;
  }
  /** From now on, debits meet this trigger; it is gone after the test. */
  async function onDebit(name: string, body: string): Promise<void> {
    await asOperator(`CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $f$
      BEGIN ${body} RETURN NULL; END $f$;
      CREATE OR REPLACE TRIGGER ${name} AFTER INSERT ON debit FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`);
    t.after(() => asOperator(`DROP TRIGGER IF EXISTS ${name} ON debit`));
  }
  /** The next `times` debits fail with this code, as on a real server. The count survives the rollback. */
  const failDebits = async (code: string, times: number) => {
    await asOperator("CREATE SEQUENCE IF NOT EXISTS failures; SELECT setval('failures', 1, false)");
    await onDebit(
      "failing",
      `IF nextval('failures') <= ${times} THEN RAISE EXCEPTION 'made to fail' USING ERRCODE = '${code}'; END IF;`,
    );
  };

  const fixture = createFixture({ ledger });
  return {
    ...fixture,
    network,
    direct,
    pool,
    waiting,
    openSession,
    asOperator,
    rows,
    onDebit,
    failDebits,
  };
}

/** The result of an order: its outcome or its error. */
export const settled = <Outcome>(order: Promise<Outcome>): Promise<Outcome | Error> =>
  order.catch((error: Error) => error);

export const isSure = (outcome: unknown): outcome is NotCarriedOut =>
  outcome instanceof NotCarriedOut;

/** Repeats an order until it succeeds. */
export async function eventually<Outcome>(act: () => Promise<Outcome>): Promise<Outcome> {
  for (;;) {
    const outcome = await settled(act());
    if (!(outcome instanceof Error)) return outcome;
    await wait(20);
  }
}
