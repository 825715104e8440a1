import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { sharedCountsContract } from "../../contract/request-counts.ts";
import { bundleWorker } from "../../http/edge.ts";
import { siteConfig } from "../../support/wrangler-config.ts";
import type { ThrottleOrder } from "./throttle-worker-with-test-access.ts";

/** Counts that isolates share through objects, in a real workerd. */
const CLASS = "SignInThrottleObject";
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

const RULE = { window: 60, max: 3 };
const count = (name: string, now: number, rule = RULE) => send({ count: name, rule, now });

/** Evicts every object, as the platform may do. */
async function evictAll(): Promise<void> {
  for (const id of await miniflare.listDurableObjectIds("SIGN_IN")) {
    await miniflare
      .unsafeEvictDurableObject("throttle", CLASS, { id })
      .catch((error: Error) => assert.match(error.message, /not currently running/));
  }
}

sharedCountsContract(
  {
    count: (name, rule, now) => count(name, now, rule),
    giveBack: (name) => send({ giveBack: name }),
  },
  10,
);

test("requests are counted by name, survive the eviction of the objects, and are allowed again after the window", async () => {
  const outcomes = [];
  for (const now of [0, 10_000, 20_000, 30_000]) outcomes.push(await count("1.1.1.1/x", now));
  const allowed = { allowed: true, retryAfter: null };
  assert.deepEqual(outcomes, [allowed, allowed, allowed, { allowed: false, retryAfter: 30 }]);
  assert.deepEqual(await count("2.2.2.2/x", 30_000), allowed);
  await evictAll();
  assert.deepEqual(await count("1.1.1.1/x", 59_999), { allowed: false, retryAfter: 1 });
  assert.deepEqual(await count("1.1.1.1/x", 60_000), allowed);
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
