/** Contract of the email queue: its limits in total, for each recipient, and for emails that anyone can request. */
import assert from "node:assert/strict";
import {
  EMAILS_BEFORE_CREDITS_WAIT,
  NOTIFICATIONS_PER_RECIPIENT_MAX,
  QUEUED_EMAILS_MAX,
  REQUESTED_PER_DAY_MAX,
  REQUESTED_PER_HOUR_MAX,
  type RequestedBounds,
} from "#email/bounds.ts";
import type { EmailKind } from "#email/mail.ts";
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
      assert.equal((await ask(queue, START, "sign_up_code")).outcome, "added");
      assert.equal((await ask(queue, START, "sign_in_code")).outcome, "added");
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
    await ask(queue, START, "sign_up_code");
    const more = { email: email({ to: "more@example.org" }), now: START };
    assert.deepEqual(await queue.add(more), { outcome: "queue_full" });
    assert.equal((await ask(queue, START, "sign_in_code")).outcome, "queue_full");
    assert.equal((await ask(queue, START, "sign_up_code")).outcome, "queue_full");
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
    `of 20 emails requested at once for one recipient, ${REQUESTED_PER_HOUR_MAX} are queued: none replaces another`,
    async (queue) => {
      const asking = Array.from({ length: 20 }, () => ask(queue, START, "sign_up_code"));
      const outcomes = (await Promise.all(asking)).map(({ outcome }) => outcome);
      assert.equal(outcomes.filter((each) => each === "added").length, REQUESTED_PER_HOUR_MAX);
      assert.equal((await takeAt(queue, START, 99)).length, REQUESTED_PER_HOUR_MAX);
      assert.equal(await deliver(queue, START, "sign_up_code"), "too_often");
    },
  );

  rule("a requested email that is added again changes nothing, and counts once", async (queue) => {
    const given = email({ kind: "sign_in_code" });
    const again = { email: given, now: START };
    for (let each = 0; each < 3; each += 1)
      assert.deepEqual(await queue.add(again), { outcome: "added" });
    assert.deepEqual(idsOf(await takeAt(queue, START, 9)), [given.id]);
    for (let each = 1; each < REQUESTED_PER_HOUR_MAX; each += 1)
      assert.equal(await deliver(queue, START, "sign_in_code"), "added");
    assert.equal(await deliver(queue, START, "sign_in_code"), "too_often");
  });
}

export function describeTotals(rule: Rule) {
  const request = async (
    queue: QueueUnderTest,
    { kind = "sign_up_code", network, bounds, now = START }: TotalsOrder,
  ) => {
    people += 1;
    const to = `person${people}@example.org`;
    return (await queue.add({ email: email({ kind, to }), now, bounds, network })).outcome;
  };

  rule(
    "emails to new addresses, to accounts, of browsers of their owners and for changes have a bound an hour and a day, each its own",
    async (queue) => {
      const bounds = { perHour: 3, perDay: 5 };
      const kinds = [
        ...(["sign_up_code", "sign_in_code", "known_sign_in_code"] as const),
        "new_address_code" as const,
      ];
      for (const kind of kinds) {
        const hour = [];
        for (let each = 0; each < 4; each += 1) hour.push(await request(queue, { bounds, kind }));
        assert.deepEqual(hour, ["added", "added", "added", "total_full"], kind);
      }
      const ofAll = (count: object) => ({
        sign_up: count,
        sign_in: count,
        known: count,
        change: count,
      });
      assert.deepEqual(await queue.countRequested({ now: START }), ofAll({ hour: 3, day: 3 }));
      const now = START + HOUR_MS;
      for (const kind of kinds) {
        const hour = [];
        for (let each = 0; each < 3; each += 1)
          hour.push(await request(queue, { bounds, kind, now }));
        assert.deepEqual(hour, ["added", "added", "total_full"], kind);
      }
      assert.deepEqual(await queue.countRequested({ now }), ofAll({ hour: 2, day: 5 }));
      const moved = await request(queue, { bounds, kind: "address_in_use", now });
      assert.equal(moved, "total_full", "like the codes to new addresses of accounts");
      assert.equal((await queue.add({ email: email(), now, bounds })).outcome, "added");
      assert.equal(await request(queue, { bounds, now: START + DAY_MS }), "added");
    },
  );

  rule("of 20 emails requested at once for as many people, the bound are added", async (queue) => {
    const order = { bounds: { perHour: 7, perDay: 0 } };
    const asking = Array.from({ length: 20 }, () => request(queue, order));
    const outcomes = await Promise.all(asking);
    assert.equal(outcomes.filter((outcome) => outcome === "added").length, 7);
    assert.equal(outcomes.filter((outcome) => outcome === "total_full").length, 13);
  });

  rule(
    "one network causes at most a tenth of the bound, of all groups, and others still can",
    async (queue) => {
      const bounds = { perHour: 50, perDay: 60 };
      let turn = 0;
      const from = (network: string, now = START) => {
        turn += 1;
        const kind = turn % 2 === 0 ? "sign_up_code" : "sign_in_code";
        return request(queue, { bounds, now, network, kind });
      };
      for (let each = 0; each < 5; each += 1) assert.equal(await from("one"), "added");
      assert.equal(await from("one"), "network_full");
      assert.equal(await from("two"), "added");
      assert.equal(await from(""), "added");
      assert.equal(await from("one", START + HOUR_MS), "added");
      assert.equal(await from("one", START + HOUR_MS), "network_full", "of the day");
    },
  );

  rule("aliases of an address share its limits", async (queue) => {
    const aliases = ["b.ob@gmail.com", "bob+1@gmail.com", "bob@googlemail.com", "bob@gmail.com"];
    for (const to of aliases)
      assert.equal(await deliver(queue, START, "sign_up_code", to), "added");
    assert.equal(await deliver(queue, START, "sign_up_code", "bo.b+2@gmail.com"), "too_often");
  });
}

type TotalsOrder = {
  kind?: EmailKind;
  network?: string;
  bounds: RequestedBounds;
  now?: number;
};
let people = 0;

export function describeAsking(rule: Rule) {
  const hour = `at most ${REQUESTED_PER_HOUR_MAX} emails an hour and ${REQUESTED_PER_DAY_MAX} a day can be requested for one address by users who want to move to it, whatever their kind`;
  rule(hour, async (queue) => {
    const kinds = [
      ...(["new_address_code", "address_in_use", "new_address_code"] as const),
      "address_in_use" as const,
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
      await deliver(queue, START + DAY_MS - 1, "new_address_code", "ADA@example.org"),
      "too_often",
    );
    assert.equal(await deliver(queue, START + DAY_MS, "new_address_code"), "added");
  });

  rule(
    "emails of one group for an address do not use up those of another, its notifications or other recipients' emails",
    async (queue) => {
      for (let each = 0; each < REQUESTED_PER_HOUR_MAX; each += 1)
        assert.equal(await deliver(queue, START, "sign_up_code"), "added");
      assert.equal(await deliver(queue, START, "sign_up_code"), "too_often");
      assert.equal(await deliver(queue, START, "sign_up_code", "bob@example.org"), "added");
      for (let each = 0; each < REQUESTED_PER_HOUR_MAX; each += 1)
        assert.equal(await deliver(queue, START, "sign_in_code"), "added");
      assert.equal(await deliver(queue, START, "sign_in_code"), "too_often");
      for (let each = 0; each < NOTIFICATIONS_PER_RECIPIENT_MAX; each += 1)
        assert.equal((await queue.add({ email: email(), now: START })).outcome, "added");
    },
  );
}
