/** Contract of the event store: deliveries. */
import assert from "node:assert/strict";
import { SENT_AGAIN_A_DAY_MAX } from "#events/bounds.ts";
import { DAY_MS } from "#limits.ts";
import {
  ACCOUNT,
  type EventFixture,
  endpoint,
  fill,
  LEASE,
  lowEvent,
  OTHER,
  type Rule,
  START,
  type TakenDelivery,
  takeAt,
} from "./event-store-fixture.ts";

const FAILED = {
  status: "waiting",
  lastStatus: 500,
  lastError: "The endpoint responded with 500.",
} as const;
const DELIVERED = { status: "delivered", dueAt: null, lastStatus: 204, lastError: null } as const;
const record = (
  { eventStore }: EventFixture,
  { id, take }: TakenDelivery,
  now: number,
  dueAt: number,
) => eventStore.recordTries([{ id, take, now, dueAt, ...FAILED }]);

export function describeDeliveries(rule: Rule): void {
  describeTaking(rule);
  describeTurns(rule);
  describePausing(rule);
  describeHistory(rule);
  describeLog(rule);
}

function describeTaking(rule: Rule) {
  rule(
    "a due delivery is taken with its endpoint's URL and secret, and its result is recorded",
    async (fixture) => {
      const { eventStore, list } = fixture;
      const place = endpoint();
      await fill(fixture, place, 1);
      assert.deepEqual(await eventStore.nextDue(), { at: START });
      assert.deepEqual(await takeAt(fixture, START - 1), []);
      const [taken] = await takeAt(fixture, START + 5);
      assert.ok(taken);
      const [row] = await list(place.id);
      assert.deepEqual(taken, {
        ...row,
        ...{ take: 1, url: place.url, secret: place.secret, isProven: false },
        ...{ previousSecret: null, previousUntil: null },
      });
      assert.deepEqual(await eventStore.nextDue(), { at: START + 5 + LEASE });
      assert.deepEqual(await record(fixture, taken, START + 9, START + 100), { recorded: 1 });
      const tried = { tries: 1, dueAt: START + 100, lastTriedAt: START + 9 };
      assert.deepEqual(await list(place.id), [{ ...row, ...FAILED, ...tried }]);
      assert.deepEqual(await takeAt(fixture, START + 99), []);
      const [again] = await takeAt(fixture, START + 100);
      assert.equal(again?.take, 2);
      const order = { id: taken.id, take: 2, now: START + 101, ...DELIVERED };
      assert.deepEqual(await eventStore.recordTries([order]), { recorded: 1 });
      assert.deepEqual(await eventStore.recordTries([order]), { recorded: 0 });
      assert.deepEqual(await eventStore.nextDue(), { at: null });
      const done = { tries: 2, lastTriedAt: START + 101, ...DELIVERED };
      assert.deepEqual(await list(place.id), [{ ...row, ...done }]);
    },
  );
}

function describeTurns(rule: Rule) {
  const TRIED = [
    { name: "failed lately", at: START + 20, did: FAILED },
    { name: "did well lately", at: START + 20, did: DELIVERED },
    { name: "failed before", at: START + 10, did: FAILED },
    { name: "did well before", at: START + 10, did: DELIVERED },
    { name: "never tried", at: null, did: null },
  ] as const;

  rule(
    "endpoints whose last attempt succeeded come first, then those tried longest ago",
    async (fixture) => {
      const { eventStore } = fixture;
      const nameOf = new Map<string, string>();
      for (const [index, { name, at, did }] of TRIED.entries()) {
        const place = endpoint({ account: `acc_00000000001${index}` });
        nameOf.set(place.id, name);
        await fill(fixture, place, at === null ? 1 : 3);
        if (at === null) continue;
        const [taken] = await takeAt(fixture, at);
        assert.equal(taken?.endpoint, place.id);
        const { id, take } = taken;
        await eventStore.recordTries([
          { id, take, now: at, ...did, dueAt: did === FAILED ? 8e15 : null },
        ]);
        // So that these deliveries are not taken instead of the next endpoint's.
        await eventStore.changeEndpoint({ ...place, pausedAt: START });
      }
      for (const [id] of nameOf) {
        const account = `acc_00000000001${[...nameOf.keys()].indexOf(id)}`;
        await eventStore.changeEndpoint({ ...endpoint({ id }), account, pausedAt: null });
      }
      const take = { now: START + 9_000, leaseUntil: START + 9_000 + LEASE };
      const names = async (max: number, unprovenMax?: number) =>
        (
          await eventStore.take({ ...take, max, ...(unprovenMax !== undefined && { unprovenMax }) })
        ).map(({ endpoint: of, isProven }) => `${nameOf.get(of)}${isProven ? "!" : ""}`);
      assert.deepEqual(await names(0), []);
      assert.deepEqual(await names(9, 0), ["did well before!", "did well lately!"]);
      assert.deepEqual(await names(9, 0), []);
      assert.deepEqual(await names(9, 2), ["never tried", "failed before"]);
      assert.deepEqual(await names(9), ["failed lately"]);
    },
  );

  rule(
    "the results of several deliveries are recorded together, each for itself",
    async (fixture) => {
      const places = [endpoint(), endpoint({ account: OTHER })] as const;
      for (const place of places) await fill(fixture, place, 1);
      const [one, two] = await takeAt(fixture, START);
      assert.ok(one && two);
      const recorded = await fixture.eventStore.recordTries([
        { id: one.id, take: one.take, now: START + 1, ...DELIVERED },
        { id: two.id, take: two.take + 1, now: START + 1, ...DELIVERED },
        { id: two.id, take: two.take, now: START + 2, ...FAILED, dueAt: START + 9 },
      ]);
      assert.deepEqual(recorded, { recorded: 2 });
      const statuses = [one, two].map(async ({ endpoint: of, account }) => {
        const order = { account, endpoint: of, after: null, max: 9 };
        const [row] = await fixture.eventStore.listDeliveries(order);
        return [row?.status, row?.lastTriedAt];
      });
      assert.deepEqual(await Promise.all(statuses), [
        ["delivered", START + 1],
        ["waiting", START + 2],
      ]);
    },
  );
}

function describePausing(rule: Rule) {
  const pause = (
    { eventStore }: EventFixture,
    place: ReturnType<typeof endpoint>,
    pausedAt: number | null,
  ) => eventStore.changeEndpoint({ ...place, account: ACCOUNT, pausedAt });

  rule(
    "deliveries of a paused endpoint wait until it is resumed, and are due then",
    async (fixture) => {
      const { eventStore, list, handle } = fixture;
      const [place, beside] = [endpoint(), endpoint({ kinds: ["credits.low"] })];
      await fill(fixture, place, 2);
      const [taken] = await takeAt(fixture, START);
      assert.ok(taken);
      await pause(fixture, place, START + 1);
      assert.deepEqual(await eventStore.nextDue(), { at: null });
      assert.deepEqual(await takeAt(fixture, START + DAY_MS), []);
      await record(fixture, taken, START + 2, START + 3);
      assert.deepEqual(await eventStore.nextDue(), { at: null });
      await eventStore.addEndpoint({ endpoint: beside });
      await handle(lowEvent());
      assert.deepEqual(
        (await list(place.id)).map(({ status, dueAt, tries }) => [status, dueAt, tries]),
        [
          ["waiting", null, 0],
          ["waiting", null, 1],
        ],
      );
      assert.equal((await takeAt(fixture, START + DAY_MS))[0]?.endpoint, beside.id);
      await pause(fixture, place, null);
      assert.deepEqual(
        (await takeAt(fixture, START + DAY_MS)).map(({ endpoint: of }) => of),
        [place.id],
      );
    },
  );

  rule(
    "delivered and failed deliveries are not tried again when their endpoint is resumed",
    async (fixture) => {
      const place = endpoint();
      await fill(fixture, place, 1);
      const [taken] = await takeAt(fixture, START);
      assert.ok(taken);
      const { id, take } = taken;
      await fixture.eventStore.recordTries([{ id, take, now: START, ...DELIVERED }]);
      await pause(fixture, place, START);
      await pause(fixture, place, null);
      assert.deepEqual(await fixture.eventStore.nextDue(), { at: null });
    },
  );

  rule(
    "an endpoint that is resumed during an attempt gets no second one at the same time",
    async (fixture) => {
      const place = endpoint();
      await fill(fixture, place, 1);
      await takeAt(fixture, START);
      await pause(fixture, place, START);
      await pause(fixture, place, null);
      assert.deepEqual(await takeAt(fixture, START + 1), []);
      assert.equal((await takeAt(fixture, START + LEASE)).length, 1);
    },
  );

  rule(
    "a delivery whose endpoint is resumed before it is recorded as paused is due",
    async (fixture) => {
      const { jobs } = fixture.eventStore;
      const place = endpoint();
      await fill(fixture, place, 1);
      const [taken] = await takeAt(fixture, START);
      assert.ok(taken);
      const { id } = taken;
      const isPaused = (take: number, now: number) =>
        jobs.settle({ settlements: [{ id, take, now, outcome: "paused" }] });
      await pause(fixture, place, START);
      await pause(fixture, place, null);
      assert.deepEqual(await isPaused(taken.take, START + 1), { settled: 1 });
      const [again] = await takeAt(fixture, START + 2);
      assert.equal(again?.id, id);
      // An operator can make a delivery of a paused endpoint due.
      await pause(fixture, place, START + 3);
      const dead = { outcome: "dead", attempts: 1, error: "no", eraseAt: null } as const;
      await jobs.settle({ settlements: [{ id, take: again.take, now: START + 4, ...dead }] });
      await jobs.retry({ id, now: START + 5 });
      const order = { queues: ["webhook"], turns: { unprovenMax: 1 }, max: 1 } as const;
      const now = START + 6;
      const [retried] = (await jobs.take({ ...order, now, leaseUntil: now + LEASE })).jobs;
      assert.ok(retried);
      await pause(fixture, place, null);
      assert.deepEqual(await isPaused(retried.take, START + 7), { settled: 1 });
      assert.equal((await takeAt(fixture, START + 8))[0]?.id, id);
    },
  );
}

function describeHistory(rule: Rule) {
  rule("the history of an endpoint has its last success and its last failure", async (fixture) => {
    const { eventStore } = fixture;
    const place = endpoint();
    await fill(fixture, place, 3);
    const read = async () => (await eventStore.readHistory({ account: ACCOUNT })).get(place.id);
    assert.deepEqual(await read(), { lastDeliveredAt: null, lastFailure: null });
    const [first] = await takeAt(fixture, START);
    assert.ok(first);
    await record(fixture, first, START + 9, START + 10);
    const { lastStatus, lastError } = FAILED;
    const failed = { at: START + 9, lastStatus, lastError };
    assert.deepEqual(await read(), { lastDeliveredAt: null, lastFailure: failed });
    const [again] = await takeAt(fixture, START + 10);
    assert.equal(again?.take, 2);
    const { id } = first;
    await eventStore.recordTries([{ id, take: 2, now: START + 11, ...DELIVERED }]);
    // The delivery that failed has succeeded since.
    assert.deepEqual(await read(), { lastDeliveredAt: START + 11, lastFailure: null });
    assert.equal((await eventStore.readHistory({ account: OTHER })).size, 0);
  });

  rule("a test event is delivered like any other, and counts as a resent one", async (fixture) => {
    const { eventStore, list } = fixture;
    const place = endpoint();
    await eventStore.addEndpoint({ endpoint: place });
    const order = {
      account: ACCOUNT,
      endpoint: place.id,
      event: "evt_test",
      body: "{}",
      now: START,
    };
    const missing = { found: false, isRateLimited: false };
    const others = [{ account: OTHER }, { endpoint: "whk_other" }];
    for (const wrong of others)
      assert.deepEqual(await eventStore.sendTest({ ...order, newId: "dlv_x", ...wrong }), missing);
    const sent = { found: true, isRateLimited: false };
    assert.deepEqual(await eventStore.sendTest({ ...order, newId: "dlv_test" }), sent);
    const [row] = await list(place.id);
    assert.deepEqual([row?.kind, row?.event, row?.body], ["test", "evt_test", "{}"]);
    const [taken] = await takeAt(fixture, START);
    assert.equal(taken?.id, "dlv_test");
    for (let no = 1; no < SENT_AGAIN_A_DAY_MAX; no += 1)
      await eventStore.sendTest({ ...order, newId: `dlv_test_${no}` });
    const full = { found: true, isRateLimited: true };
    assert.deepEqual(await eventStore.sendTest({ ...order, newId: "dlv_over" }), full);
    const next = { ...order, newId: "dlv_next", now: START + DAY_MS };
    assert.deepEqual(await eventStore.sendTest(next), sent);
  });
}

function describeLog(rule: Rule) {
  rule(
    "deliveries are listed newest first, page by page, and only to their account",
    async (fixture) => {
      const { eventStore, list } = fixture;
      const place = endpoint();
      await fill(fixture, place, 5);
      const seen: number[] = [];
      for (let after: string | null = null; ; ) {
        const page = await list(place.id, 2, after);
        seen.push(...page.map(({ createdAt }) => (createdAt - START) / 1_000));
        after = page.at(-1)?.id ?? null;
        if (after === null) break;
      }
      assert.deepEqual(seen, [4, 3, 2, 1, 0]);
      const theirs = { account: OTHER, endpoint: place.id, after: null, max: 9 };
      assert.deepEqual(await eventStore.listDeliveries(theirs), []);
      await eventStore.dropEndpoint({ account: ACCOUNT, id: place.id });
      assert.deepEqual(await list(place.id), []);
      assert.deepEqual(await eventStore.nextDue(), { at: null });
    },
  );

  rule("sending again adds a new delivery of the same event and body", async (fixture) => {
    const { eventStore, list } = fixture;
    const place = endpoint();
    await fill(fixture, place, 1);
    const [taken] = await takeAt(fixture, START);
    assert.ok(taken);
    await eventStore.recordTries([{ id: taken.id, take: 1, now: START, ...DELIVERED }]);
    const order = { account: ACCOUNT, endpoint: place.id, id: taken.id, now: START + 7 };
    const sent = { found: true, isRateLimited: false };
    assert.deepEqual(await eventStore.sendAgain({ ...order, newId: "dlv_new" }), sent);
    const [again, before] = await list(place.id);
    assert.deepEqual(again, {
      ...before,
      ...{ id: "dlv_new", createdAt: START + 7, status: "waiting", tries: 0, dueAt: START + 7 },
      ...{ lastTriedAt: null, lastStatus: null },
    });
    const missing = { found: false, isRateLimited: false };
    for (const wrong of [{ account: OTHER }, { endpoint: "whk_none" }, { id: "dlv_none" }])
      assert.deepEqual(await eventStore.sendAgain({ ...order, newId: "dlv_x", ...wrong }), missing);
    await eventStore.changeEndpoint({ ...place, pausedAt: START });
    await eventStore.sendAgain({ ...order, newId: "dlv_paused" });
    assert.equal((await list(place.id))[0]?.dueAt, null);
  });

  rule(
    `at most ${SENT_AGAIN_A_DAY_MAX} deliveries are sent again within a day, whatever else is delivered`,
    async (fixture) => {
      const { eventStore, list } = fixture;
      const place = endpoint();
      await fill(fixture, place, 3);
      const [{ id = "" } = {}] = await list(place.id);
      const again = (newId: string, now: number) =>
        eventStore.sendAgain({ account: ACCOUNT, endpoint: place.id, id, newId, now });
      await again("dlv_first", START);
      for (let count = 1; count < SENT_AGAIN_A_DAY_MAX; count += 1)
        await again(`dlv_b${count}`, START + 1);
      assert.deepEqual(await again("dlv_more", START + 2), { found: true, isRateLimited: true });
      assert.equal((await list(place.id, 200)).length, SENT_AGAIN_A_DAY_MAX + 3);
      assert.equal((await again("dlv_next", START + DAY_MS)).isRateLimited, false);
      assert.equal((await again("dlv_late", START + DAY_MS)).isRateLimited, true);
    },
  );
}
