import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { type Attempt, createSignInThrottle } from "#accounts/sign-in-throttle.ts";
import { bundleWorker } from "../../http/edge.ts";
import { SEED } from "../../support/random.ts";
import { siteConfig } from "../../support/wrangler-config.ts";
import type { ThrottleOrder } from "./throttle-worker-with-test-access.ts";

/** Throttles that isolates share through objects, in a real workerd. */
const CLASS = "SignInThrottleObject";
const RUNS = 10;
let miniflare: Miniflare;
let base = "";

before(async () => {
  const { code } = await bundleWorker("apps/edge/throttle-worker-with-test-access.ts");
  miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: "throttle",
      modules: [{ type: "ESModule", path: "worker.mjs", contents: code }],
      compatibilityDate: siteConfig.compatibility_date,
      durableObjects: { SIGN_IN: { className: CLASS, useSQLite: true } },
      host: "127.0.0.1",
      cf: false,
      unsafeInspectDurableObjects: true,
    }),
  );
  base = (await miniflare.ready).href;
});
after(() => miniflare?.dispose());

async function send(order: ThrottleOrder): Promise<unknown> {
  const response = await fetch(base, { method: "POST", body: JSON.stringify(order) });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text);
}

const ask = (attempt: Attempt, at: number) => send({ ask: [attempt, at] });
const count = (name: string, now: number, rule = { window: 60, max: 3 }) =>
  send({ countRequest: [name, rule], now });

/** Evicts every object, as the platform may do. */
async function evictAll(): Promise<void> {
  for (const id of await miniflare.listDurableObjectIds("SIGN_IN")) {
    await miniflare
      .unsafeEvictDurableObject("throttle", CLASS, { id })
      .catch((error: Error) => assert.match(error.message, /not currently running/));
  }
}

let users = 0;
const outsider = (email: string, address: string): Attempt => ({
  email,
  address,
  isKnownBrowser: false,
});

test("objects throttle the sign-in exactly as the throttle in memory does", async () => {
  const step = fc.record({
    who: fc.integer({ min: 0, max: 2 }),
    network: fc.integer({ min: 0, max: 2 }),
    isKnownBrowser: fc.boolean(),
    after: fc.constantFrom(0, 1, 400, 3_000, 60_000, 1_000_000),
    ends: fc.constantFrom("wrong", "wrong", "wrong", "right"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      users += 1;
      const here = createSignInThrottle();
      let at = 0;
      for (const { who, network, isKnownBrowser, after: ms, ends } of steps) {
        at += ms;
        const email = `p${users}-${who}@example.com`;
        const attempt = { email, address: `n${users}-${network}`, isKnownBrowser };
        assert.deepEqual(await ask(attempt, at), here.ask(attempt, at));
        if (ends === "right") {
          here.succeeded({ email });
          await send({ succeeded: [{ email }] });
        }
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );
});

test("ten of many concurrent tries from one network are allowed, in any isolate", async () => {
  const tries = Array.from({ length: 25 }, (_, turn) =>
    ask(outsider(`at-once-${turn}@example.com`, "at once"), 1_000),
  );
  const outcomes = (await Promise.all(tries)) as object[];
  assert.equal(outcomes.filter((outcome) => "waitMs" in outcome).length, 10);
});

test("counts survive the eviction of the objects", async () => {
  const victim = "put-away@example.com";
  for (let turn = 0; turn < 6; turn += 1) await ask(outsider(victim, `away ${turn}`), 0);
  await evictAll();
  assert.deepEqual(await ask(outsider(victim, "away 7"), 0), { waitMs: 3_500 });
});

test("requests are counted by network and kind, and allowed again after a pause", async () => {
  const outcomes = [];
  for (const now of [0, 10_000, 20_000, 30_000]) outcomes.push(await count("1.1.1.1/x", now));
  const allowed = { allowed: true, retryAfter: null };
  assert.deepEqual(outcomes, [allowed, allowed, allowed, { allowed: false, retryAfter: 50 }]);
  assert.deepEqual(await count("2.2.2.2/x", 30_000), allowed);
  await evictAll();
  assert.deepEqual(await count("1.1.1.1/x", 79_999), { allowed: false, retryAfter: 1 });
  assert.deepEqual(await count("1.1.1.1/x", 80_000), allowed);
});

const NAMES = 130;

test(`${NAMES} names use at most 64 objects, and none of them stores a name`, async () => {
  const names = Array.from({ length: NAMES }, (_, turn) => `somebody-${turn}@example.com`);
  for (let from = 0; from < names.length; from += 50) {
    const some = names.slice(from, from + 50);
    await Promise.all(some.map((name) => count(name, 0)));
  }
  const ids = await miniflare.listDurableObjectIds("SIGN_IN");
  assert.ok(ids.length <= 64, `${ids.length} objects`);
  let rows = 0;
  for (const id of ids) {
    const found = await rowsOf(id, "SELECT name, state FROM kept");
    rows += found.length;
    assert.doesNotMatch(JSON.stringify(found), /example|@|\d\.\d\.\d/);
  }
  assert.ok(rows >= names.length);
});

test("the alarm deletes expired counts and keeps the others", async () => {
  const ids = await miniflare.listDurableObjectIds("SIGN_IN");
  const storedCounts = async () =>
    (await Promise.all(ids.map((id) => rowsOf(id, "SELECT name FROM kept")))).flat().length;
  const sound = () =>
    Promise.all(ids.map((id) => send({ soundAlarmOf: id }) as Promise<[boolean, boolean]>));
  // All counts of these tests are from 1970, except one that lasts an hour.
  await count("lasting", Date.now(), { window: 3_600, max: 1 });
  assert.ok((await storedCounts()) > NAMES);
  const first = await sound();
  assert.ok(first.every(([wasSet]) => wasSet));
  assert.equal(await storedCounts(), 1);
  assert.equal(first.filter(([, isSet]) => isSet).length, 1);
});

async function rowsOf(id: string, query: string): Promise<object[]> {
  const storage = await miniflare.unsafeGetDurableObjectStorage("throttle", CLASS, { id });
  return (await storage.exec(query)) as object[];
}
