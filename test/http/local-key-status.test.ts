import assert from "node:assert/strict";
import { hash, randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { makeKey } from "#accounts/key-format.ts";
import type { AppContext } from "#calls/app-context.ts";
import { BAD_KEY_MS, BAD_KEYS_BURST } from "#calls/bad-keys.ts";
import { runTool as runHere, type Sources } from "#calls/run-tool.ts";
import { REPLAYS_PER_MINUTE_MAX } from "#limits.ts";
import { openChanged } from "./in-process.ts";
import {
  assertProblem,
  assertResponse,
  type Caller,
  createCaller,
  createKey,
  SECRETS,
  type TestService,
} from "./test-api.ts";

/**
 * A local ledger is asked once for a small call with a key that the node knows. It is asked about the key first where that
 * spares work: nothing large is read or run for a client that gets an error anyway.
 */
const SMALL = JSON.stringify({ text: "a" });
const LARGE = JSON.stringify({ text: "a".repeat(400_000) });

const open = (t: TestContext, rateLimit = 100_000) =>
  openChanged(t, {}, { rateLimit, fixed: true });

/** What a call asked the ledger, and whether its body was read. */
async function costOf(service: TestService, key: string, body: string | Uint8Array, more = {}) {
  const count = async () => [await service.ordered("keyStatus"), await service.ordered("debit")];
  const before = await count();
  const headers = { authorization: `Bearer ${key}`, ...more };
  const response = await service.send("/api/v1/hash", { method: "POST", headers, body });
  const [statuses, debits] = (await count()).map((after, at) => after - (before[at] as number));
  const bodies = /\bbody;/.test(response.header("server-timing") ?? "") ? 1 : 0;
  return { status: response.status, statuses, debits, bodies };
}

const digest: Sources["digest"] = (algorithm, bytes) => hash(algorithm, bytes, "buffer");

const debited = { status: 200, statuses: 0, debits: 1, bodies: 1 };
const askedFirst = { status: 200, statuses: 1, debits: 1, bodies: 1 };
const early = (status: number) => ({ status, statuses: 1, debits: 0, bodies: 0 });
const forged = ({ account }: Caller) => makeKey(account, SECRETS, randomBytes);

test("a small call with a known key makes one query; a large call or a new key is checked first", async (t) => {
  const service = await open(t);
  const { key } = await createCaller(service);
  assert.deepEqual(await costOf(service, key, SMALL), askedFirst);
  assert.deepEqual(await costOf(service, key, SMALL), debited);
  assert.deepEqual(await costOf(service, key, LARGE), askedFirst);
  const wrong = { status: 400, statuses: 1, debits: 0, bodies: 1 };
  assert.deepEqual(await costOf(service, key, "{"), wrong);
});

test("the service reads no body for an unknown key", async (t) => {
  const service = await open(t);
  const caller = await createCaller(service);
  for (const body of [SMALL, LARGE, "{"]) {
    assert.deepEqual(await costOf(service, forged(caller), body), early(401));
  }
});

test("after a burst of forged keys from one network, forged keys cost no query and valid keys work", async (t) => {
  const service = await open(t);
  const [victim, neighbor] = [await createCaller(service), await createCaller(service)];
  assert.deepEqual(await costOf(service, victim.key, SMALL), askedFirst);
  for (let key = 0; key < BAD_KEYS_BURST; key += 1) {
    assert.deepEqual(await costOf(service, forged(victim), SMALL), early(401));
  }
  const unasked = { status: 429, statuses: 0, debits: 0, bodies: 0 };
  for (let key = 0; key < 20; key += 1) {
    assert.deepEqual(await costOf(service, forged(victim), key < 10 ? SMALL : LARGE), unasked);
  }
  const headers = { authorization: `Bearer ${forged(victim)}` };
  const account = await service.send("/api/v1/account", { headers });
  assert.equal(assertProblem(account, "rate_limited").limitSource, "network");
  assert.equal(account.header("retry-after"), "3");
  assert.equal(account.header("credits-remaining"), null);
  assert.deepEqual(await costOf(service, victim.key, SMALL), debited);
  assert.deepEqual(await costOf(service, neighbor.key, SMALL), askedFirst, "it is new here");
  await service.advance(BAD_KEY_MS);
  assert.deepEqual(await costOf(service, forged(victim), SMALL), early(401));
  assert.deepEqual(await costOf(service, forged(victim), SMALL), unasked);
});

test("with a known key that was revoked, one more small body is read, but no large one", async (t) => {
  const service = await open(t);
  const revoked = async () => {
    const caller = await createCaller(service);
    await costOf(service, caller.key, SMALL);
    await service.ledger.revokeKey({ ...caller, id: caller.keyId, now: await service.now() });
    return caller.key;
  };
  assert.deepEqual(await costOf(service, await revoked(), LARGE), early(401));
  const key = await revoked();
  assert.deepEqual(await costOf(service, key, SMALL), { ...debited, status: 401 });
  assert.deepEqual(await costOf(service, key, SMALL), early(401));
});

test("the body of a large call without credits, or of a suspended account, is not read", async (t) => {
  const service = await open(t);
  const [poor, left] = [await createCaller(service, { credits: 0 }), await createCaller(service)];
  await service.ledger.changeAccount({
    account: left.account,
    now: await service.now(),
    state: "suspended",
  });
  for (const [{ key }, status] of [
    [poor, 402],
    [left, 403],
  ] as const) {
    assert.deepEqual(await costOf(service, key, SMALL), early(status));
    assert.deepEqual(await costOf(service, key, LARGE), early(status));
    assert.deepEqual(await costOf(service, key, SMALL), { ...debited, status });
  }
});

test("a compressed body is not inflated for an account without credits", async (t) => {
  const service = await open(t);
  const { key } = await createCaller(service, { credits: 0 });
  const zipped = { "content-encoding": "gzip" };
  assert.deepEqual(await costOf(service, key, SMALL), early(402));
  assert.deepEqual(await costOf(service, key, gzipSync(LARGE), zipped), early(402));
});

test("a Content-Encoding is read in linear time", async (t) => {
  const service = await open(t);
  const { key } = await createCaller(service);
  // Quadratic work on this would take an hour, not a moment.
  const encoding = `${"\u00a0".repeat(1_000_000)}x`;
  const headers = { "content-encoding": encoding };
  const cost = await costOf(service, key, SMALL, headers);
  assert.deepEqual(cost, { status: 415, statuses: 1, debits: 0, bodies: 0 });
  const spelled = { "content-encoding": " X-GZIP\t" };
  assert.equal((await costOf(service, key, gzipSync(SMALL), spelled)).status, 200);
  assert.equal((await costOf(service, key, SMALL, { "content-encoding": "Identity" })).status, 200);
});

test("MCP: with a forged key no message is read", async (t) => {
  const service = await open(t);
  const caller = await createCaller(service, { credits: 0 });
  const small = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const large = small.replace("}", `,"params":{"arguments":{"text":"${"a".repeat(400_000)}"}}}`);
  const send = (key: string, body: string) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    return service.send("/mcp", { method: "POST", headers, body });
  };
  for (const body of [small, large, "{"]) {
    const answer = await send(forged(caller), body);
    assert.deepEqual([answer.status, answer.json().code], [401, "invalid_key"]);
  }
  for (const body of [small, large]) assert.equal((await send(caller.key, body)).status, 200);
  const before = await service.ordered("keyStatus");
  assert.equal((await send(caller.key, small)).status, 200);
  assert.equal(await service.ordered("keyStatus"), before + 1, "each message asks");
});

test("an idempotency key without a stored call does not delay a 402", async (t) => {
  const service = await open(t);
  const caller = await createCaller(service, { credits: 1 });
  const once = { "idempotency-key": "once" };
  assert.deepEqual(await costOf(service, caller.key, LARGE, once), askedFirst);
  assert.deepEqual(await costOf(service, caller.key, LARGE, once), askedFirst, "a replay");
  const other = { "idempotency-key": "other" };
  assert.deepEqual(await costOf(service, caller.key, LARGE, other), early(402));
  assert.deepEqual(await costOf(service, caller.key, LARGE, { "idempotency-key": "" }), early(402));
  // The account's own error takes precedence over one of the body.
  const cost = await costOf(service, caller.key, "{", other);
  assert.deepEqual(cost, { status: 402, statuses: 1, debits: 0, bodies: 1 });
  await service.advance(24 * 3_600_000);
  assert.deepEqual(await costOf(service, caller.key, LARGE, once), early(402));
  assert.equal(await caller.balance(), 0);
});

test("a large call is replayed ten times a minute under one idempotency key; then the tool does not run", async (t) => {
  const service = await open(t);
  const caller = await createCaller(service);
  const post = (key: string, body = LARGE) =>
    caller.post("hash", { body, headers: { "Idempotency-Key": key } });
  for (const key of ["one", "two"]) {
    assertResponse(await post(key), 1);
    for (let replay = 0; replay < REPLAYS_PER_MINUTE_MAX; replay += 1) {
      const again = await post(key);
      assert.equal(again.header("idempotency-replayed"), "true");
    }
    const before = await service.ordered("debit");
    const rejected = await post(key);
    assert.equal(assertProblem(rejected, "rate_limited").limitSource, "idempotency_key");
    assert.equal(rejected.header("retry-after"), "60");
    assert.equal(rejected.header("credits-charged"), "0");
    assert.doesNotMatch(rejected.header("server-timing") ?? "", /\bbody;/);
    assert.equal(await service.ordered("debit"), before);
  }
  assertResponse(await caller.post("hash", { body: LARGE }), 1);
  // What costs little is bounded by the rate alone.
  assertResponse(await post("small", SMALL), 1);
  for (let replay = 0; replay < 2 * REPLAYS_PER_MINUTE_MAX; replay += 1) {
    assert.equal((await post("small", SMALL)).header("idempotency-replayed"), "true");
  }
  await service.advance(60_000);
  assert.equal((await post("one")).header("idempotency-replayed"), "true");
  assert.equal(await caller.balance(), 96);
});

test("large calls that reuse a key for another request have the same limit", async (t) => {
  const service = await open(t);
  const caller = await createCaller(service, { credits: 1 });
  const headers = { "Idempotency-Key": "one" };
  assertResponse(await caller.post("hash", { body: SMALL, headers }), 1);
  for (let call = 0; call < REPLAYS_PER_MINUTE_MAX; call += 1) {
    assertProblem(await caller.post("hash", { body: LARGE, headers }), "idempotency_key_reused");
  }
  const rejected = await caller.post("hash", { body: LARGE, headers });
  assert.equal(assertProblem(rejected, "rate_limited").limitSource, "idempotency_key");
  assert.doesNotMatch(rejected.header("server-timing") ?? "", /\bbody;/);
});

test("replays count towards the rate, like every call", async (t) => {
  const service = await open(t, 2);
  const caller = await createCaller(service);
  const post = () => caller.post("hash", { body: LARGE, headers: { "Idempotency-Key": "one" } });
  for (let call = 0; call < 4; call += 1) assert.equal((await post()).status, 200);
  assert.equal((await post()).status, 429);
  assert.equal(await caller.balance(), 99);
});

test("simultaneous calls with a new key all count towards its rate", async (t) => {
  const service = await open(t);
  const { account } = await createCaller(service);
  const { key } = await createKey(service, account, { rate: 2 });
  const costs = await Promise.all(Array.from({ length: 20 }, () => costOf(service, key, SMALL)));
  assert.equal(costs.filter(({ status }) => status === 200).length, 4);
  assert.equal(costs.filter(({ status }) => status === 429).length, 16);
});

test("large calls hold their memory until their responses are read", async (t) => {
  const sent: (() => void)[] = [];
  const whenSent = (_: unknown, then: () => void) => void sent.push(then);
  // A thread takes the bytes of the body with it.
  const runTool: AppContext["runTool"] = (tool, job) => {
    const body = job.body.slice();
    structuredClone(null, { transfer: [job.body.buffer as ArrayBuffer] });
    return runHere(tool, { ...job, body }, { random: randomBytes, digest });
  };
  // Two of the calls for one account.
  const memory = {
    bytes: 6 * LARGE.length,
    bytesPerAccount: 2.5 * LARGE.length,
    heldMsMax: 60_000,
  };
  const service = await openChanged(t, { whenSent, runTool, memory });
  const [hoarder, neighbor] = [await createCaller(service), await createCaller(service)];
  const call = (caller: Caller) => caller.post("echo", { body: LARGE });
  for (let at = 0; at < 2; at += 1) assertResponse(await call(hoarder));
  assertProblem(await call(hoarder), "unavailable");
  assertResponse(await call(neighbor), 1);
  sent[0]?.();
  assertResponse(await call(hoarder), 1);
  assertProblem(await call(hoarder), "unavailable");
});

test("over the rate no body is read, whatever its size", async (t) => {
  const service = await open(t, 1);
  const { key } = await createCaller(service);
  assert.deepEqual(await costOf(service, key, SMALL), askedFirst);
  assert.deepEqual(await costOf(service, key, SMALL), debited);
  for (const body of [SMALL, LARGE]) assert.deepEqual(await costOf(service, key, body), early(429));
  await service.advance(1_000);
  assert.deepEqual(await costOf(service, key, SMALL), debited);
});
