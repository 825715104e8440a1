import assert from "node:assert/strict";
import { test } from "node:test";
import { EMAILS_BEFORE_CREDITS_WAIT } from "#email/bounds.ts";
import { emailOfJob } from "#email/email-queue.ts";
import { readUnsubscription } from "#events/notification-emails.ts";
import { webhookBody } from "#events/webhook-body.ts";
import type { EventContent, LedgerEvent } from "#ledger/events.ts";
import { DAY_MS } from "#limits.ts";
import { sql } from "#stores/sql/sql-database.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { fillQueue } from "../contract/email-queue-fixture.ts";
import { wrapMethods } from "../support/breaking.ts";
import {
  ACCOUNT,
  EMAIL,
  type Fixture,
  lowEvent,
  notify,
  openEvents,
  SEALER,
  SITE,
  START,
} from "./event-fixture.ts";

const GRANT = {
  id: "stripe:pi_1",
  kind: "pack",
  amount: 1_000,
  expiresAt: START + DAY_MS,
} as const;
const EXPIRING = {
  id: "starter:x",
  kind: "starter",
  remaining: 80,
  expiresAt: START + 6 * DAY_MS,
} as const;
const KEY = { id: "key_1", label: "prod", start: "tb_AbC" };
const LOW: EventContent = { kind: "credits.low", balance: 19, lowBalance: 20 };
const EXPIRING_SOON: EventContent = { kind: "credits.expiring", days: 7, grant: EXPIRING };
const KEY_CREATED: EventContent = { kind: "key.created", key: KEY };
const CONTENTS: EventContent[] = [
  LOW,
  { kind: "credits.depleted" },
  { kind: "credits.granted", grant: GRANT },
  EXPIRING_SOON,
  KEY_CREATED,
  { kind: "key.revoked", key: KEY },
];
const kindsOf = (emails: { kind: string }[]) => emails.map(({ kind }) => kind);

const put = (fixture: Fixture, contents: readonly EventContent[], account = ACCOUNT) => {
  for (const content of contents) {
    const id = `evt_${account}_${START}_put${fixture.unsettled.length}`;
    fixture.unsettled.push({ id, account, at: START, ...content });
  }
};

test("every kind of event becomes a webhook, and low or expiring credits also an email with an unsubscribe link", async () => {
  const fixture = await openEvents();
  const kinds = CONTENTS.map(({ kind }) => kind);
  const endpoint = await fixture.addEndpoint({ kinds });
  put(fixture, CONTENTS);
  const events = [...fixture.unsettled];
  assert.deepEqual(await fixture.dispatchEvents(), { dispatched: 6, more: false });
  assert.deepEqual(fixture.unsettled, []);
  const emails = await fixture.emails();
  assert.deepEqual(kindsOf(emails), ["credits_low", "credits_depleted", "credits_expiring"]);
  for (const message of emails) {
    assert.equal(message.to, EMAIL);
    const { id, to: target, content: payload } = message;
    const { unsubscribe = "", text } = await emailOfJob({ id, target, payload }, SEALER);
    assert.ok(!payload.includes("unsubscribe"));
    const link = new URL(unsubscribe);
    assert.equal(`${link.origin}${link.pathname}`, `${SITE}/dashboard/notifications/unsubscribe`);
    const topic = message.kind === "credits_expiring" ? "expiring" : "low";
    const found = readUnsubscription(link.searchParams.get("token") ?? "", ["new secret"]);
    assert.deepEqual(found, { account: ACCOUNT, topic });
    assert.ok(text.includes(`${SITE}/unsubscribe?${link.searchParams}`));
  }
  assert.equal(emails[2]?.usefulUntil, EXPIRING.expiresAt);
  assert.deepEqual(
    (await fixture.log(endpoint)).toReversed().map(({ body }) => body),
    events.map(webhookBody),
  );
});

test("an owner who unsubscribed from a topic gets no email about it, but still the webhooks", async () => {
  const fixture = await openEvents();
  const endpoint = await fixture.addEndpoint({ kinds: ["credits.low", "credits.expiring"] });
  const emails = { low: false, expiring: true };
  await fixture.eventStore.choose({ account: ACCOUNT, choice: { emails } });
  put(fixture, CONTENTS);
  await fixture.dispatchEvents();
  assert.deepEqual(kindsOf(await fixture.emails()), ["credits_expiring"]);
  assert.equal((await fixture.log(endpoint)).length, 2);
});

test("events of closed, suspended and unknown accounts are settled without a notification", async () => {
  const fixture = await openEvents();
  const accounts = ["acc_closed000000", "acc_suspended000", "acc_unknown00000"];
  const [closed = "", suspended = ""] = accounts;
  for (const account of [closed, suspended]) {
    await fixture.ledger.openAccount({ account, freeCall: "open", now: START });
    await fixture.directory.register({ email: `${account}@x.test`, account, createdAt: START });
    await fixture.addEndpoint({ account });
  }
  await fixture.ledger.changeAccount({ account: closed, now: START, state: "closed" });
  await fixture.ledger.changeAccount({ account: suspended, now: START, state: "suspended" });
  for (const account of accounts) put(fixture, CONTENTS.slice(0, 1), account);
  assert.equal((await fixture.dispatchEvents()).dispatched, 3);
  assert.deepEqual([fixture.unsettled, await fixture.emails()], [[], []]);
  assert.equal((await fixture.jobs.nextDue({ queues: ["webhook"] })).at, null);
});

test("an account that the operator opened gets its emails at the address it was opened for", async () => {
  const fixture = await openEvents();
  const account = "acc_000operator0";
  await fixture.ledger.openAccount({ account, freeCall: "open", now: START });
  await fixture.directory.register({ email: "ops@example.org", account, createdAt: START });
  fixture.unsettled.push(lowEvent(account));
  await fixture.dispatchEvents();
  assert.deepEqual(
    (await fixture.emails()).map(({ to }) => to),
    ["ops@example.org"],
  );
});

test("no email announces the expiry of credits that have already expired", async () => {
  const fixture = await openEvents();
  fixture.clock.now = EXPIRING.expiresAt;
  put(fixture, CONTENTS);
  await fixture.dispatchEvents();
  assert.deepEqual(kindsOf(await fixture.emails()), ["credits_low", "credits_depleted"]);
});

test("a dropped email is logged and holds up nothing", async () => {
  const fixture = await openEvents();
  for (let times = 0; times < 22; times += 1) fixture.unsettled.push(lowEvent());
  assert.equal((await fixture.dispatchEvents()).dispatched, 22);
  assert.equal((await fixture.emails()).length, 20);
  assert.equal(fixture.loggedErrors.filter((each) => /too many are queued/.test(each)).length, 2);
  assert.ok(!fixture.loggedErrors.join().includes(EMAIL));
});

test("an event that fails does not hold up others; when failing takes long, the round ends early", async () => {
  const fixture = await openEvents();
  const [first, second] = [lowEvent(), lowEvent()];
  fixture.unsettled.push(first, second);
  let tries = 0;
  const failing = (mayFail: (event: LedgerEvent) => boolean) => ({
    ...fixture.eventStore,
    async handle(order: Parameters<typeof fixture.eventStore.handle>[0]) {
      tries += 1;
      if (!mayFail(order.event)) return fixture.eventStore.handle(order);
      fixture.clock.now += 2_000;
      throw new Error("made to fail");
    },
  });
  const one = await fixture.dispatchEvents({ eventStore: failing(({ id }) => id === first.id) });
  assert.deepEqual(one, { dispatched: 1, more: false });
  assert.deepEqual(fixture.unsettled, [first]);
  for (let times = 0; times < 9; times += 1) fixture.unsettled.push(lowEvent());
  tries = 0;
  assert.deepEqual(await fixture.dispatchEvents({ eventStore: failing(() => true) }), {
    dispatched: 0,
    more: false,
  });
  assert.equal(tries, 3);
});

test("events that fail are tried after all others, and again in every round", async () => {
  const fixture = await openEvents();
  const odd = Array.from({ length: 150 }, () => lowEvent());
  const good = Array.from({ length: 130 }, () => lowEvent());
  fixture.unsettled.push(...odd, ...good);
  const ids = new Set(odd.map(({ id }) => id));
  const tried = new Map<string, number>();
  let isRepaired = false;
  const eventStore: Pick<Fixture["eventStore"], "choice" | "handle"> = {
    ...fixture.eventStore,
    async handle(order) {
      const { id } = order.event;
      tried.set(id, (tried.get(id) ?? 0) + 1);
      if (!isRepaired && ids.has(id)) throw new Error("made to fail");
      return fixture.eventStore.handle(order);
    },
  };
  const live = async (until: number) => {
    for (; fixture.clock.now < until; fixture.clock.now += 30_000)
      for (let more = true; more; ) ({ more } = await fixture.dispatchEvents({ eventStore }));
  };
  await live(START + 1);
  assert.deepEqual(fixture.unsettled, odd, "all others left in the first turn");
  await live(START + 3 * 60_000);
  assert.deepEqual(fixture.unsettled, odd);
  for (const { id } of good) assert.equal(tried.get(id), 1);
  for (const { id } of odd) assert.ok((tried.get(id) ?? 0) > 1, "each is tried again");
  isRepaired = true;
  await live(fixture.clock.now + 60_000);
  assert.deepEqual(fixture.unsettled, []);
});

test("all endpoints know an event by one random id, which tells nothing of its number in the ledger", async () => {
  const fixture = await openEvents();
  const endpoints = [await fixture.addEndpoint(), await fixture.addEndpoint()];
  await notify(fixture, 2);
  const logs = await Promise.all(endpoints.map(fixture.log));
  const [ids = [], others] = logs.map((log) => log.map(({ event }) => event));
  assert.deepEqual(ids, others);
  assert.equal(new Set(ids).size, 2);
  for (const id of ids) assert.match(id, /^evt_[0-9A-Za-z]{20}$/);
});

/** A fixture whose queue has no space for emails about credits. */
async function openFull() {
  const fixture = await openEvents();
  const db = createSqliteDatabase(fixture.driver);
  await fillQueue(db, EMAILS_BEFORE_CREDITS_WAIT);
  return { ...fixture, emptyQueue: () => db.batch([sql`DELETE FROM job`]) };
}

test("while the queue is full, events with an email wait in the ledger and do not hold up others", async () => {
  const fixture = await openFull();
  const endpoint = await fixture.addEndpoint({ kinds: ["credits.low", "key.created"] });
  put(fixture, [LOW, EXPIRING_SOON, KEY_CREATED]);
  assert.deepEqual(await fixture.dispatchEvents(), { dispatched: 1, more: false });
  assert.deepEqual(kindsOf(fixture.unsettled), ["credits.low", "credits.expiring"]);
  const delivered = async () => kindsOf(await fixture.log(endpoint));
  assert.deepEqual(await delivered(), ["key.created"]);
  const loggedError = "The email queue is full; emails about credits are waiting";
  assert.deepEqual(fixture.loggedErrors, [loggedError]);
  await fixture.emptyQueue();
  fixture.clock.now += 60_000;
  assert.deepEqual(await fixture.dispatchEvents(), { dispatched: 2, more: false });
  assert.deepEqual(await delivered(), ["credits.low", "key.created"]);
  assert.deepEqual(kindsOf(await fixture.emails()), ["credits_low", "credits_expiring"]);
  assert.deepEqual(fixture.loggedErrors, [loggedError]);
});

test("when more events wait than a round handles, the next one starts behind them at once", async () => {
  const fixture = await openFull();
  for (let times = 0; times < 120; times += 1) fixture.unsettled.push(lowEvent());
  assert.deepEqual(await fixture.dispatchEvents(), { dispatched: 0, more: true });
  put(fixture, [KEY_CREATED]);
  assert.deepEqual(await fixture.dispatchEvents(), { dispatched: 1, more: false });
  assert.equal(fixture.unsettled.length, 120);
});

/** Crashes at the given operation, before or after it was carried out. */
class Killed extends Error {}
function killedAt(fixture: Fixture, step: number, isAfter: boolean) {
  let steps = 0;
  const dying = <Part extends object>(part: Part) =>
    wrapMethods(part, async (act) => {
      steps += 1;
      if (steps > step) throw new Killed();
      if (steps < step) return act();
      if (isAfter) await act();
      throw new Killed();
    });
  const { source, eventStore, ledger, directory } = fixture;
  return {
    ...{ source: dying(source), eventStore: dying(eventStore) },
    ...{ ledger: dying(ledger), directory: dying(directory) },
    // The list is lost in the crash.
    failed: new Set<string>(),
    wasReached: () => steps >= step,
  };
}

test("after a crash at any point, an event becomes one email and one delivery for each endpoint", async () => {
  for (const isAfter of [false, true]) {
    for (let step = 1; ; step += 1) {
      const fixture = await openEvents();
      const endpoints = [await fixture.addEndpoint(), await fixture.addEndpoint()];
      const events = [lowEvent(), lowEvent()];
      fixture.unsettled.push(...events);
      const dying = killedAt(fixture, step, isAfter);
      await fixture.dispatchEvents(dying).catch((error) => assert.ok(error instanceof Killed));
      await fixture.dispatchEvents();
      assert.deepEqual(fixture.unsettled, []);
      assert.equal((await fixture.emails()).length, 2, `step ${step}`);
      for (const endpoint of endpoints) {
        assert.deepEqual(
          await fixture.told(endpoint),
          events.map(({ id }) => id),
          `step ${step}`,
        );
      }
      if (!dying.wasReached()) break;
    }
  }
});
