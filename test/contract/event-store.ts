/** Contract of the event store, for every store. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { EMAILS_BEFORE_CREDITS_WAIT } from "#email/bounds.ts";
import type { EmailQueue } from "#email/email-queue.ts";
import { ENDPOINTS_MAX } from "#events/bounds.ts";
import type { EventStore } from "#events/event-store.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import type { LedgerEvent } from "#ledger/events.ts";
import { DAY_MS } from "#limits.ts";
import { type SqlDatabase, sql } from "#stores/sql/sql-database.ts";
import { emailsOf, fillQueue } from "./email-queue-fixture.ts";
import { describeDeliveries } from "./event-store-deliveries.ts";
import {
  ACCOUNT,
  deliveryIds,
  type EventFixture,
  email,
  endpoint,
  lowEvent,
  OTHER,
  type Rule,
  START,
  withJobs,
} from "./event-store-fixture.ts";
import { describeReceivers } from "./event-store-receivers.ts";

export type OpenEventStore = (t: TestContext) => Promise<{
  events: EventStore;
  emailQueue: EmailQueue;
  jobs: JobQueue;
  db: SqlDatabase;
}>;

export function eventStoreContract(name: string, open: OpenEventStore): void {
  const rule: Rule = (title, check) => {
    test(title, async (t) => check(fixtureOf(await open(t))));
  };
  describe(`the event store, ${name}`, () => {
    describeChoices(rule);
    describeEndpoints(rule);
    describeHandling(rule);
    describeDeliveries(rule);
    describeReceivers(rule);
  });
}

const webhookIdOf = ({ id }: LedgerEvent) => `evt_shown_${id}`;

function fixtureOf(opened: Awaited<ReturnType<OpenEventStore>>): EventFixture {
  const { events, jobs, db } = opened;
  const eventStore = withJobs(events, jobs);
  const emails = emailsOf(opened);
  return {
    ...{ eventStore, db },
    emails: async () =>
      (await emails.take({ now: 9e15, leaseUntil: 9e15, max: 99, transportKind: "smtp" })).emails,
    handle: (event, more = {}) =>
      eventStore.handle({
        ...{ event, email: null, webhookId: webhookIdOf(event), body: `{"of":"${event.id}"}` },
        ...{ deliveryIds, now: START },
        ...more,
      }),
    list: (of, max = 99, after = null) =>
      eventStore.listDeliveries({ account: ACCOUNT, endpoint: of, after, max }),
  };
}

function describeChoices(rule: Rule) {
  rule("an owner gets every email until they choose otherwise", async ({ eventStore }) => {
    const both = { emails: { low: true, expiring: true } };
    assert.deepEqual(await eventStore.choice({ account: ACCOUNT }), both);
    for (const messages of [
      { low: false, expiring: true },
      { low: true, expiring: false },
      { low: false, expiring: false },
    ]) {
      await eventStore.choose({ account: ACCOUNT, choice: { emails: messages } });
      assert.deepEqual(await eventStore.choice({ account: ACCOUNT }), { emails: messages });
    }
    assert.deepEqual(await eventStore.choice({ account: OTHER }), both);
  });

  rule(
    "unsubscribing from one topic leaves a concurrent choice about the other unchanged",
    async ({ eventStore }) => {
      const end = (account: string, topic: "low" | "expiring") =>
        eventStore.unsubscribe({ account, topic });
      await Promise.all([end(ACCOUNT, "low"), end(ACCOUNT, "expiring"), end(OTHER, "expiring")]);
      const none = { emails: { low: false, expiring: false } };
      assert.deepEqual(await eventStore.choice({ account: ACCOUNT }), none);
      assert.deepEqual(await eventStore.choice({ account: OTHER }), {
        emails: { low: true, expiring: false },
      });
      await eventStore.choose({
        account: OTHER,
        choice: { emails: { low: true, expiring: true } },
      });
      await end(OTHER, "low");
      await end(OTHER, "low");
      assert.deepEqual(await eventStore.choice({ account: OTHER }), {
        emails: { low: false, expiring: true },
      });
    },
  );
}

function describeEndpoints(rule: Rule) {
  rule("endpoints are listed oldest first, and only to their account", async ({ eventStore }) => {
    const one = endpoint({ createdAt: START + 1, pausedAt: START + 2, kinds: ["key.created"] });
    const two = endpoint({ createdAt: START });
    for (const each of [one, two])
      assert.deepEqual(await eventStore.addEndpoint({ endpoint: each }), { outcome: "added" });
    assert.deepEqual(await eventStore.listEndpoints({ account: ACCOUNT }), [two, one]);
    assert.deepEqual(await eventStore.listEndpoints({ account: OTHER }), []);
  });

  rule(
    `of many endpoints added at once an account gets ${ENDPOINTS_MAX}`,
    async ({ eventStore }) => {
      const all = Array.from({ length: ENDPOINTS_MAX + 2 }, () => endpoint());
      const added = await Promise.all(
        all.map((each) => eventStore.addEndpoint({ endpoint: each })),
      );
      const outcomes = added.map(({ outcome }) => outcome).sort();
      assert.deepEqual(outcomes, [...Array(ENDPOINTS_MAX).fill("added"), "full", "full"]);
      const other = endpoint({ account: OTHER });
      assert.deepEqual(await eventStore.addEndpoint({ endpoint: other }), { outcome: "added" });
      const [first] = await eventStore.listEndpoints({ account: ACCOUNT });
      await eventStore.dropEndpoint({ account: ACCOUNT, id: first?.id ?? "" });
      assert.deepEqual(await eventStore.addEndpoint({ endpoint: endpoint() }), {
        outcome: "added",
      });
    },
  );

  rule("a change of an endpoint leaves what it does not name", async ({ eventStore }) => {
    const one = endpoint();
    await eventStore.addEndpoint({ endpoint: one });
    let now = one;
    for (const change of [
      { url: "https://two.example/" },
      { pausedAt: 7 },
      { kinds: ["key.revoked"] as const },
      { url: "https://three.example/", pausedAt: 9 },
      { pausedAt: null },
    ]) {
      await eventStore.changeEndpoint({ account: ACCOUNT, id: one.id, ...change });
      now = { ...now, ...change };
      if (now.pausedAt !== null) now = { ...now, pausedAt: 7 };
      now.pausedBy = now.pausedAt === null ? null : "owner";
      assert.deepEqual(await eventStore.listEndpoints({ account: ACCOUNT }), [now]);
    }
  });

  rule("only its own account can change or delete an endpoint", async ({ eventStore }) => {
    const one = endpoint();
    await eventStore.addEndpoint({ endpoint: one });
    const changes = { url: "https://two.example/", kinds: ["key.revoked"] as const, pausedAt: 7 };
    const found = { found: true };
    const missing = { found: false };
    const change = (account: string, id: string) =>
      eventStore.changeEndpoint({ account, id, ...changes });
    assert.deepEqual(await change(OTHER, one.id), missing);
    assert.deepEqual(await change(ACCOUNT, "whk_none"), missing);
    assert.deepEqual(await eventStore.listEndpoints({ account: ACCOUNT }), [one]);
    assert.deepEqual(await change(ACCOUNT, one.id), found);
    assert.deepEqual(await eventStore.listEndpoints({ account: ACCOUNT }), [
      { ...one, ...changes, pausedBy: "owner" },
    ]);
    assert.deepEqual(await eventStore.dropEndpoint({ account: OTHER, id: one.id }), missing);
    assert.deepEqual(await eventStore.dropEndpoint({ account: ACCOUNT, id: one.id }), found);
    assert.deepEqual(await eventStore.dropEndpoint({ account: ACCOUNT, id: one.id }), missing);
    assert.deepEqual(await eventStore.listEndpoints({ account: ACCOUNT }), []);
  });

  rule(
    "deleting an account's address deletes its endpoints, their deliveries and its choice",
    async ({ eventStore, db, handle }) => {
      for (const [account, email] of [
        [ACCOUNT, "a@example.org"],
        [OTHER, "b@example.org"],
      ] as const) {
        await db.batch([
          sql`INSERT INTO address (email, account, created_at) VALUES (${email}, ${account}, 1)`,
        ]);
        await eventStore.addEndpoint({ endpoint: endpoint({ account }) });
        await eventStore.choose({ account, choice: { emails: { low: false, expiring: false } } });
        await handle(lowEvent({ account }));
      }
      await db.batch([sql`DELETE FROM address WHERE account = ${ACCOUNT}`]);
      const [left] = await db.batch([
        sql`SELECT account FROM webhook_endpoint UNION ALL SELECT account FROM webhook_delivery
          UNION ALL SELECT account FROM notification_choice`,
      ]);
      assert.deepEqual(
        left?.map(({ account }) => account),
        [OTHER, OTHER, OTHER],
      );
    },
  );
}

function describeHandling(rule: Rule) {
  rule(
    "an event becomes its email and a delivery for each endpoint that wants its kind",
    async ({ eventStore, handle, emails: messages, list }) => {
      const wanted = [endpoint({ createdAt: START + 5 }), endpoint({ createdAt: START + 4 })];
      const others = [
        endpoint({ kinds: ["credits.depleted", "key.created"] }),
        endpoint({ pausedAt: START }),
        endpoint({ account: OTHER }),
      ];
      for (const each of [...wanted, ...others]) await eventStore.addEndpoint({ endpoint: each });
      const [event, enqueued] = [lowEvent(), email({ content: "Grüße 🐝" })];
      const body = `{"text":"Grüße 'n' \\"?\\" 🐝"}`;
      assert.deepEqual(await handle(event, { email: enqueued, body }), {
        handled: true,
        emailSkipped: null,
      });
      assert.deepEqual(await messages(), [{ ...enqueued, postedAt: START, failures: 0, take: 1 }]);
      const made = (await Promise.all(wanted.map(({ id }) => list(id)))).flat();
      assert.deepEqual(made, [
        ...wanted.map(({ id }, index) => ({
          ...{ id: made[index]?.id, endpoint: id, account: ACCOUNT, event: webhookIdOf(event) },
          ...{ kind: "credits.low", body, createdAt: START, status: "waiting", tries: 0 },
          ...{ dueAt: START, lastTriedAt: null, lastStatus: null, lastError: null },
        })),
      ]);
      assert.equal(new Set(made.map(({ id }) => id)).size, 2);
      for (const { id } of others) assert.deepEqual(await list(id), []);
    },
  );

  rule(
    "an event is handled once, however many callers handle it at once and later",
    async ({ eventStore, handle, emails: messages, list }) => {
      const place = endpoint();
      await eventStore.addEndpoint({ endpoint: place });
      const event = lowEvent();
      const attempt = () => handle(event, { email: email() });
      const outcomes = await Promise.all([attempt(), attempt(), attempt(), attempt()]);
      outcomes.push(await attempt(), await handle(event, { now: START + DAY_MS }));
      assert.equal(outcomes.filter(({ handled }) => handled).length, 1);
      assert.equal((await messages()).length, 1);
      assert.equal((await list(place.id)).length, 1);
      const next: LedgerEvent = { ...event, id: `${event.id}1` };
      assert.equal((await handle(next, { email: email() })).handled, true);
      assert.equal((await list(place.id)).length, 2);
    },
  );

  rule(
    "while the queue is full for its email, an event is not handled",
    async ({ eventStore, db, handle, list }) => {
      const place = endpoint();
      await eventStore.addEndpoint({ endpoint: place });
      const earlier = lowEvent();
      await handle(earlier, { email: email() });
      await fillQueue(db, EMAILS_BEFORE_CREDITS_WAIT - 1);
      const event = lowEvent();
      const full = { handled: false, emailSkipped: "queue_full" };
      assert.deepEqual(await handle(event, { email: email() }), full);
      assert.deepEqual(await handle(event, { email: email() }), full);
      // Handled events stay handled, and events without an email do not need the queue.
      const known = { handled: false, emailSkipped: null };
      assert.deepEqual(await handle(earlier, { email: email() }), known);
      assert.deepEqual(await handle(lowEvent()), { handled: true, emailSkipped: null });
      assert.equal((await list(place.id)).length, 2);
      await db.batch([sql`DELETE FROM job WHERE id = 'fill_1'`]);
      const enqueued = email();
      const done = { handled: true, emailSkipped: null };
      assert.deepEqual(await handle(event, { email: enqueued }), done);
      const [rows] = await db.batch([sql`SELECT id FROM job WHERE id = ${enqueued.id}`]);
      assert.equal(rows?.length, 1);
      assert.equal((await list(place.id))[0]?.event, webhookIdOf(event));
    },
  );

  rule(
    "an email beyond the limits of the queue is skipped, and the webhooks are delivered nevertheless",
    async ({ eventStore, handle, emails: messages, list }) => {
      const place = endpoint();
      await eventStore.addEndpoint({ endpoint: place });
      for (let count = 0; count < 20; count += 1) await handle(lowEvent(), { email: email() });
      const event = lowEvent();
      const outcome = { handled: true, emailSkipped: "recipient_full" };
      assert.deepEqual(await handle(event, { email: email() }), outcome);
      const again = { handled: false, emailSkipped: null };
      assert.deepEqual(await handle(event, { email: email() }), again);
      assert.equal((await messages()).length, 20);
      assert.equal((await list(place.id)).length, 21);
    },
  );

  rule(
    "secrets are replaced only where nobody else did, and a previous one is deleted when it no longer signs",
    async ({ eventStore, list, handle }) => {
      const place = endpoint();
      await eventStore.addEndpoint({ endpoint: place });
      const { id, secret: from } = place;
      const fresh = { secret: "sealed1.two", previousSecret: from, previousUntil: START + 9 };
      assert.deepEqual(await eventStore.replaceSecrets({ id, from, ...fresh }), { changed: true });
      assert.deepEqual(await eventStore.replaceSecrets({ id, from, ...fresh }), { changed: false });
      assert.deepEqual(await eventStore.listEndpoints(place), [{ ...place, ...fresh }]);
      await handle(lowEvent());
      const [delivery] = await list(id);
      const { secret, previousSecret, previousUntil } =
        (await eventStore.findDelivery({ id: delivery?.id ?? "" })) ?? {};
      assert.deepEqual({ secret, previousSecret, previousUntil }, fresh);
      const order = { before: 0, max: 1 };
      await eventStore.forget({ ...order, now: START + 8 });
      assert.deepEqual(await eventStore.listEndpoints(place), [{ ...place, ...fresh }]);
      await eventStore.forget({ ...order, now: START + 9 });
      const ended = { ...place, secret: "sealed1.two", previousSecret: null, previousUntil: null };
      assert.deepEqual(await eventStore.listEndpoints(place), [ended]);
    },
  );

  rule(
    "handled events are forgotten after the same time as their deliveries",
    async ({ eventStore, handle, list }) => {
      const place = endpoint();
      await eventStore.addEndpoint({ endpoint: place });
      const [old, young] = [lowEvent(), lowEvent()];
      await handle(old);
      await handle(young, { now: START + 1 });
      const order = { before: START + 1, max: 9, now: START };
      assert.deepEqual(await eventStore.forget(order), { forgotten: 2, more: false });
      assert.deepEqual(await eventStore.forget(order), { forgotten: 0, more: false });
      assert.deepEqual(
        (await list(place.id)).map(({ event }) => event),
        [webhookIdOf(young)],
      );
      assert.equal((await handle(young)).handled, false);
      assert.equal((await handle(old)).handled, true);
      assert.deepEqual(await eventStore.forget({ before: START + 9, max: 1, now: START }), {
        forgotten: 2,
        more: true,
      });
      assert.deepEqual(await eventStore.forget({ before: START + 9, max: 1, now: START }), {
        forgotten: 2,
        more: true,
      });
    },
  );
}
