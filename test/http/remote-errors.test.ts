import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { makeKey } from "#accounts/key-format.ts";
import { createRecentAccounts, RECENT_MS, RECENT_NAMES_MAX } from "#ledger/recent-names.ts";
import { fixedToolContext } from "../support/tool-context.ts";
import { openChanged } from "./in-process.ts";
import { openRemoteInProcess } from "./remote-in-process.ts";
import { type Caller, createCaller, createKey, SECRETS } from "./test-api.ts";

/**
 * With a remote ledger a call fails after its body was read and its tool was run. Where an account was refused a
 * moment ago, the ledger is asked first: then an error costs neither, and a call that is good after all has two round trips.
 */
const SMALL = JSON.stringify({ text: "a" });
const LARGE = JSON.stringify({ text: "a".repeat(400_000) });

async function openFixture(t: TestContext, rateLimit = 100_000) {
  const { digest } = fixedToolContext();
  let runs = 0;
  // The tool that is called takes one digest.
  const counting = (...given: Parameters<typeof digest>) => {
    runs += 1;
    return digest(...given);
  };
  const settings = { rateLimit, fixed: true } as const;
  const service = await openChanged(t, { digest: counting }, settings, openRemoteInProcess);
  return {
    service,
    async call(key: string, body: string | Uint8Array, more: Record<string, string> = {}) {
      const before = { runs, roundTrips: await service.roundTrips() };
      const headers = { authorization: `Bearer ${key}`, ...more };
      const response = await service.send("/api/v1/hash", { method: "POST", headers, body });
      return {
        status: response.status,
        runs: runs - before.runs,
        bodies: /\bbody;/.test(response.header("server-timing") ?? "") ? 1 : 0,
        roundTrips: (await service.roundTrips()) - before.roundTrips,
        response,
      };
    },
  };
}

type Cost = Awaited<ReturnType<Awaited<ReturnType<typeof openFixture>>["call"]>>;

const costOf = ({ status, runs, bodies, roundTrips }: Cost) => ({
  status,
  runs,
  bodies,
  roundTrips,
});
const atOnce = (status: number) => ({ status, runs: 0, bodies: 0, roundTrips: 1 });
const afterAll = (status: number, roundTrips = 1) => ({ status, runs: 1, bodies: 1, roundTrips });

/** Well-formed, with the account and the tag that everyone sees in a list of keys, and nobody's. */
const forged = ({ account }: Caller) => makeKey(account, SECRETS, randomBytes);

test("after an unknown key, the service reads no body and runs no tool for further ones", async (t) => {
  const { service, call } = await openFixture(t);
  const caller = await createCaller(service);
  assert.deepEqual(costOf(await call(caller.key, SMALL)), afterAll(200));
  assert.deepEqual(costOf(await call(forged(caller), LARGE)), afterAll(401));
  for (let round = 0; round < 10; round += 1) {
    for (const body of [SMALL, LARGE, "{"]) {
      assert.deepEqual(costOf(await call(forged(caller), body)), atOnce(401));
      assert.deepEqual(costOf(await call(caller.key, LARGE)), afterAll(200));
    }
  }
  await service.advance(RECENT_MS);
  assert.deepEqual(costOf(await call(forged(caller), SMALL)), afterAll(401));
});

test("after forged keys, a valid key that is new here is checked first, once", async (t) => {
  const { service, call } = await openFixture(t);
  const caller = await createCaller(service);
  const other = await createKey(service, caller.account);
  await call(forged(caller), SMALL);
  assert.deepEqual(costOf(await call(caller.key, SMALL)), afterAll(200, 2));
  assert.deepEqual(costOf(await call(caller.key, LARGE)), afterAll(200));
  const refused = await call(other.key, "{");
  assert.deepEqual(costOf(refused), { status: 400, runs: 0, bodies: 1, roundTrips: 1 });
  assert.equal(await caller.balance(), 98);
});

test("a revoked key that was valid here gets one more tool run", async (t) => {
  const { service, call } = await openFixture(t);
  const caller = await createCaller(service);
  assert.deepEqual(costOf(await call(caller.key, LARGE)), afterAll(200));
  await service.ledger.revokeKey({ ...caller, id: caller.keyId, now: await service.now() });
  assert.deepEqual(costOf(await call(caller.key, LARGE)), afterAll(401));
  for (const body of [LARGE, SMALL]) {
    assert.deepEqual(costOf(await call(caller.key, body)), atOnce(401));
  }
});

test("after 402 and 403 the next large call is rejected before its body is read", async (t) => {
  const { service, call } = await openFixture(t);
  const [poor, left] = [await createCaller(service, { credits: 0 }), await createCaller(service)];
  const now = await service.now();
  await service.ledger.changeAccount({ account: left.account, now, state: "suspended" });
  for (const [caller, status] of [
    [poor, 402],
    [left, 403],
  ] as const) {
    for (let round = 0; round < 3; round += 1) {
      const first = round === 0;
      const large = costOf(await call(caller.key, LARGE));
      assert.deepEqual(large, first ? afterAll(status) : atOnce(status));
      // A small one costs less than another round trip.
      assert.deepEqual(costOf(await call(caller.key, SMALL)), afterAll(status));
    }
  }
  await poor.grant(2);
  await service.ledger.changeAccount({ account: left.account, now, state: "open" });
  for (const caller of [poor, left]) {
    assert.deepEqual(costOf(await call(caller.key, LARGE)), afterAll(200, 2));
    assert.deepEqual(costOf(await call(caller.key, SMALL)), afterAll(200));
  }
});

test("a compressed body is treated like a large one", async (t) => {
  const { service, call } = await openFixture(t);
  const poor = await createCaller(service, { credits: 0 });
  const zipped = { "content-encoding": "gzip" };
  assert.deepEqual(costOf(await call(poor.key, gzipSync(LARGE), zipped)), afterAll(402));
  const again = costOf(await call(poor.key, gzipSync(LARGE), zipped));
  assert.deepEqual(again, atOnce(402));
});

test("after 429, large calls are rejected before their bodies are read until the rate allows them", async (t) => {
  const { service, call } = await openFixture(t, 1);
  const caller = await createCaller(service);
  for (const status of [200, 200, 429]) {
    assert.deepEqual(costOf(await call(caller.key, LARGE)), afterAll(status));
  }
  assert.deepEqual(costOf(await call(caller.key, LARGE)), atOnce(429));
  await service.advance(1_000);
  assert.deepEqual(costOf(await call(caller.key, LARGE)), afterAll(200, 2));
  assert.deepEqual(costOf(await call(caller.key, LARGE)), atOnce(429));
});

test("a call whose key is checked first counts once", async (t) => {
  const { service, call } = await openFixture(t, 2);
  const caller = await createCaller(service);
  const left: (string | null)[] = [];
  for (let round = 0; round < 4; round += 1) {
    assert.equal((await call(forged(caller), SMALL)).status, 401);
    const { key } = await createKey(service, caller.account);
    const { response, roundTrips } = await call(key, SMALL);
    assert.deepEqual([response.status, roundTrips], [200, 2]);
    left.push(/r=(\d+)/.exec(response.header("ratelimit") ?? "")?.[1] ?? null);
  }
  assert.deepEqual(left, ["3", "2", "1", "0"]);
  assert.equal((await call(caller.key, SMALL)).status, 429);
});

test("without credits a large repeat succeeds, and a call with another idempotency key is 402", async (t) => {
  const { service, call } = await openFixture(t);
  const caller = await createCaller(service, { credits: 1 });
  const once = { "idempotency-key": "once" };
  assert.equal((await call(caller.key, LARGE, once)).status, 200);
  assert.equal((await call(caller.key, LARGE)).status, 402);
  const early = { status: 402, runs: 0, bodies: 0, roundTrips: 1 };
  for (const key of ["twice", "once more"]) {
    const { response: _, ...cost } = await call(caller.key, LARGE, { "idempotency-key": key });
    assert.deepEqual(cost, early);
  }
  const again = await call(caller.key, LARGE, once);
  assert.deepEqual([again.status, again.roundTrips], [200, 2]);
  assert.equal(again.response.header("idempotency-replayed"), "true");
});

test("an unreachable ledger is 503 when the key is checked first", async (t) => {
  const { service, call } = await openFixture(t);
  const caller = await createCaller(service);
  await call(forged(caller), SMALL);
  await service.trouble("refuse_all");
  const { status, runs } = await call(caller.key, LARGE);
  assert.deepEqual([status, runs], [503, 0]);
  await service.trouble("none");
  assert.equal((await call(caller.key, LARGE)).status, 200);
  assert.equal(await caller.balance(), 99);
});

test("only the most recent accounts are remembered", () => {
  let now = 0;
  const recent = createRecentAccounts(() => now);
  const names = Array.from({ length: 3 * RECENT_NAMES_MAX }, (_, index) => `acc_${index}`);
  for (const name of names) recent.add(name);
  const kept = names.filter(recent.has);
  assert.ok(kept.length >= RECENT_NAMES_MAX / 2 && kept.length <= RECENT_NAMES_MAX);
  assert.deepEqual(kept, names.slice(-kept.length));
  for (const name of names.slice(-10)) recent.add(name);
  assert.equal(names.filter(recent.has).length, kept.length, "an account takes one place");
  now = RECENT_MS;
  assert.equal(names.some(recent.has), false);
});

test("after a key that its limits reject, the service does no costly work for it, and other keys work", async (t) => {
  const { service, call } = await openFixture(t);
  const limited = [
    [401, { expiresAt: 1 }],
    [403, { tools: ["uuid"] }],
    [403, { networks: ["203.0.113.0/24"] }],
    [402, { budgets: { total: 1, month: null, day: null } }],
  ] as const;
  for (const [status, limits] of limited) {
    const caller = await createCaller(service);
    const { key } = await createKey(service, caller.account, limits);
    if (status === 402) assert.equal((await call(key, SMALL)).status, 200);
    assert.deepEqual(costOf(await call(key, LARGE)), afterAll(status), JSON.stringify(limits));
    for (let round = 0; round < 3; round += 1)
      assert.deepEqual(costOf(await call(key, LARGE)), atOnce(status), JSON.stringify(limits));
    assert.equal((await call(caller.key, SMALL)).status, 200);
  }
});
