import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { DELIVERIES_AT_ONCE } from "#events/bounds.ts";
import type { EventStore } from "#events/event-store.ts";
import type { WebhookTransport } from "#events/webhook-transport.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import { startNotifications } from "../../src/apps/node/notifications.ts";
import { eventually } from "../http/test-api.ts";
import {
  ACCOUNT,
  ENDPOINT_SEALER,
  type Fixture,
  lowEvent,
  notify,
  openEvents,
  responding,
  START,
} from "./event-fixture.ts";

/** Fairness: calls beside events, and an endpoint that responds beside endpoints that do not. */

async function openFile(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-turns-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "toolbooth.sqlite");
  const fixture = await openEvents(file);
  const other = new DatabaseSync(file, { timeout: 0 });
  t.after(() => other.close());
  const writesSoFar = () => Number(other.prepare("PRAGMA data_version").get()?.["data_version"]);
  /** How often the other connection had the lock, and the most commits that it saw between two of these. */
  const turns = { had: 0, mostBetween: 0 };
  let before = writesSoFar();
  const rest = async () => {
    other.exec("BEGIN IMMEDIATE; ROLLBACK");
    const now = writesSoFar();
    turns.had += 1;
    turns.mostBetween = Math.max(turns.mostBetween, now - before);
    before = now;
  };
  return { fixture, rest, turns };
}

/** The same jobs, recording the size of each batch. */
function counting(fixture: Fixture) {
  const recorded: number[] = [];
  let taken = 0;
  const jobs: JobQueue = {
    ...fixture.jobs,
    async take(order) {
      const deliveries = await fixture.jobs.take(order);
      if (deliveries.jobs.length > 0) taken += 1;
      return deliveries;
    },
    settle(order) {
      recorded.push(order.settlements.length);
      return fixture.jobs.settle(order);
    },
  };
  return { jobs, recorded, taken: () => taken };
}

test("while events are dispatched, another connection gets the lock after each of them", async (t) => {
  const { fixture, rest, turns } = await openFile(t);
  await fixture.addEndpoint();
  for (let count = 0; count < 100; count += 1) fixture.unsettled.push(lowEvent());
  assert.equal((await fixture.dispatchEvents({ rest })).dispatched, 100);
  // After each event, and after settling them.
  assert.deepEqual(turns, { had: 101, mostBetween: 1 });
});

test("on Node, other work runs between dispatched events", async (t) => {
  const fixture = await openEvents();
  const { ledger, eventStore, wiring, clock } = fixture;
  const grant = { account: ACCOUNT, kind: "operator", amount: 1, expiresAt: null } as const;
  for (let count = 0; count < 50; count += 1)
    await ledger.grant({ ...grant, id: `g${count}`, now: clock.now });
  let handled = 0;
  const counted: EventStore = {
    ...eventStore,
    async handle(order) {
      const outcome = await eventStore.handle(order);
      handled += 1;
      return outcome;
    },
  };
  const running = startNotifications({
    ...{
      ...wiring,
      ledger,
      jobs: fixture.jobs,
      eventStore: counted,
      transport: responding(() => 204).transport,
      endpointSealer: ENDPOINT_SEALER,
    },
    ...{ onEmails: () => {}, writingMs: 0, restMs: 1 },
  });
  t.after(() => running.stop());
  const seen = new Set<number>();
  for (const started = Date.now(); handled < 50; await setImmediate()) {
    assert.ok(Date.now() - started < 600_000, `only ${handled} were dispatched`);
    seen.add(handled);
  }
  assert.ok(seen.size >= 45, `other work ran ${seen.size} times`);
});

test("while webhooks are delivered, another connection gets the lock after each of the few writes", async (t) => {
  const { fixture, rest, turns } = await openFile(t);
  for (let count = 0; count < 5; count += 1)
    await fixture.addEndpoint({ url: `https://${count}.example/` });
  await notify(fixture, 20);
  await rest();
  Object.assign(turns, { had: 0, mostBetween: 0 });
  const { jobs, recorded, taken } = counting(fixture);
  const { transport, sent } = responding(() => 204);
  assert.equal(await fixture.deliverer(transport, { jobs, rest }).deliverDue(), null);
  assert.equal(sent.length, 100);
  assert.equal(
    recorded.reduce((sum, count) => sum + count, 0),
    100,
  );
  assert.ok(recorded.length <= 50, `${recorded.length} writes for 100 tries`);
  assert.deepEqual(turns, { had: recorded.length + taken(), mostBetween: 1 });
});

/** Endpoints that never respond, each of its own account, with webhooks for each of them. */
async function addSilent(fixture: Fixture, silent: number, times: number) {
  for (let count = 0; count < silent; count += 1) {
    const account = `acc_${String(count).padStart(12, "9")}`;
    await fixture.ledger.openAccount({ account, freeCall: "open", now: START });
    await fixture.addEndpoint({ account, url: `https://silent.example/${count}` });
    for (let time = 0; time < times; time += 1) fixture.unsettled.push(lowEvent(account));
  }
  while (fixture.unsettled.length > 0) await fixture.dispatchEvents();
}

/** Requests to silent endpoints end when the test says so. */
function partlySilent() {
  const waiting = new Map<string, () => void>();
  const arrived: string[] = [];
  const transport: WebhookTransport = {
    post: ({ url }) =>
      new Promise((resolve, reject) => {
        if (url.includes("silent")) waiting.set(url, () => reject(new Error("no response")));
        else {
          arrived.push(url);
          resolve({ status: 204 });
        }
      }),
  };
  const giveUp = (url: string) => {
    waiting.get(url)?.();
    waiting.delete(url);
  };
  return { waiting, arrived, transport, giveUp };
}

const until = (isThere: () => boolean) => eventually("a receiver's turn", async () => isThere());

test("a webhook for an endpoint that has responded before is sent at once, however many silent endpoints wait", async () => {
  const fixture = await openEvents();
  const good = await fixture.addEndpoint({ url: "https://good.example/" });
  const { waiting, arrived, transport, giveUp } = partlySilent();
  const deliverer = fixture.deliverer(transport);
  await notify(fixture);
  await deliverer.deliverDue();
  assert.deepEqual(arrived, [good.url]);
  const silent = 2 * DELIVERIES_AT_ONCE;
  await addSilent(fixture, silent, 1);
  deliverer.look();
  await until(() => waiting.size > 0);
  deliverer.look();
  assert.equal(waiting.size, DELIVERIES_AT_ONCE / 2);
  fixture.clock.now += 1;
  await notify(fixture);
  deliverer.look();
  await until(() => arrived.length === 2);
  assert.equal(waiting.size, DELIVERIES_AT_ONCE / 2);
  for (let tried = 0; tried < silent; tried += 1) {
    await until(() => waiting.size > 0);
    giveUp([...waiting.keys()][0] as string);
  }
  await deliverer.idle();
});

test("each silent endpoint gets its turn before any gets a second one", async () => {
  const silent = DELIVERIES_AT_ONCE + 1;
  const fixture = await openEvents();
  await addSilent(fixture, silent, 3);
  const good = await fixture.addEndpoint({ url: "https://good.example/" });
  fixture.clock.now += 1;
  await notify(fixture);
  const { waiting, arrived, transport, giveUp } = partlySilent();
  const deliverer = fixture.deliverer(transport);
  deliverer.look();
  const order: string[] = [];
  while (order.length < 2 * silent) {
    await until(() => waiting.size > 0);
    const [url] = waiting.keys();
    order.push(url as string);
    fixture.clock.now += 1;
    giveUp(url as string);
  }
  assert.equal(new Set(order.slice(0, silent)).size, silent);
  assert.equal(new Set(order.slice(silent)).size, silent);
  assert.deepEqual(arrived, [good.url]);
  deliverer.abort();
  await until(() => {
    for (const url of waiting.keys()) giveUp(url);
    return waiting.size === 0;
  });
  await deliverer.idle();
});
