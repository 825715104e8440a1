import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DAY_MS } from "#limits.ts";
import { anEntry, chunkOf } from "../../contract/request-log.ts";
import { eventually } from "../../http/test-api.ts";
import { type EdgeAccount, openEdgeAccount, requestLogAt } from "./edge-ledger.ts";
import { openWorkerFixture, type WorkerFixture } from "./fixture.ts";
import type { Bill } from "./worker-that-counts.ts";

/** What the platform bills for the request log, by its own counters. docs/edge-costs.md has the same numbers. */
let fixture: WorkerFixture;

before(async () => {
  fixture = await openWorkerFixture({ entry: "worker-that-counts.ts" });
});
after(() => fixture?.close());

const takeBill = async () => (await (await fetch(`${fixture.base}/test/bill`)).json()) as Bill;

/** Waits for so many requests to objects, and returns what they are billed together. */
async function billOf(requests: number): Promise<Pick<Bill, "requests" | "read" | "written">> {
  const sum = { requests: 0, read: 0, written: 0 };
  await eventually(`${requests} requests to objects`, async () => {
    const { requests: more, read, written, alarms } = await takeBill();
    sum.requests += more;
    sum.read += read;
    sum.written += written + alarms;
    return sum.requests >= requests;
  });
  assert.equal(sum.requests, requests);
  return sum;
}

async function call({ key }: EdgeAccount, body = '{"text":"a"}'): Promise<number> {
  const response = await fixture.post(key, "hash", body);
  await response.arrayBuffer();
  return response.status;
}

/** Hands requests over as a Worker does, and returns what that is billed. */
async function append({ account }: EdgeAccount, count: number, at = Date.now()) {
  const entries = Array.from({ length: count }, () => anEntry({ at }));
  await requestLogAt(fixture.base).append({ chunk: chunkOf(account, entries), isAgain: false });
  return billOf(1);
}

test("the first call of a day begins a row, and may set an alarm; a later one costs a request and a row", async (t) => {
  const caller = await openEdgeAccount(fixture, 10);
  await takeBill();
  assert.equal(await call(caller), 200);
  const first = await billOf(2);
  assert.ok(first.written <= 4 + 2, `${first.written} rows written`);
  const later = await append(caller, 1);
  t.diagnostic(`${later.written} rows written, ${later.read} read`);
  assert.equal(later.written, 1);
  assert.ok(later.read <= 5, `${later.read} rows read`);
});

test("a hundred calls are one request and one row", async (t) => {
  const caller = await openEdgeAccount(fixture, 1_000);
  await takeBill();
  await call(caller);
  await billOf(2);
  // Every fifth is rejected, and writes nothing but its entry in the log.
  const statuses = await Promise.all(
    Array.from({ length: 100 }, (_, no) => call(caller, no % 5 === 0 ? "{}" : undefined)),
  );
  assert.equal(statuses.filter((status) => status === 200).length, 80);
  const bill = await billOf(101);
  t.diagnostic(`${bill.written - 2 * 80} rows written, ${bill.read - 100} read`);
  assert.equal(bill.written, 2 * 80 + 1);
});

test("250 calls are one row, whose deletion costs one more, and one a day for its counts", async (t) => {
  const caller = await openEdgeAccount(fixture, 10);
  await takeBill();
  const old = Date.now() - 9 * DAY_MS;
  await append(caller, 100, old);
  for (const count of [100, 50]) assert.equal((await append(caller, count, old)).written, 1);
  assert.equal((await append(caller, 100, old + 1)).written, 1, "the alarm is early enough");
  const bill = await append(caller, 1);
  t.diagnostic(`${bill.written} rows written, ${bill.read} read`);
  assert.equal(bill.written, 1 + 2 + 1);
});
