/** Contract of the email queue: its limits in total, for each recipient, and for emails that anyone can request. */
import assert from "node:assert/strict";
import {
  EMAILS_BEFORE_CREDITS_WAIT,
  NOTIFICATIONS_PER_RECIPIENT_MAX,
  QUEUED_EMAILS_MAX,
  REQUESTED_PER_DAY_MAX,
  REQUESTED_PER_HOUR_MAX,
} from "#email/bounds.ts";
import type { RequestedBounds, Requester } from "#email/requested-bounds.ts";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import {
  ask,
  deliver,
  email,
  idsOf,
  type QueueUnderTest,
  type Rule,
  START,
  takeAt,
} from "./email-queue-fixture.ts";

export function describeBounds(rule: Rule) {
  rule(
    `at most ${NOTIFICATIONS_PER_RECIPIENT_MAX} notifications are queued for one recipient`,
    async (queue) => {
      for (let each = 0; each < NOTIFICATIONS_PER_RECIPIENT_MAX; each += 1) {
        const { outcome } = await queue.add({ email: email(), now: START });
        assert.equal(outcome, "added");
      }
      const more = { email: email(), now: START };
      assert.deepEqual(await queue.add(more), { outcome: "recipient_full" });
      const other = { email: email({ to: "bob@example.org" }), now: START };
      assert.deepEqual(await queue.add(other), { outcome: "added" });
      const [first] = await takeAt(queue, START, 1);
      await queue.done({ id: first?.id as string });
      assert.deepEqual(await queue.add(more), { outcome: "added" });
    },
  );

  rule("emails about credits and other notifications have limits of their own", async (queue) => {
    const kinds = ["credits_low", "credits_depleted", "credits_expiring"] as const;
    const add = async (each: number) => {
      const kind = kinds[each % kinds.length] ?? "credits_low";
      return (await queue.add({ email: email({ kind }), now: START })).outcome;
    };
    for (let each = 0; each < NOTIFICATIONS_PER_RECIPIENT_MAX; each += 1)
      assert.equal(await add(each), "added");
    assert.equal(await add(0), "recipient_full");
    for (let each = 0; each < NOTIFICATIONS_PER_RECIPIENT_MAX; each += 1)
      assert.equal((await queue.add({ email: email(), now: START })).outcome, "added");
  });

  rule(
    `with ${EMAILS_BEFORE_CREDITS_WAIT} queued emails, emails about credits are rejected and others are not`,
    async (queue, fill) => {
      await fill(EMAILS_BEFORE_CREDITS_WAIT - 1);
      const low = () => ({ email: email({ kind: "credits_low" }), now: START });
      assert.deepEqual(await queue.add(low()), { outcome: "added" });
      assert.deepEqual(await queue.add(low()), { outcome: "queue_full" });
      assert.deepEqual(await queue.add({ email: email(), now: START }), { outcome: "added" });
      assert.equal((await ask(queue, START, "verify_address")).outcome, "added");
      assert.equal((await ask(queue, START, "reset_password")).outcome, "added");
    },
  );

  rule("an email whose link has expired does not count towards limits", async (queue) => {
    for (let each = 0; each < NOTIFICATIONS_PER_RECIPIENT_MAX; each += 1)
      await queue.add({ email: email({ usefulUntil: START + 100 }), now: START });
    const more = email();
    const early = await queue.add({ email: more, now: START + 99 });
    assert.deepEqual(early, { outcome: "recipient_full" });
    assert.deepEqual(await queue.add({ email: more, now: START + 100 }), { outcome: "added" });
  });

  rule(`at most ${QUEUED_EMAILS_MAX} emails are queued`, async (queue, fill) => {
    await fill(QUEUED_EMAILS_MAX - 1);
    await ask(queue, START, "verify_address");
    const more = { email: email({ to: "more@example.org" }), now: START };
    assert.deepEqual(await queue.add(more), { outcome: "queue_full" });
    assert.equal((await ask(queue, START, "reset_password")).outcome, "queue_full");
    const instead = await ask(queue, START, "verify_address");
    assert.equal(instead.outcome, "added", "one that takes another's place needs none");
    assert.equal((await queue.count({ transportKind: "smtp" })).waiting, QUEUED_EMAILS_MAX);
  });
}

export function describeCrowds(rule: Rule) {
  rule(
    `of ${2 * NOTIFICATIONS_PER_RECIPIENT_MAX} notifications added at once for one recipient, ${NOTIFICATIONS_PER_RECIPIENT_MAX} are stored`,
    async (queue) => {
      const adding = Array.from({ length: 2 * NOTIFICATIONS_PER_RECIPIENT_MAX }, () =>
        queue.add({ email: email(), now: START }),
      );
      const outcomes = (await Promise.all(adding)).map(({ outcome }) => outcome);
      const kept = outcomes.filter((outcome) => outcome === "added").length;
      assert.equal(kept, NOTIFICATIONS_PER_RECIPIENT_MAX);
      assert.equal(
        (await queue.count({ transportKind: "smtp" })).waiting,
        NOTIFICATIONS_PER_RECIPIENT_MAX,
      );
    },
  );

  rule(
    "of 20 emails requested at once one stays queued, and it counts once towards the hourly limit",
    async (queue) => {
      const asking = Array.from({ length: 20 }, () => ask(queue, START, "verify_address"));
      for (const { outcome } of await Promise.all(asking)) assert.equal(outcome, "added");
      const waiting = await takeAt(queue, START, 99);
      assert.equal(waiting.length, 1);
      await queue.done({ id: waiting[0]?.id as string });
      for (let each = 1; each < REQUESTED_PER_HOUR_MAX; each += 1)
        assert.equal(await deliver(queue, START, "verify_address"), "added");
      assert.equal(await deliver(queue, START, "verify_address"), "too_often");
    },
  );

  rule(
    "a requested email that is added again changes nothing: it counts once and replaces none",
    async (queue) => {
      const given = email({ kind: "reset_password" });
      const again = { email: given, now: START };
      for (let each = 0; each < 3; each += 1)
        assert.deepEqual(await queue.add(again), { outcome: "added" });
      const newer = await ask(queue, START, "reset_password");
      assert.deepEqual(idsOf(await takeAt(queue, START, 9)), [newer.id]);
      assert.deepEqual(await queue.add({ ...again, email: email({ id: newer.id }) }), {
        outcome: "added",
      });
      await queue.done({ id: newer.id });
      for (let each = 1; each < REQUESTED_PER_HOUR_MAX; each += 1)
        assert.equal(await deliver(queue, START, "reset_password"), "added");
      assert.equal(await deliver(queue, START, "reset_password"), "too_often");
    },
  );
}

export function describeTotals(rule: Rule) {
  const request = async (
    queue: QueueUnderTest,
    { kind = "verify_address", requester, bounds, now = START }: TotalsOrder,
  ) => {
    people += 1;
    const to = `person${people}@example.org`;
    return (await queue.add({ email: email({ kind, to }), now, bounds, requester })).outcome;
  };

  rule(
    "emails that anyone can request have a bound an hour and a day, a quarter of it for verified users",
    async (queue) => {
      const bounds = { perHour: 4, perDay: 8 };
      const given = (now: number) => ({
        bounds,
        now,
        requester: { kind: "anyone", network: "" } as const,
      });
      const hour = [];
      for (let each = 0; each < 4; each += 1) hour.push(await request(queue, given(START)));
      assert.deepEqual(hour, ["added", "added", "added", "total_full"]);
      const verified = {
        bounds,
        kind: "reset_password",
        requester: { kind: "verified", network: "" },
      } as const;
      assert.equal(await request(queue, verified), "added");
      assert.equal(await request(queue, verified), "total_full");
      assert.deepEqual(
        { ...(await queue.countRequested({ now: START, network: "" })) },
        {
          ...NO_NETWORK,
          hour: 4,
          day: 4,
        },
      );
      const later = START + HOUR_MS;
      assert.equal(await request(queue, given(later)), "added");
      assert.equal(await request(queue, given(later)), "added");
      assert.equal(await request(queue, given(later)), "total_full");
      assert.deepEqual(
        { ...(await queue.countRequested({ now: later, network: "" })) },
        {
          ...NO_NETWORK,
          hour: 2,
          day: 6,
        },
      );
      assert.equal((await queue.add({ email: email(), now: later, bounds })).outcome, "added");
      const tomorrow = START + DAY_MS;
      assert.equal(await request(queue, given(tomorrow)), "added");
    },
  );

  rule("of 20 emails requested at once for as many people, the bound are added", async (queue) => {
    const order = {
      bounds: { perHour: 7, perDay: 0 },
      requester: { kind: "verified", network: "" } as const,
    };
    const asking = Array.from({ length: 20 }, () => request(queue, order));
    const outcomes = await Promise.all(asking);
    assert.equal(outcomes.filter((outcome) => outcome === "added").length, 7);
    assert.equal(outcomes.filter((outcome) => outcome === "total_full").length, 13);
  });

  rule("one network causes at most a tenth of the bound, and others still can", async (queue) => {
    const bounds = { perHour: 50, perDay: 60 };
    const from = (network: string, now = START) =>
      request(queue, { bounds, now, requester: { kind: "anyone", network } });
    for (let each = 0; each < 5; each += 1) assert.equal(await from("one"), "added");
    assert.equal(await from("one"), "network_full");
    assert.equal(await from("two"), "added");
    assert.equal(await from(""), "added");
    const counts = await queue.countRequested({ now: START, network: "one" });
    assert.deepEqual({ ...counts }, { hour: 7, day: 7, networkHour: 5, networkDay: 5 });
    assert.equal(await from("one", START + HOUR_MS), "added");
    assert.equal(await from("one", START + HOUR_MS), "network_full", "of the day");
  });

  rule("an email that replaces a queued one does not count towards the bound", async (queue) => {
    const order = { now: START, bounds: { perHour: 1, perDay: 1 } };
    for (let each = 0; each < 3; each += 1) {
      const added = await queue.add({ email: email({ kind: "verify_address" }), ...order });
      assert.equal(added.outcome, "added");
    }
    assert.equal((await queue.countRequested({ now: START, network: "" })).hour, 1);
  });

  rule("aliases of an address share its limits", async (queue) => {
    const aliases = ["b.ob@gmail.com", "bob+1@gmail.com", "bob@googlemail.com", "bob@gmail.com"];
    for (const to of aliases)
      assert.equal(await deliver(queue, START, "verify_address", to), "added");
    assert.equal(await deliver(queue, START, "verify_address", "bo.b+2@gmail.com"), "too_often");
  });
}

const NO_NETWORK = { networkHour: 0, networkDay: 0 };

type TotalsOrder = {
  kind?: "verify_address" | "reset_password";
  requester: Requester;
  bounds: RequestedBounds;
  now?: number;
};
let people = 0;

export function describeAsking(rule: Rule) {
  const hour = `at most ${REQUESTED_PER_HOUR_MAX} emails an hour and ${REQUESTED_PER_DAY_MAX} a day can be requested for one address, whatever their kind`;
  rule(hour, async (queue) => {
    const kinds = [
      ...(["verify_address", "address_in_use", "verify_new_address"] as const),
      "confirm_address_change" as const,
    ];
    assert.equal(kinds.length, REQUESTED_PER_HOUR_MAX);
    assert.equal(REQUESTED_PER_DAY_MAX, 3 * REQUESTED_PER_HOUR_MAX);
    const HOURS = [
      [0, "added"],
      [0.5, "too_often"],
      [1, "added"],
      [2, "added"],
      [3, "too_often"],
    ] as const;
    for (const [hours, expected] of HOURS)
      for (const kind of kinds)
        assert.equal(await deliver(queue, START + hours * HOUR_MS, kind), expected, `${hours} h`);
    assert.equal(
      await deliver(queue, START + DAY_MS - 1, "verify_address", "ADA@example.org"),
      "too_often",
    );
    assert.equal(await deliver(queue, START + DAY_MS, "verify_address"), "added");
  });

  rule(
    "sign-ups with an address do not use up its password resets, its notifications or other recipients' emails",
    async (queue) => {
      for (let each = 0; each < REQUESTED_PER_HOUR_MAX; each += 1)
        assert.equal(await deliver(queue, START, "verify_address"), "added");
      assert.equal(await deliver(queue, START, "verify_address"), "too_often");
      assert.equal(await deliver(queue, START, "verify_address", "bob@example.org"), "added");
      for (let each = 0; each < REQUESTED_PER_HOUR_MAX; each += 1)
        assert.equal(await deliver(queue, START, "reset_password"), "added");
      assert.equal(await deliver(queue, START, "reset_password"), "too_often");
      for (let each = 0; each < NOTIFICATIONS_PER_RECIPIENT_MAX; each += 1)
        assert.equal((await queue.add({ email: email(), now: START })).outcome, "added");
    },
  );

  rule(
    "the newest email of a kind replaces a queued one, as often as it is requested",
    async (queue) => {
      const other = await ask(queue, START, "verify_address");
      let last = "";
      for (let each = 0; each < 30; each += 1) {
        const { id, outcome } = await ask(queue, START + each, "reset_password");
        assert.equal(outcome, "added");
        last = id;
      }
      assert.deepEqual(idsOf(await takeAt(queue, START + 30)), [other.id, last]);
    },
  );

  rule("a leased email is not replaced, and one that was put back is", async (queue) => {
    const first = await ask(queue, START, "reset_password");
    await takeAt(queue, START);
    const second = await ask(queue, START + 1, "reset_password");
    assert.deepEqual(idsOf(await takeAt(queue, START + 1)), [second.id]);
    const back = { take: 1, at: START + 50, failures: 0 };
    for (const { id } of [first, second])
      assert.deepEqual(await queue.later({ id, ...back }), { found: true });
    const third = await ask(queue, START + 2, "reset_password");
    assert.deepEqual(idsOf(await takeAt(queue, START + 50)), [third.id]);
  });
}
