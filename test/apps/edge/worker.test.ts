import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { before, describe, test } from "node:test";
import { makeKey } from "#accounts/key-format.ts";
import { newAccountId } from "#ids.ts";
import { eventually } from "../../http/test-api.ts";
import { openEdgeAccount } from "./edge-ledger.ts";
import { sharedWorker, type WorkerFixture } from "./fixture.ts";

/** The API Worker with objects in workerd, and with errors between it and its objects. `test/http/workerd.test.ts` has its responses. */
test("forged keys start no object", async () => {
  const { miniflare, post } = await sharedWorker();
  const objects = async () => (await miniflare.listDurableObjectIds("LEDGER")).length;
  const before = await objects();
  for (let turn = 0; turn < 20; turn += 1) {
    const forged = makeKey(newAccountId(randomBytes), ["another secret altogether"], randomBytes);
    const response = await post(forged, "hash", JSON.stringify({ text: "a".repeat(10_000) }));
    assert.equal(response.status, 401);
    await response.arrayBuffer();
  }
  assert.equal(await objects(), before);
});

describe("errors of an object", () => {
  let worker: WorkerFixture;
  let key = "";
  let account = "";
  const balance = async () => (await worker.ledger.credits({ account, now: Date.now() })).balance;

  before(async () => {
    worker = await sharedWorker();
    ({ account, key } = await openEdgeAccount(worker, 9));
  });

  const call = (trouble: string, headers: Record<string, string> = {}) =>
    worker.post(key, "hash", '{"text":"a"}', { "x-test-trouble": trouble, ...headers });
  const storedReversals = async () =>
    (await (await fetch(`${worker.base}/test/kept`)).json()) as { payload: string }[];

  test("an object that was moved gets the order again, and the call succeeds and is charged once", async () => {
    const response = await call("moves once");
    assert.deepEqual([response.status, await balance()], [200, 8]);
  });

  test("an overloaded object causes 503 with Retry-After without a charge or a reversal", async () => {
    const response = await call("overloaded");
    assert.equal(response.status, 503);
    assert.ok(Number(response.headers.get("retry-after")) > 0);
    assert.doesNotMatch(await response.text(), /db-8/);
    assert.deepEqual([await balance(), await storedReversals()], [8, []]);
  });

  test("a lost response causes 503, and the call is reversed at once", async () => {
    const response = await call("loses answers");
    assert.equal(response.status, 503);
    assert.doesNotMatch(await response.text(), /db-7/);
    await eventually("the reversal", async () => (await balance()) === 8);
    assert.deepEqual(await storedReversals(), []);
  });

  test("a call on an object that stays unreachable is stored in the database and reversed later", async () => {
    assert.equal((await call("gone")).status, 503);
    await eventually("it is stored", async () => (await storedReversals()).length === 1);
    assert.equal(await balance(), 7);
    const [row] = await storedReversals();
    const { at, callId } = JSON.parse(row?.payload ?? "");
    assert.deepEqual(await worker.ledger.reverse({ account, callId, at, now: Date.now() }), {
      reversed: true,
    });
    assert.equal(await balance(), 8);
    assert.equal((await worker.ledger.audit({ now: Date.now(), account })).ok, true);
  });

  test("a call with an Idempotency-Key is not reversed, because its retry completes it", async () => {
    const headers = { "idempotency-key": "once" };
    assert.equal((await call("loses answers", headers)).status, 503);
    const again = await call("", headers);
    assert.deepEqual([again.status, again.headers.get("idempotency-replayed")], [200, "true"]);
    assert.equal(await balance(), 7);
  });

  test("if the request log is unavailable, calls succeed, and the Worker logs what is missing after three tries", async () => {
    const before = worker.log.length;
    const caller = await openEdgeAccount(worker, 9);
    const headers = { "x-test-trouble": "no log" };
    const response = await worker.post(caller.key, "hash", '{"text":"a"}', headers);
    assert.equal(response.status, 200);
    const told = () => worker.log.slice(before).find((line) => line.includes("request log"));
    await eventually("the Worker logs it", async () => told() !== undefined);
    const { message, cause } = JSON.parse(told() ?? "") as Record<string, string>;
    assert.match(message ?? "", /^Calls that will be missing from the request log: \d+$/);
    assert.match(cause ?? "", /db-9/);
  });
});
