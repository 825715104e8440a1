import type { TestContext } from "node:test";
import pg from "pg";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { migratePostgres } from "#stores/postgres/migrate.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { createFixture } from "../../contract/ledger/fixture.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";
import { openNetwork } from "../../support/postgres-proxy.ts";

/** A PostgreSQL that syncs as in production, with faults in the network and in the server. */
export type FaultyServer = { server: Postgres; newDatabase(): Promise<string> };

export async function startFaulty(settings: Record<string, string> = {}): Promise<FaultyServer> {
  const server = await startPostgres(settings);
  const template = await server.createDatabase();
  const pool = openPostgresPool(template, { max: 1 });
  await migratePostgres(pool);
  await pool.close();
  const name = new URL(template).pathname.slice(1);
  return { server, newDatabase: () => server.createDatabase(name) };
}

/** The ledger of one node behind a network, and an operator's connection that bypasses it. */
export async function openFaulty(
  t: TestContext,
  { server, newDatabase }: FaultyServer,
  user = "postgres",
) {
  const direct = await newDatabase();
  const network = await openNetwork(server.port);
  const url = new URL(direct);
  url.port = String(network.port);
  url.username = user;
  const pool = openPostgresPool(url.href, { max: 6 });
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
  /** The next `times` debits fail with this code, as on a real server. The count survives the rollback. */
  const failDebits = (code: string, times: number) =>
    asOperator(`CREATE SEQUENCE IF NOT EXISTS failures; SELECT setval('failures', 1, false);
      CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
        IF nextval('failures') <= ${times} THEN RAISE EXCEPTION 'made to fail' USING ERRCODE = '${code}'; END IF;
        RETURN NULL;
      END $f$;
      CREATE OR REPLACE TRIGGER failing AFTER INSERT ON debit FOR EACH STATEMENT EXECUTE FUNCTION fail()`);

  const fixture = createFixture({ ledger });
  return { ...fixture, network, direct, pool, waiting, openSession, asOperator, rows, failDebits };
}

/** The result of an order: its outcome or its error. */
export const settled = <Outcome>(order: Promise<Outcome>): Promise<Outcome | Error> =>
  order.catch((error: Error) => error);
