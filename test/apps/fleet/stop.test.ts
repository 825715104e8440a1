import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { startServer, temporaryFolder } from "../../http/server-process.ts";
import { openAccounts } from "../../support/fleet.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";
import { openNetwork } from "../../support/postgres-proxy.ts";
import { openCustomer } from "./customers.ts";

/** A node that stops or starts while its PostgreSQL is unavailable. */
let server: Postgres;
before(async () => {
  server = await startPostgres({ fsync: "off", full_page_writes: "off" });
});
after(() => server?.dispose());

test("a node that stops while the database is unavailable stores its pending reversals and makes them at the next start", {
  timeout: 300_000,
}, async (t) => {
  const direct = await server.createDatabase();
  const network = await openNetwork(server.port);
  t.after(() => network.close());
  const url = new URL(direct);
  url.port = String(network.port);
  const env = { DATABASE_URL: url.href, RATE_LIMIT: "0", DATA_DIR: temporaryFolder(t) };
  const node = await startServer(t, env);
  const accountDeps = await openAccounts(t, direct);
  const { account, key } = await openCustomer(accountDeps, node.base, "ada");
  const balance = async () =>
    (await accountDeps.ledger.credits({ account, now: Date.now() })).balance;
  const credits = await balance();

  network.loseCommits(1);
  network.leadTo(1);
  const headers = { Authorization: `Bearer ${key}` };
  const calls = Array.from({ length: 20 }, () =>
    fetch(`${node.base}/api/v1/uuid`, { method: "POST", headers }),
  );
  while (network.lost() === 0) await wait(1);
  network.cut();
  await wait(300);
  const ended = node.end("SIGTERM");
  for (const response of await Promise.all(calls)) {
    assert.equal(response.status, 503);
    await response.text();
  }
  assert.deepEqual(await ended, { code: 0, signal: null });
  const owed = credits - (await balance());
  assert.ok(owed >= 1, "debited, and refused");
  assert.ok(existsSync(path.join(env.DATA_DIR, "reversals.sqlite")));
  const logged = node.written().match(/Call call_\w+ of acc_\w+ at \d+ was not reversed/g) ?? [];
  assert.ok(logged.length >= owed && new Set(logged).size === logged.length, node.written());

  network.leadTo(server.port);
  const again = await startServer(t, env);
  while ((await balance()) < credits) await wait(20);
  assert.equal(await balance(), credits);
  await accountDeps.ledger
    .audit({ now: Date.now() })
    .then(({ faults }) => assert.deepEqual(faults, []));
  assert.deepEqual(await again.end("SIGTERM"), { code: 0, signal: null });
});

test("a node that starts before its database waits for it and logs that", {
  timeout: 300_000,
}, async (t) => {
  const direct = new URL(await server.createDatabase());
  const network = await openNetwork(1);
  t.after(() => network.close());
  direct.port = String(network.port);
  const starting = startServer(t, { DATABASE_URL: direct.href, DATA_DIR: temporaryFolder(t) });
  while (network.connections() < 3) await wait(20);
  network.leadTo(server.port);
  const node = await starting;
  assert.match(
    node.written(),
    /PostgreSQL does not respond at the address in DATABASE_URL\. Start it or correct the address\. Waiting up to \d+ s for it\./,
  );
  assert.equal((await fetch(`${node.base}/readyz`)).status, 200);
  assert.deepEqual(await node.end("SIGTERM"), { code: 0, signal: null });
});
