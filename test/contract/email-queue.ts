/** Contract of the email queue, for every store. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  describeAsking,
  describeBounds,
  describeCrowds,
  describeTotals,
} from "./email-queue-bounds.ts";
import {
  email,
  fillOneByOne,
  idsOf,
  LEASE,
  type OpenEmailQueue,
  type QueueUnderTest,
  type Rule,
  START,
  takeAt,
} from "./email-queue-fixture.ts";

export function emailQueueContract(name: string, open: OpenEmailQueue): void {
  const rule: Rule = (title, check) => {
    test(title, async (t) => {
      const { queue, fill = fillOneByOne(queue) } = await open(t);
      await check(queue, fill);
    });
  };
  describe(`the email queue, ${name}`, () => {
    describeTaking(rule);
    describeReturning(rule);
    describeBounds(rule);
    describeAsking(rule);
    describeCrowds(rule);
    describeTotals(rule);
    describeWays(rule);
  });
}

function describeTaking(rule: Rule) {
  rule("an email is taken as it was added", async (queue) => {
    const given = email({ usefulUntil: START + 5 });
    assert.deepEqual(await queue.add({ email: given, now: START }), { outcome: "added" });
    assert.deepEqual(await takeAt(queue, START + 1), [
      { ...given, postedAt: START, failures: 0, take: 1 },
    ]);
  });

  rule("an empty queue returns nothing and is never due", async (queue) => {
    assert.deepEqual(await takeAt(queue, START), []);
    assert.deepEqual(await queue.nextDue({ transportKind: "smtp" }), { at: null });
    assert.deepEqual(await queue.count({ transportKind: "smtp" }), { waiting: 0, oldestAt: null });
  });

  rule("adding the same email again changes nothing", async (queue) => {
    const given = email();
    await queue.add({ email: given, now: START });
    assert.deepEqual(await queue.add({ email: given, now: START + 9 }), { outcome: "added" });
    assert.deepEqual(await queue.count({ transportKind: "smtp" }), { waiting: 1, oldestAt: START });
  });

  rule(
    "emails are taken in the order in which they are due, at most as many as requested",
    async (queue) => {
      const [first, second, third] = [email(), email(), email()];
      await queue.add({ email: second, now: START + 2 });
      await queue.add({ email: first, now: START + 1 });
      await queue.add({ email: third, now: START + 3 });
      assert.deepEqual(idsOf(await takeAt(queue, START + 5, 2)), [first.id, second.id]);
      assert.deepEqual(idsOf(await takeAt(queue, START + 5, 2)), [third.id]);
    },
  );

  rule("an email is not due before its time", async (queue) => {
    await queue.add({ email: email(), now: START });
    assert.deepEqual(await takeAt(queue, START - 1), []);
    assert.deepEqual(await queue.nextDue({ transportKind: "smtp" }), { at: START });
  });

  rule("a taken email is not taken again until its lease ends", async (queue) => {
    await queue.add({ email: email(), now: START });
    await takeAt(queue, START);
    assert.deepEqual(await takeAt(queue, START + LEASE - 1), []);
    assert.deepEqual(await queue.nextDue({ transportKind: "smtp" }), { at: START + LEASE });
    const [again] = await takeAt(queue, START + LEASE);
    assert.equal(again?.take, 2);
  });

  rule("20 concurrent callers take different emails", async (queue) => {
    const emails = Array.from({ length: 15 }, (_, each) => email({ to: `${each}@example.org` }));
    for (const each of emails) await queue.add({ email: each, now: START });
    const takes = await Promise.all(Array.from({ length: 20 }, () => takeAt(queue, START, 1)));
    assert.deepEqual(idsOf(takes.flat()).sort(), idsOf(emails).sort());
  });
}

function describeReturning(rule: Rule) {
  rule("a delivered email leaves the queue", async (queue) => {
    const { id } = (await added(queue)).email;
    assert.deepEqual(await queue.done({ id }), { found: true });
    assert.deepEqual(await queue.done({ id }), { found: false });
    assert.deepEqual(await takeAt(queue, START + LEASE), []);
    assert.deepEqual(await queue.count({ transportKind: "smtp" }), { waiting: 0, oldestAt: null });
  });

  rule("an email that is put back is due at its next time, with its failures", async (queue) => {
    const { id } = (await added(queue)).email;
    const back = { id, take: 1, at: START + 5_000, failures: 3 };
    assert.deepEqual(await queue.later(back), { found: true });
    assert.deepEqual(await takeAt(queue, START + 4_999), []);
    const [again] = await takeAt(queue, START + 5_000);
    assert.deepEqual([again?.failures, again?.take, again?.postedAt], [3, 2, START]);
  });

  rule("after losing the lease, an email cannot be put back or given up", async (queue) => {
    const { id } = (await added(queue)).email;
    await takeAt(queue, START + LEASE);
    const late = { id, take: 1, at: START, failures: 1 };
    assert.deepEqual(await queue.later(late), { found: false });
    assert.deepEqual(await queue.giveUp({ id, take: 1 }), { found: false });
    assert.deepEqual(await queue.nextDue({ transportKind: "smtp" }), { at: START + 2 * LEASE });
  });

  rule("a delivery counts even after losing the lease", async (queue) => {
    const { id } = (await added(queue)).email;
    await takeAt(queue, START + LEASE);
    assert.deepEqual(await queue.done({ id }), { found: true });
    const late = { id, take: 2, at: START, failures: 1 };
    assert.deepEqual(await queue.later(late), { found: false });
  });

  rule("an email that is given up leaves the queue", async (queue) => {
    const { id } = (await added(queue)).email;
    assert.deepEqual(await queue.giveUp({ id, take: 1 }), { found: true });
    assert.deepEqual(await queue.count({ transportKind: "smtp" }), { waiting: 0, oldestAt: null });
  });
}

/** One taken email. */
async function added(queue: QueueUnderTest) {
  const given = email();
  await queue.add({ email: given, now: START });
  await takeAt(queue, START);
  return { email: given };
}

function describeWays(rule: Rule) {
  rule(
    "an email queued for a mail server never goes to the outbox, and a mail server gets all emails",
    async (queue) => {
      const sent = email();
      const kept = email({ transportKind: "outbox" });
      await queue.add({ email: sent, now: START });
      assert.deepEqual(await queue.nextDue({ transportKind: "outbox" }), { at: null });
      await queue.add({ email: kept, now: START + 1 });
      assert.deepEqual(await queue.nextDue({ transportKind: "outbox" }), { at: START + 1 });
      assert.deepEqual(await queue.count({ transportKind: "outbox" }), {
        waiting: 1,
        oldestAt: START + 1,
      });
      assert.deepEqual(await queue.count({ transportKind: "smtp" }), {
        waiting: 2,
        oldestAt: START,
      });
      assert.deepEqual(idsOf(await takeAt(queue, START + 1, 9, "outbox")), [kept.id]);
      assert.deepEqual(idsOf(await takeAt(queue, START + 1 + LEASE)), [sent.id, kept.id]);
    },
  );
}
