import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { DELIVERIES_AT_ONCE } from "#events/bounds.ts";
import type { WebhookTransport } from "#events/webhook-transport.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import { eventually } from "../http/test-api.ts";
import { type Fixture, lowEvent, notify, openEvents, responding, START } from "./event-fixture.ts";

/** Fairness: an endpoint that responds beside endpoints that do not. */

/** The same jobs, recording the size of each batch. */
function counting(fixture: Fixture) {
  const recorded: number[] = [];
  const jobs: JobQueue = {
    ...fixture.jobs,
    async settle(order) {
      recorded.push(order.settlements.length);
      // As long as a message to the ledger's thread and back takes.
      await setImmediate();
      return fixture.jobs.settle(order);
    },
  };
  return { jobs, recorded };
}

test("the results of many webhooks are recorded in few writes", async () => {
  const fixture = await openEvents();
  for (let count = 0; count < 5; count += 1)
    await fixture.addEndpoint({ url: `https://${count}.example/` });
  await notify(fixture, 20);
  const { jobs, recorded } = counting(fixture);
  const { transport, sent } = responding(() => 204);
  assert.equal(await fixture.deliverer(transport, { jobs }).deliverDue(), null);
  assert.equal(sent.length, 100);
  assert.equal(
    recorded.reduce((sum, count) => sum + count, 0),
    100,
  );
  assert.ok(recorded.length <= 50, `${recorded.length} writes for 100 tries`);
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

test("a process does not look all the time for webhooks of an endpoint that another one is sending to", async () => {
  const fixture = await openEvents();
  const { url } = await fixture.addEndpoint({ url: "https://silent.example/" });
  await notify(fixture, 2);
  const { waiting, transport, giveUp } = partlySilent();
  const sending = fixture.deliverer(transport);
  sending.look();
  await until(() => waiting.size > 0);
  const lookAgainAt = await fixture.deliverer(transport).runDue();
  assert.ok(lookAgainAt !== null && lookAgainAt > fixture.clock.now);
  sending.abort();
  giveUp(url);
  await sending.idle();
});
