import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { accountPart } from "#ids.ts";
import { OBJECT_MIGRATIONS } from "#stores/durable-object/schema.ts";
import { eventually } from "../../http/test-api.ts";
import { INCOMPATIBLE } from "../../stores/other-version.ts";
import { type EdgeAccount, openEdgeAccount } from "./edge-ledger.ts";
import { sharedWorker, type WorkerFixture } from "./fixture.ts";
import type { Deployment, Release } from "./worker-of-releases.ts";

/**
 * Workers and objects of different releases at the same time: after a deployment or a rollback, the platform keeps the old code in an
 * active object for minutes. The rules are in `src/stores/durable-object/rpc.ts`.
 */
const RELEASES: readonly Release[] = ["previous", "this", "next"];
const TURNS: readonly Release[] = ["previous", "this", "next", "this", "previous"];

const OPTIONS = { entry: "worker-of-releases.ts", beside: { unsafeInspectDurableObjects: true } };
let worker: WorkerFixture;
before(async () => {
  worker = await sharedWorker(OPTIONS);
});

/** Deploys objects: those that run are evicted, and start with the new code. */
async function deploy(objects: Release, more: Partial<Deployment> = {}): Promise<void> {
  const standard = { migrations: [], isRude: false, resets: false };
  const deployment: Deployment = { ...standard, objects, ...more };
  await fetch(`${worker.base}/test/deploy`, { method: "POST", body: JSON.stringify(deployment) });
  const { miniflare } = worker;
  for (const id of await miniflare.listDurableObjectIds("LEDGER")) {
    await miniflare
      .unsafeEvictDurableObject("edge", "AccountLedger", { id })
      .catch((error: Error) => assert.match(error.message, /not currently running/));
  }
}

async function openAccount(objects: Release = "this", credits = 100): Promise<EdgeAccount> {
  await deploy(objects);
  return openEdgeAccount(worker, credits);
}

const as = (release: Release) => ({ "x-test-release": release });
const call = ({ key }: { key: string }, headers: Record<string, string> = {}) =>
  worker.post(key, "hash", '{"text":"a"}', headers);
const readyz = async (release: Release = "this") =>
  (await fetch(`${worker.base}/readyz`, { headers: as(release) })).status;
const balanceOf = async ({ account }: EdgeAccount) =>
  (await worker.ledger.credits({ account, now: Date.now() })).balance;

/** That no Worker has asked for a reversal since the deployment, or stored one. */
async function assertNoReversal(what = "no reversal") {
  const found = await (await fetch(`${worker.base}/test/reversals`)).json();
  assert.deepEqual(found, { asked: 0, stored: 0 }, what);
}

/** Uses something that is new in a release. */
async function tryNew({ account }: EdgeAccount, name: string, order: object = {}) {
  const object = accountPart(account);
  const body = JSON.stringify({ object, name, order: { account, now: Date.now(), ...order } });
  const response = await fetch(`${worker.base}/test/new`, { method: "POST", body });
  return (await response.json()) as {
    value?: unknown;
    isNotCarriedOut?: boolean;
    message?: string;
  };
}

/** A call, a repeated call, a rejected one and a free one, and that each costs what it should. Returns the new balance. */
async function callEverything(
  release: Release,
  caller: EdgeAccount,
  balance: number,
  what: string,
): Promise<number> {
  const plain = await call(caller, as(release));
  assert.equal(plain.status, 200, `${what}: ${await plain.text()}`);
  assert.equal(plain.headers.get("credits-remaining"), String(balance - 1), what);
  const headers = { ...as(release), "idempotency-key": what.replaceAll(" ", "-") };
  const first = await call(caller, headers);
  const repeated = await call(caller, headers);
  assert.deepEqual([first.status, repeated.status], [200, 200], what);
  assert.equal(repeated.headers.get("idempotency-replayed"), "true", what);
  assert.equal(await first.text(), await repeated.text(), what);
  assert.equal((await call({ key: `${caller.key.slice(0, -1)}_` }, as(release))).status, 401, what);
  const authorization = `Bearer ${caller.key}`;
  const status = await fetch(`${worker.base}/api/v1/account`, {
    headers: { authorization, ...as(release) },
  });
  const told = (await status.json()) as { balance: number };
  assert.deepEqual([status.status, told.balance], [200, balance - 2], what);
  assert.equal(await readyz(release), 200, what);
  return balance - 2;
}

test("Workers of three releases call objects of each, before, during and after a deployment and a rollback", async () => {
  const caller = await openAccount("previous");
  let balance = 100;
  for (const [turn, objects] of TURNS.entries()) {
    await deploy(objects);
    for (const release of RELEASES) {
      const what = `Worker of the ${release} release and objects of the ${objects} one at turn ${turn}`;
      balance = await callEverything(release, caller, balance, what);
      assert.equal(await balanceOf(caller), balance, what);
      const audit = await worker.ledger.audit({ account: caller.account, now: Date.now() });
      assert.equal(audit.ok, true, what);
      await assertNoReversal(what);
    }
  }
  await deploy("this");
  const { value: rows } = await tryNew(caller, "notes");
  assert.deepEqual(rows, [{ note: "by the next release" }], "rows of the next release stay");
});

test("an object does not carry out what it does not know, and no reversal is queued", async () => {
  const caller = await openAccount();
  const reversal = { callId: "call_1", at: Date.now() };
  for (const name of ["operation", "kind", "method"]) {
    const { isNotCarriedOut, message } = await tryNew(caller, name);
    assert.equal(isNotCarriedOut, true, `${name}: ${message}`);
    assert.match(message ?? "", /a release that does not know the (operation|call|method) hold/);
  }
  assert.equal(await readyz(), 503, "a kind of call that the object lacks fails calls");
  const { value } = await tryNew(caller, "reversals", reversal);
  assert.deepEqual(value, [{ reversed: false }]);

  await deploy("next");
  for (const name of ["operation", "kind", "method"])
    assert.ok((await tryNew(caller, name)).value, name);
  assert.equal(await readyz(), 200);

  await deploy("previous");
  const told = await tryNew(caller, "reversals", reversal);
  assert.equal(told.isNotCarriedOut, true, JSON.stringify(told));
  assert.match(told.message ?? "", /does not know the method performAll/);
  assert.equal(await readyz(), 200, "calls do not need the method");
  await assertNoReversal();
});

test("when an object gets other code during a call, the Worker repeats the call, which is charged once", async () => {
  const caller = await openAccount();
  await deploy("next", { resets: true });
  for (const left of ["99", "98"]) {
    const response = await call(caller);
    assert.deepEqual([response.status, response.headers.get("credits-remaining")], [200, left]);
  }
  await assertNoReversal();
});

describe("an outcome that a Worker does not know", () => {
  test("is sent only to an order that asks for it", async () => {
    const caller = await openAccount();
    await deploy("next");
    assert.equal((await call(caller)).status, 200);
    const { message } = await tryNew(caller, "outcome");
    assert.match(message ?? "", /does not know the outcome on_hold/);
  });

  test("fails the call with 503, without a charge or a reversal, and /readyz reports it", async () => {
    const caller = await openAccount();
    await deploy("next", { isRude: true });
    assert.equal(await readyz(), 200, "the problem is not known yet");
    await assertUncharged(caller);
    await eventually("/readyz reports it", async () => (await readyz()) === 503);
    await assertNoReversal();
    assert.equal(await balanceOf(caller), 100);
  });
});

/** A call that fails in a way that tells the client that it was not charged, and says nothing about the database. */
async function assertUncharged(caller: EdgeAccount) {
  const response = await call(caller);
  assert.equal(response.status, 503);
  assert.ok(Number(response.headers.get("retry-after")) > 0);
  const text = await response.text();
  assert.doesNotMatch(text, /schema|no such table|disk I\/O/);
  const problem = JSON.parse(text) as Record<string, unknown>;
  assert.deepEqual([problem["code"], problem["charged"]], ["unavailable", undefined]);
}

describe("an object that cannot start", () => {
  // Without the migration of the next release, which other tests run on the object of /readyz.
  before(async () => {
    worker = await sharedWorker({ ...OPTIONS, texts: { RATE_LIMIT: "0" } });
  });

  /** Waits until the eviction has ended. A call that it interrupts is repeated, and then has an unknown outcome. */
  const isEvicted = (caller: EdgeAccount) => balanceOf(caller).catch(() => null);

  test("because its migration fails rejects calls without charging them, is left unchanged, and continues with other code", async () => {
    const caller = await openAccount("this", 9);
    const sql = "CREATE TABLE extra (id INTEGER); INSERT INTO missing VALUES (1)";
    const wrong = { name: "extra", sql, readableFrom: 1 };
    const logged = worker.log.length;
    await deploy("this", { migrations: [wrong] });
    await isEvicted(caller);
    assert.equal(await readyz(), 503, "its own object cannot start either");
    for (let tries = 0; tries < 3; tries += 1) await assertUncharged(caller);
    await assertNoReversal();
    assert.match(
      worker.log.slice(logged).join("\n"),
      /This version cannot use the ledger.+no such table: missing/,
    );
    // The migration would fail if the table had been left behind.
    const fixed = { ...wrong, sql: "CREATE TABLE extra (id INTEGER)" };
    for (const migrations of [[], [fixed], []]) {
      await deploy("this", { migrations });
      assert.deepEqual([await balanceOf(caller), await readyz()], [9, 200]);
    }
  });

  // The last one: the alarms of its object report to /readyz from then on.
  test("after a rollback over a migration that older code cannot read rejects calls uncharged, /readyz and the log report it, and the newer release continues later", async () => {
    const caller = await openAccount("this", 9);
    assert.equal(await readyz(), 200);
    // The newer release migrates only this account's object, and not the one of /readyz.
    await deploy("this", { migrations: [INCOMPATIBLE] });
    await worker.ledger.listKeys({ account: caller.account });
    const logged = worker.log.length;
    await deploy("this");
    await isEvicted(caller);
    for (let tries = 0; tries < 3; tries += 1) await assertUncharged(caller);
    // A report that was lost is repeated with a later call.
    await eventually("/readyz reports it", async () => {
      await assertUncharged(caller);
      return (await readyz()) === 503;
    });
    await assertNoReversal();
    assert.match(
      worker.log.slice(logged).join("\n"),
      new RegExp(
        `This version cannot use the ledger.+schema version ${OBJECT_MIGRATIONS.length + 1},`,
      ),
    );
    // /readyz would migrate its own object too, which other tests use.
    await deploy("this", { migrations: [INCOMPATIBLE] });
    const found = await worker.ledger.findAccount({ account: caller.account, now: Date.now() });
    assert.equal(found?.balance, 9);
  });
});
