import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { type KeyStatus, NotCarriedOut } from "#ledger/port.ts";
import { createPostgresKeyStatus } from "#stores/postgres/calls.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { createFixture, keySha256, START } from "../../../contract/ledger/fixture.ts";
import { openNetwork } from "../../../support/postgres-proxy.ts";
import { borrowDatabase, openOnly } from "../fixture.ts";
import { PATIENT } from "./fixture.ts";

/** How orders share a node's few connections. */
test(
  "a batch of debits has a reserved connection, however many orders wait for one",
  PATIENT,
  async (t) => {
    const pool = openPostgresPool(await borrowDatabase(t), { max: 3, reserved: 1 });
    t.after(() => pool.close());
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    // Two orders hold their connections, and the others wait; they would hold theirs too.
    const holders = Array.from({ length: 10 }, () => pool.transaction("report", () => released));
    for (const holder of holders) holder.catch(() => {});
    while (pool.connections.totalCount < 2 || pool.connections.idleCount > 0) await wait(5);
    for (let batch = 0; batch < 20; batch += 1)
      assert.deepEqual(await pool.once("batch", "SELECT 2 AS two"), [{ two: 2 }]);
    assert.equal(pool.connections.totalCount, 3);
    release();
    await Promise.allSettled(holders);
  },
);

test(
  "an order that waits too long for a connection is rejected, and its turn goes to the next one",
  PATIENT,
  async (t) => {
    const pool = openPostgresPool(await borrowDatabase(t), { max: 2, reserved: 1 });
    t.after(() => pool.close());
    for (let round = 0; round < 2; round += 1) {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const holding = pool.transaction("report", () => released);
      while (pool.connections.totalCount === 0 || pool.connections.idleCount > 0) await wait(5);
      await assert.rejects(pool.once("read", "SELECT 1"), NotCarriedOut);
      const next = pool.once("read", "SELECT 1 AS one");
      release();
      await holding;
      assert.deepEqual(await next, [{ one: 1 }]);
    }
  },
);

test(
  "an idle node keeps two connections, and works with them if other clients use up the rest",
  PATIENT,
  async (t) => {
    const direct = await borrowDatabase(t);
    const asOperator = async (sql: string) => {
      const client = new pg.Client({ connectionString: direct });
      await client.connect();
      const { rows } = await client.query(sql);
      await client.end();
      return rows;
    };
    await asOperator("CREATE ROLE rester LOGIN IN ROLE pg_read_all_data");
    const url = new URL(direct);
    url.username = "rester";
    const pool = openPostgresPool(url.href, { max: 6, min: 2 });
    t.after(() => pool.close());
    const { connections } = pool;
    connections.options.idleTimeoutMillis = 20;
    const opened = () =>
      asOperator("SELECT pid FROM pg_stat_activity WHERE usename = 'rester' ORDER BY pid");
    const rests = async () => {
      while (connections.totalCount !== 2 || connections.idleCount !== 2) await wait(10);
    };
    // A single order opens both connections.
    await pool.once("read", "SELECT 1");
    await rests();
    const busy = Array.from({ length: 30 }, () => pool.once("read", "SELECT pg_sleep(0.1)"));
    while (connections.totalCount < 6) await wait(5);
    await Promise.all(busy);
    await rests();
    // The server notices a moment later that the others are closed.
    let kept = await opened();
    for (; kept.length > 2; kept = await opened()) await wait(10);
    assert.equal(kept.length, 2);

    connections.options.idleTimeoutMillis = 30_000;
    await asOperator("ALTER ROLE rester CONNECTION LIMIT 2");
    const responses = Array.from({ length: 30 }, () => pool.once("read", "SELECT 1 AS one"));
    for (const rows of await Promise.all(responses)) assert.deepEqual(rows, [{ one: 1 }]);
    assert.deepEqual(await opened(), kept);

    await asOperator("ALTER ROLE rester CONNECTION LIMIT -1");
    await asOperator(`SELECT pg_terminate_backend(${kept[0].pid})`);
    while (connections.totalCount > 1) await wait(5);
    connections.options.max = 6;
    connections.options.idleTimeoutMillis = 20;
    await pool.once("read", "SELECT 1");
    await rests();
  },
);

test(
  "a report that tests whether the server is back, and gets no response, delays others by seconds only",
  PATIENT,
  async (t) => {
    const url = new URL(await borrowDatabase(t));
    const port = Number(url.port);
    const network = await openNetwork(port);
    url.port = String(network.port);
    const pool = openPostgresPool(url.href, { max: 4 });
    t.after(async () => {
      await pool.close();
      await network.close();
    });
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    network.leadTo(1);
    await assert.rejects(pool.once("read", "SELECT 1"), NotCarriedOut);
    await wait(200);
    network.leadTo(port);
    pool.connections.once("connect", () => {
      network.swallow(true);
      resolve();
    });
    const report = pool.transaction("report", (query) => query("SELECT 1"));
    await asked;
    await assert.rejects(report, NotCarriedOut);
    network.swallow(false);
    await wait(200);
    assert.deepEqual(await pool.once("read", "SELECT 1 AS one"), [{ one: 1 }]);
  },
);

test("key statuses that are requested together are read together, and each order gets its own", async (t) => {
  const node = await openOnly(t);
  const fixture = createFixture(node);
  const [good, suspended, closed, free] = await Promise.all([
    fixture.account("good", { credits: 7 }),
    fixture.account("suspended", { credits: 3 }),
    fixture.account("closed", { credits: 3 }),
    fixture.account("free", { freeCall: "open" }),
  ]);
  await fixture.grant(good, "short", 5, { expiresAt: START + 10 });
  await fixture.ledger.changeAccount({ account: suspended, now: START, state: "suspended" });
  await fixture.ledger.changeAccount({ account: closed, now: START, state: "closed" });
  let roundTrips = 0;
  const { submit, close } = createPostgresKeyStatus({
    ...node.pool,
    together(...given) {
      roundTrips += 1;
      return node.pool.together(...given);
    },
    roundTrips(mode, body) {
      return node.pool.roundTrips(mode, (send) =>
        body((message) => {
          roundTrips += 1;
          return send(message);
        }),
      );
    },
  });
  t.after(close);
  const ask = (account: string, of = account, now = START) =>
    submit({ account, keySha256: keySha256(of), now });
  const cases: [() => Promise<KeyStatus>, KeyStatus][] = [
    [() => ask(good), { outcome: "good", balance: 12, freeCall: false }],
    [() => ask(good, good, START + 10), { outcome: "good", balance: 7, freeCall: false }],
    [() => ask(free), { outcome: "good", balance: 0, freeCall: true }],
    [() => ask(suspended), { outcome: "account_suspended", balance: 3 }],
    [() => ask(closed), { outcome: "invalid_key" }],
    [() => ask(good, free), { outcome: "invalid_key" }],
    [() => ask("acc_nobody"), { outcome: "invalid_key" }],
  ];
  const all = Array.from({ length: 100 }, () => cases).flat();
  const told = await Promise.all(all.map(([act]) => act()));
  assert.deepEqual(
    told,
    all.map(([, accountState]) => accountState),
  );
  assert.ok(roundTrips <= 3, `${roundTrips} round trips for ${all.length} key statuses`);

  // PostgreSQL rejects only the order that it cannot parse.
  const odd = ["a\0b", good, good].map((account) => ask(account).catch((error: Error) => error));
  const [refused, ...others] = await Promise.all(odd);
  assert.ok(refused instanceof NotCarriedOut);
  for (const other of others) assert.deepEqual(other, cases[0]?.[1]);
});
