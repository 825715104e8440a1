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
  idsOf,
  LEASE,
  type OpenEmailQueue,
  type Rule,
  START,
  takeAt,
} from "./email-queue-fixture.ts";

export function emailQueueContract(name: string, open: OpenEmailQueue): void {
  const rule: Rule = (title, check) => {
    test(title, async (t) => {
      const { queue, fill } = await open(t);
      await check(queue, fill);
    });
  };
  describe(`the email queue, ${name}`, () => {
    describeTaking(rule);
    describeBounds(rule);
    describeAsking(rule);
    describeCrowds(rule);
    describeTotals(rule);
    describeWays(rule);
  });
}

/** What every job queue does is in `job-queue.ts`. */
function describeTaking(rule: Rule) {
  rule("an email is taken as it was added, and leaves the queue when it is sent", async (queue) => {
    const given = email({ usefulUntil: START + 5 });
    const { id } = given;
    assert.deepEqual(await queue.add({ email: given, now: START }), { outcome: "added" });
    assert.deepEqual(await takeAt(queue, START + 1), [
      { ...given, postedAt: START, failures: 0, take: 1 },
    ]);
    assert.deepEqual(await queue.done({ id }), { found: true });
    assert.deepEqual(await takeAt(queue, START + 1 + LEASE), []);
    assert.deepEqual(await queue.count({ transportKind: "smtp" }), { waiting: 0, oldestAt: null });
  });

  rule("adding the same email again changes nothing", async (queue) => {
    const given = email();
    await queue.add({ email: given, now: START });
    assert.deepEqual(await queue.add({ email: given, now: START + 9 }), { outcome: "added" });
    assert.deepEqual(await queue.count({ transportKind: "smtp" }), { waiting: 1, oldestAt: START });
  });
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
