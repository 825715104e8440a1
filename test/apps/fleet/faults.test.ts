import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createKey, openAccount } from "#accounts/accounts.ts";
import { startServer, temporaryFolder } from "../../http/server-process.ts";
import { openAccounts } from "../../support/fleet.ts";
import { startPostgres } from "../../support/postgres.ts";
import { openNetwork } from "../../support/postgres-proxy.ts";

/** Responses to callers and probes while a node's PostgreSQL fails: 503 with Retry-After, or a correct response. */
test("a call succeeds correctly or gets 503 whatever PostgreSQL does, and /readyz reports the state", {
  timeout: 300_000,
}, async (t) => {
  const server = await startPostgres();
  t.after(() => server.dispose());
  const direct = await server.createDatabase();
  const network = await openNetwork(server.port);
  t.after(() => network.close());
  const url = new URL(direct);
  url.port = String(network.port);
  const env = { DATABASE_URL: url.href, RATE_LIMIT: "0", TOOLBOOTH_LOG_LEVEL: "silent" };
  const node = await startServer(t, { ...env, DATA_DIR: temporaryFolder(t) });
  const accountDeps = await openAccounts(t, direct);
  const open = async (name: string) => {
    const now = Date.now();
    const { account } = await openAccount(accountDeps, `${name}@example.com`, now);
    const grant = { id: "all", kind: "operator", amount: 100, expiresAt: null } as const;
    await accountDeps.ledger.grant({ ...grant, account, now });
    return { account, key: (await createKey(accountDeps, account, "test", now)).key };
  };
  const [ada, bob] = [await open("ada"), await open("bob")];

  const call = async ({ key }: { key: string }) => {
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch(`${node.base}/api/v1/uuid`, { method: "POST", headers });
    await response.text();
    if (response.status !== 200) assert.ok(Number(response.headers.get("retry-after")) > 0);
    return { status: response.status, left: Number(response.headers.get("credits-remaining")) };
  };
  const readyz = async () => {
    const response = await fetch(`${node.base}/readyz`);
    said = ((await response.json()) as { detail?: string }).detail;
    if (response.status !== 200) assert.ok(Number(response.headers.get("retry-after")) > 0);
    return response.status;
  };
  /** The detail of the last response of `/readyz`. */
  let said: string | undefined;
  const until = async (status: number) => {
    while ((await readyz()) !== status) await wait(20);
  };
  for (const each of [ada, bob]) assert.deepEqual(await call(each), { status: 200, left: 100 });

  await t.test("the response to a commit is lost", async () => {
    network.loseCommits(1);
    assert.deepEqual(await call(ada), { status: 200, left: 99 });
    assert.equal(network.lost(), 1);
    assert.equal(await readyz(), 200);
  });

  await t.test("no server listens", async () => {
    await server.stop("immediate");
    assert.equal((await call(ada)).status, 503);
    await until(503);
    assert.equal(said, "Calls fail: the database is out of reach.");
    await server.start();
    await until(200);
    assert.deepEqual(await call(ada), { status: 200, left: 98 });
  });

  await t.test("the server is read-only", async () => {
    await accountDeps.pool.once(
      "write",
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
      $f$ BEGIN RAISE EXCEPTION 'read-only' USING ERRCODE = '25006'; END $f$`,
    );
    for (const table of ["debit", "setting"])
      await accountDeps.pool.once(
        "write",
        `CREATE TRIGGER failing BEFORE INSERT OR UPDATE ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION fail()`,
      );
    assert.equal((await call(ada)).status, 503);
    await until(503);
    assert.equal(said, "Calls fail: the database is a standby or read-only.");
    await accountDeps.pool.once("write", "DROP FUNCTION fail CASCADE");
    await until(200);
    assert.deepEqual(await call(ada), { status: 200, left: 97 });
  });

  await t.test("another session holds a lock on an account", async () => {
    await accountDeps.pool.transaction("upkeep", async (query) => {
      // Another session, which may stay idle.
      await query("SET LOCAL idle_in_transaction_session_timeout = 0");
      await query("SELECT 1 FROM account WHERE id = $1 FOR UPDATE", [ada.account]);
      const [held, other] = await Promise.all([call(ada), call(bob)]);
      assert.equal(held.status, 503);
      assert.deepEqual(other, { status: 200, left: 99 });
      assert.equal(await readyz(), 200);
    });
    assert.deepEqual(await call(ada), { status: 200, left: 96 });
  });

  await t.test("the network drops everything", async () => {
    network.swallow(true);
    const refused = call(ada);
    await until(503);
    assert.equal(said, "Calls fail: the database does not respond in time.");
    assert.equal((await refused).status, 503);
    network.swallow(false);
    await until(200);
    // Rejected calls are reversed if they were charged.
    assert.deepEqual(await call(ada), { status: 200, left: 95 });
  });

  assert.deepEqual((await accountDeps.ledger.audit({ now: Date.now() })).faults, []);
  assert.equal((await node.end("SIGTERM")).code, 0);
});
