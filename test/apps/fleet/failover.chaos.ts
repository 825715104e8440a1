import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { copyFolder, type Postgres, startPostgres } from "../../support/postgres.ts";
import { openNetwork } from "../../support/postgres-proxy.ts";
import {
  assertAccounted,
  type Customer,
  openCustomer,
  settle,
  startCalls,
  sumOf,
} from "./customers.ts";
import { type FleetNode, openAccounts, startNode } from "./fixture.ts";

/**
 * The primary is lost permanently and its synchronous standby takes over: the ledger has every response that a customer
 * received, and the nodes continue by themselves.
 */
const CUSTOMERS = 3;

async function ask<Row>(server: Postgres, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server.url("postgres") });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** Starts a primary that acknowledges commits only after its standby has written them to disk. */
async function startPair(t: TestContext) {
  const primary = await startPostgres();
  t.after(() => primary.dispose());
  const direct = await primary.createDatabase();
  await primary.stop("fast");
  const folder = copyFolder(primary.folder, "standby.signal");
  await primary.start();
  const standby = await startPostgres(
    {
      primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`,
      wal_retrieve_retry_interval: "100ms",
    },
    { folder },
  );
  t.after(() => standby.dispose());
  await ask(primary, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  await ask(primary, "SELECT pg_reload_conf()");
  const state = "SELECT sync_state FROM pg_stat_replication";
  while ((await ask<{ sync_state: string }>(primary, state))[0]?.sync_state !== "sync")
    await wait(20);
  return { primary, standby, database: new URL(direct).pathname.slice(1) };
}

/** Starts two nodes, a network that connects them to the primary, and customers who call without a pause. */
async function openFleet(t: TestContext) {
  const { primary, standby, database } = await startPair(t);
  const network = await openNetwork(primary.port);
  t.after(() => network.close());
  const url = new URL(primary.url(database));
  url.port = String(network.port);
  const env = { DATABASE_URL: url.href, TOOLBOOTH_LOG_LEVEL: "silent" };
  const nodes = await Promise.all([startNode(t, env), startNode(t, env)]);
  const baseOf = (caller: number) => (nodes[caller % 2] as FleetNode).base;
  const accountDeps = await openAccounts(t, url.href);
  const customers: Customer[] = [];
  for (let no = 0; no < CUSTOMERS; no += 1)
    customers.push(await openCustomer(accountDeps, baseOf(no), `c${no}`));
  const calls = startCalls(t, customers, "failover", baseOf);
  const until = async (status: number) => {
    for (const { base } of nodes)
      while ((await fetch(`${base}/readyz`)).status !== status) await wait(20);
  };
  async function promote(): Promise<void> {
    await ask(standby, "ALTER SYSTEM RESET synchronous_standby_names");
    await ask(standby, "SELECT pg_promote()");
  }
  /** Checks that the ledger has every response, and that calls with an unknown outcome were reversed. */
  async function assertNothingLost(): Promise<void> {
    await calls.reach(200);
    await calls.stop();
    await until(200);
    for (const customer of customers) {
      await assertAccounted(
        accountDeps,
        customer,
        customer.broken + sumOf(customer.refused.values()),
      );
      await settle(baseOf(0), customer);
    }
    for (const node of nodes) assert.equal((await node.end("SIGTERM")).code, 0);
    for (const customer of customers) await assertAccounted(accountDeps, customer, customer.broken);
    const { faults, totals } = await accountDeps.ledger.audit({ now: Date.now() });
    assert.deepEqual(faults, []);
    const refused = sumOf(customers.flatMap((customer) => [...customer.refused.values()]));
    const responded = sumOf(customers.map(({ left }) => left.length));
    t.diagnostic(JSON.stringify({ responded, refused, ...totals }));
  }
  return { primary, standby, network, customers, calls, until, promote, assertNothingLost };
}

test("when the primary dies under load and its synchronous standby takes over, no acknowledged debit is lost and the nodes continue", async (t) => {
  const fleet = await openFleet(t);
  await fleet.calls.reach(200);
  await fleet.primary.stop("immediate");
  // The network connects to the standby before its promotion. It rejects writes, and the nodes report that.
  fleet.network.leadTo(fleet.standby.port);
  await fleet.until(503);
  await fleet.promote();
  await fleet.assertNothingLost();
});

test("when the standby is unavailable and waiting commits are canceled, nothing is acknowledged, and nothing is lost when the primary dies", async (t) => {
  const { primary, standby, customers, ...fleet } = await openFleet(t);
  await fleet.calls.reach(200);
  await standby.stop("immediate");
  await fleet.until(503);
  const responses = () => sumOf(customers.map(({ left }) => left.length));
  const before = responses();
  let cancelled = 0;
  while (cancelled < 20) {
    const waiting = await ask(
      primary,
      "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
    );
    cancelled += waiting.length;
    await wait(20);
  }
  assert.equal(responses(), before, "only the primary has these debits");
  await primary.stop("immediate");
  await standby.start();
  fleet.network.leadTo(standby.port);
  await fleet.promote();
  await fleet.assertNothingLost();
});
