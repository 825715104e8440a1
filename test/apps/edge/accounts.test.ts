import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { callsByKey } from "#ledger/read-pages.ts";
import { openRaw, type RawConnection, rawPost } from "../../http/raw-socket.ts";
import { type EdgeAccount, openEdgeAccount, openEdgeAccountAtOnce } from "./edge-ledger.ts";
import { openWorkerFixture, processUsage, type WorkerFixture } from "./fixture.ts";

/** Many accounts at once, and one account under maximum load. trouble.test.ts covers what an overloaded object rejects. */
/** TEST_EDGE=all opens a thousand. */
const ACCOUNTS = process.env["TEST_EDGE"] === "all" ? 1_000 : 200;
const FLOOD = 600;
/** Connections opened together, and concurrent requests outside the measured calls. */
const AT_ONCE = 100;
const CREDITS = 3;
let fixture: WorkerFixture;

before(async () => {
  fixture = await openWorkerFixture({ entry: "worker-that-counts.ts" });
});
after(() => fixture?.close());

async function inBatches<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let index = next; index < items.length; index = next) {
        next += 1;
        results[index] = await work(items[index] as Item);
      }
    }),
  );
  return results;
}

/** Sends each request on its own connection, and reads no response before all are sent. */
async function callTogether(callers: readonly Pick<EdgeAccount, "key">[]) {
  const connections = await inBatches(callers, async ({ key }) => {
    const connection = openRaw(fixture.port);
    await once(connection.socket, "connect");
    return { connection, key };
  });
  const started = performance.now();
  for (const { connection, key } of connections) {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    connection.write(rawPost("/api/v1/uuid", "{}", headers));
  }
  const responses = await Promise.all(
    connections.map(({ connection }) => takeResponse(connection)),
  );
  return { responses, ms: Math.round(performance.now() - started) };
}

async function takeResponse(connection: RawConnection) {
  const { status, headers } = await connection.response();
  connection.socket.destroy();
  return { status, headers };
}

test(`${ACCOUNTS} accounts call at once, and each object records its own debit`, {
  timeout: 300_000,
}, async (t) => {
  const empty = processUsage(fixture.pid);
  const numbers = Array.from({ length: ACCOUNTS }, (_, index) => index);
  const accounts = await inBatches(numbers, () => openEdgeAccountAtOnce(fixture, CREDITS));
  const opened = processUsage(fixture.pid);
  const { responses, ms } = await callTogether(accounts);
  const balances = responses.map(
    ({ status, headers }) => `${status} ${headers.get("credits-remaining")}`,
  );
  assert.deepEqual(new Set(balances), new Set([`200 ${CREDITS - 1}`]));
  const called = processUsage(fixture.pid);
  t.diagnostic(`${ms} ms and ${called.cpuMs - opened.cpuMs} ms of CPU for the calls`);
  t.diagnostic(`${opened.cpuMs - empty.cpuMs} ms of CPU for opening the accounts`);
  t.diagnostic(`${called.residentMb.toFixed(0)} MB, ${empty.residentMb.toFixed(0)} when empty`);
  await inBatches(accounts, async ({ account }) => {
    const made = await callsByKey(fixture.ledger, { account, since: 0 });
    assert.deepEqual(
      made.map(({ calls, credits }) => ({ calls, credits })),
      [{ calls: 1, credits: 1 }],
    );
  });
});

test("in a flood of calls for one account, every call gets a response and every credit is accounted for", {
  timeout: 300_000,
}, async (t) => {
  const caller = await openEdgeAccount(fixture, FLOOD / 2);
  const { responses } = await callTogether(Array.from({ length: FLOOD }, () => caller));
  const of = (status: number) => responses.filter((response) => response.status === status);
  const [paid, wasBroken, busy] = [of(200), of(402), of(503)];
  t.diagnostic(`${paid.length} succeeded, ${wasBroken.length} rejected, ${busy.length} overloaded`);
  assert.equal(paid.length + wasBroken.length + busy.length, FLOOD);
  assert.ok(paid.length > 0);
  for (const { headers } of busy) assert.match(headers.get("retry-after") ?? "", /^[1-9]/);
  const { account } = caller;
  const { balance } = await fixture.ledger.credits({ account, now: Date.now() });
  assert.equal(balance, FLOOD / 2 - paid.length);
  // A response without remaining credits comes after the last debit.
  if (wasBroken.length > 0) assert.equal(balance, 0);
  const { ok } = await fixture.ledger.audit({ now: Date.now(), account });
  assert.equal(ok, true);
});
