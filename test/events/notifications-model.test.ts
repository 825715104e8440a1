import assert from "node:assert/strict";
import { test } from "node:test";
import { RETRY_WAITS_MS } from "#events/bounds.ts";
import { type DispatchDeps, dispatchEvents } from "#events/dispatch-events.ts";
import type { Endpoint } from "#events/event-store.ts";
import { wrapMethods } from "../support/breaking.ts";
import { randomFrom, SEED } from "../support/random.ts";
import { type Fixture, lowEvent, openEvents, responding } from "./event-fixture.ts";

/** Events and deliveries under random crashes, failures and pauses, on two nodes, compared with the expected result. */
const RUNS = Number(process.env["TEST_SALES_RUNS"] ?? 3);
const STEPS = 60;

function createChance(seed: number) {
  const next = randomFrom(seed);
  return {
    below: (bound: number) => Math.floor(next() * bound),
    is: (odds: number) => next() < odds,
  };
}

type Chance = ReturnType<typeof createChance>;
class Killed extends Error {}

/** The process may crash at each operation: before it, or after it and before the caller gets its result. */
function mortal<Port extends object>(port: Port, chance: Chance, life: { isOver: boolean }): Port {
  return wrapMethods(port, async (act) => {
    if (life.isOver || chance.is(0.03)) {
      life.isOver = true;
      throw new Killed();
    }
    const outcome = await act();
    if (chance.is(0.03)) life.isOver = true;
    if (life.isOver) throw new Killed();
    return outcome;
  });
}

async function play(chance: Chance) {
  const fixture = await openEvents();
  const endpoints = [
    await fixture.addEndpoint(),
    await fixture.addEndpoint({ url: "https://b.example/" }),
  ];
  const paused = new Set<string>();
  const received: string[] = [];
  const written: string[] = [];
  const { transport, sent } = responding((url, headers) => {
    if (chance.is(0.4)) return chance.is(0.5) ? 500 : "The connection was refused.";
    received.push(`${url} ${headers["webhook-id"]}`);
    return 204;
  });
  const node = async () => {
    const life = { isOver: false };
    const { source, eventStore, ledger, directory } = fixture.wiring;
    const wiring: DispatchDeps = {
      ...fixture.wiring,
      source: mortal(source, chance, life),
      eventStore: mortal(eventStore, chance, life),
      ledger: mortal(ledger, chance, life),
      directory: mortal(directory, chance, life),
      failed: new Set<string>(),
    };
    const died = (error: unknown) => assert.ok(error instanceof Killed, String(error));
    await dispatchEvents(wiring).catch(died);
    const deliverer = fixture.deliverer(transport, {
      eventStore: mortal(fixture.eventStore, chance, life),
      jobs: mortal(fixture.jobs, chance, life),
    });
    await deliverer.deliverDue().catch(died);
  };
  for (let step = 0; step < STEPS; step += 1) {
    if (chance.is(0.3)) {
      const event = lowEvent();
      written.push(event.id);
      fixture.unsettled.push(event);
    }
    if (chance.is(0.05)) await turn(fixture, endpoints[1] as Endpoint, paused);
    await Promise.all(chance.is(0.3) ? [node(), node()] : [node()]);
    fixture.clock.now += chance.below(120_000);
    // Before the queue is full for the recipient.
    await fixture.emails();
  }
  if (paused.size > 0) await turn(fixture, endpoints[1] as Endpoint, paused);
  return { fixture, endpoints, received, written, sent };
}

async function turn({ eventStore, clock }: Fixture, endpoint: Endpoint, paused: Set<string>) {
  const { id, account, url, kinds } = endpoint;
  const pausedAt = paused.delete(id) ? null : clock.now;
  if (pausedAt !== null) paused.add(id);
  await eventStore.changeEndpoint({ account, id, url, kinds, pausedAt });
}

test(`under random crashes each event becomes one email and one delivered webhook (seed ${SEED}, ${RUNS} runs)`, async () => {
  for (let run = 0; run < RUNS; run += 1) {
    const chance = createChance(SEED + run);
    const { fixture, endpoints, received, written, sent } = await play(chance);
    await fixture.dispatchEvents();
    assert.deepEqual(fixture.unsettled, []);
    const deliverer = fixture.deliverer(responding(() => "still away").transport);
    // Until after the last attempt of everything.
    for (let due = await deliverer.deliverDue(); due !== null; due = await deliverer.deliverDue())
      fixture.clock.now = Math.max(due, fixture.clock.now + 1);
    const name = `seed ${SEED + run}`;
    const emails = await fixture.emails();
    assert.equal(emails.length, written.length, name);
    for (const [index, endpoint] of endpoints.entries()) {
      const log = await fixture.log(endpoint);
      const told = await fixture.told(endpoint);
      // The second endpoint was paused at times, and gets no deliveries of that time.
      if (index === 0) assert.deepEqual(told, written, name);
      assert.equal(new Set(told).size, told.length, name);
      for (const { event, status, tries } of log) {
        assert.notEqual(status, "waiting", name);
        const times = received.filter((each) => each === `${endpoint.url} ${event}`).length;
        if (status === "delivered") assert.ok(times >= 1, name);
        assert.ok(tries <= RETRY_WAITS_MS.length + 1, name);
      }
    }
    const bodies = new Map(sent.map(({ headers, body }) => [headers["webhook-id"], body]));
    for (const { headers, body } of sent)
      assert.equal(bodies.get(headers["webhook-id"]), body, name);
  }
});
