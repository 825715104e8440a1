/** The specification of the queue of letters in sentences, to be held by every store. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { DAY_MS, HOUR_MS } from "#limits.ts";
import {
  ASKED_PER_DAY_MAX,
  ASKED_PER_HOUR_MAX,
  LETTERS_WAITING_MAX,
  NOTICES_PER_RECIPIENT_MAX,
} from "#mail/bounds.ts";
import type { LetterQueue, WaitingLetter } from "#mail/letter-queue.ts";
import type { LetterKind } from "#mail/mail.ts";
import type { Way } from "#mail/transport.ts";

export type OpenLetterQueue = (t: TestContext) => Promise<{ queue: LetterQueue }>;

const START = Date.UTC(2026, 10, 21, 10);
const LEASE = 90_000;

let count = 0;
const letter = (changes: Partial<WaitingLetter> = {}): WaitingLetter => ({
  id: `let_${++count}`,
  to: "ada@example.org",
  subject: "Grüße 🐝",
  text: "text\n",
  html: "<p>html</p>",
  kind: "key_created",
  usefulUntil: null,
  way: "smtp",
  ...changes,
});

type Rule = (sentence: string, proof: (queue: LetterQueue) => Promise<void>) => void;

export function letterQueueContract(name: string, open: OpenLetterQueue): void {
  const rule: Rule = (sentence, proof) => {
    test(sentence, async (t) => proof((await open(t)).queue));
  };
  describe(`the queue of letters, ${name}`, () => {
    describeTaking(rule);
    describeReturning(rule);
    describeBounds(rule);
    describeAsking(rule);
    describeWays(rule);
  });
}

const takeAt = async (queue: LetterQueue, now: number, max = 9, way: Way = "smtp") =>
  (await queue.take({ now, leaseUntil: now + LEASE, max, way })).letters;

const idsOf = (letters: { id: string }[]) => letters.map(({ id }) => id);

function describeTaking(rule: Rule) {
  rule("a letter is taken as it was added", async (queue) => {
    const given = letter({ usefulUntil: START + 5 });
    assert.deepEqual(await queue.add({ letter: given, now: START }), { outcome: "added" });
    assert.deepEqual(await takeAt(queue, START + 1), [
      { ...given, postedAt: START, failures: 0, take: 1 },
    ]);
  });

  rule("an empty queue gives nothing and is never due", async (queue) => {
    assert.deepEqual(await takeAt(queue, START), []);
    assert.deepEqual(await queue.nextDue({ way: "smtp" }), { at: null });
    assert.deepEqual(await queue.count({ way: "smtp" }), { waiting: 0, oldestAt: null });
  });

  rule("the same letter added again is one letter", async (queue) => {
    const given = letter();
    await queue.add({ letter: given, now: START });
    assert.deepEqual(await queue.add({ letter: given, now: START + 9 }), { outcome: "added" });
    assert.deepEqual(await queue.count({ way: "smtp" }), { waiting: 1, oldestAt: START });
  });

  rule("letters are taken in the order in which they are due, so many as asked", async (queue) => {
    const [first, second, third] = [letter(), letter(), letter()];
    await queue.add({ letter: second, now: START + 2 });
    await queue.add({ letter: first, now: START + 1 });
    await queue.add({ letter: third, now: START + 3 });
    assert.deepEqual(idsOf(await takeAt(queue, START + 5, 2)), [first.id, second.id]);
    assert.deepEqual(idsOf(await takeAt(queue, START + 5, 2)), [third.id]);
  });

  rule("a letter is not due before its time", async (queue) => {
    await queue.add({ letter: letter(), now: START });
    assert.deepEqual(await takeAt(queue, START - 1), []);
    assert.deepEqual(await queue.nextDue({ way: "smtp" }), { at: START });
  });

  rule("a taken letter is nobody else's until its lease ends", async (queue) => {
    await queue.add({ letter: letter(), now: START });
    await takeAt(queue, START);
    assert.deepEqual(await takeAt(queue, START + LEASE - 1), []);
    assert.deepEqual(await queue.nextDue({ way: "smtp" }), { at: START + LEASE });
    const [again] = await takeAt(queue, START + LEASE);
    assert.equal(again?.take, 2);
  });

  rule("of 20 who take at once each gets other letters", async (queue) => {
    const letters = Array.from({ length: 15 }, (_, each) => letter({ to: `${each}@example.org` }));
    for (const each of letters) await queue.add({ letter: each, now: START });
    const takes = await Promise.all(Array.from({ length: 20 }, () => takeAt(queue, START, 1)));
    assert.deepEqual(idsOf(takes.flat()).sort(), idsOf(letters).sort());
  });
}

function describeReturning(rule: Rule) {
  rule("a delivered letter is gone", async (queue) => {
    const { id } = (await added(queue)).letter;
    assert.deepEqual(await queue.done({ id }), { found: true });
    assert.deepEqual(await queue.done({ id }), { found: false });
    assert.deepEqual(await takeAt(queue, START + LEASE), []);
    assert.deepEqual(await queue.count({ way: "smtp" }), { waiting: 0, oldestAt: null });
  });

  rule("a letter put back is due at its next time, with its failures", async (queue) => {
    const { id } = (await added(queue)).letter;
    const back = { id, take: 1, at: START + 5_000, failures: 3 };
    assert.deepEqual(await queue.later(back), { found: true });
    assert.deepEqual(await takeAt(queue, START + 4_999), []);
    const [again] = await takeAt(queue, START + 5_000);
    assert.deepEqual([again?.failures, again?.take, again?.postedAt], [3, 2, START]);
  });

  rule("whoever lost the lease neither puts the letter back nor gives it up", async (queue) => {
    const { id } = (await added(queue)).letter;
    await takeAt(queue, START + LEASE);
    const late = { id, take: 1, at: START, failures: 1 };
    assert.deepEqual(await queue.later(late), { found: false });
    assert.deepEqual(await queue.giveUp({ id, take: 1 }), { found: false });
    assert.deepEqual(await queue.nextDue({ way: "smtp" }), { at: START + 2 * LEASE });
  });

  rule("whoever lost the lease but delivered the letter ends it for all", async (queue) => {
    const { id } = (await added(queue)).letter;
    await takeAt(queue, START + LEASE);
    assert.deepEqual(await queue.done({ id }), { found: true });
    const late = { id, take: 2, at: START, failures: 1 };
    assert.deepEqual(await queue.later(late), { found: false });
  });

  rule("a letter given up is gone", async (queue) => {
    const { id } = (await added(queue)).letter;
    assert.deepEqual(await queue.giveUp({ id, take: 1 }), { found: true });
    assert.deepEqual(await queue.count({ way: "smtp" }), { waiting: 0, oldestAt: null });
  });
}

/** One letter that was taken. */
async function added(queue: LetterQueue) {
  const given = letter();
  await queue.add({ letter: given, now: START });
  await takeAt(queue, START);
  return { letter: given };
}

function describeBounds(rule: Rule) {
  rule(`at most ${NOTICES_PER_RECIPIENT_MAX} notices wait for one address`, async (queue) => {
    for (let each = 0; each < NOTICES_PER_RECIPIENT_MAX; each += 1) {
      const { outcome } = await queue.add({ letter: letter(), now: START });
      assert.equal(outcome, "added");
    }
    const more = { letter: letter(), now: START };
    assert.deepEqual(await queue.add(more), { outcome: "recipient_full" });
    const other = { letter: letter({ to: "bob@example.org" }), now: START };
    assert.deepEqual(await queue.add(other), { outcome: "added" });
    const [first] = await takeAt(queue, START, 1);
    await queue.done({ id: first?.id as string });
    assert.deepEqual(await queue.add(more), { outcome: "added" });
  });

  rule("a letter whose link has ended keeps no place from another", async (queue) => {
    for (let each = 0; each < NOTICES_PER_RECIPIENT_MAX; each += 1)
      await queue.add({ letter: letter({ usefulUntil: START + 100 }), now: START });
    const more = letter();
    const early = await queue.add({ letter: more, now: START + 99 });
    assert.deepEqual(early, { outcome: "recipient_full" });
    assert.deepEqual(await queue.add({ letter: more, now: START + 100 }), { outcome: "added" });
  });

  rule(`at most ${LETTERS_WAITING_MAX} letters wait`, async (queue) => {
    for (let each = 0; each < LETTERS_WAITING_MAX; each += 1)
      await queue.add({ letter: letter({ to: `${each}@example.org` }), now: START });
    const more = { letter: letter({ to: "more@example.org" }), now: START };
    assert.deepEqual(await queue.add(more), { outcome: "queue_full" });
    assert.equal((await queue.count({ way: "smtp" })).waiting, LETTERS_WAITING_MAX);
  });
}

const ask = async (queue: LetterQueue, at: number, kind: LetterKind, to = "ada@example.org") => {
  const given = letter({ kind, to, usefulUntil: at + DAY_MS });
  return { id: given.id, ...(await queue.add({ letter: given, now: at })) };
};

/** Asked for and delivered, so that the next one replaces none. */
async function deliver(queue: LetterQueue, at: number, kind: LetterKind, to?: string) {
  const { id, outcome } = await ask(queue, at, kind, to);
  await queue.done({ id });
  return outcome;
}

function describeAsking(rule: Rule) {
  const hour = `at most ${ASKED_PER_HOUR_MAX} letters an hour and ${ASKED_PER_DAY_MAX} a day go to one address at anybody's asking, whatever their kind`;
  rule(hour, async (queue) => {
    const kinds = [
      ...(["verify_address", "address_in_use", "verify_new_address"] as const),
      "confirm_address_change" as const,
    ];
    const outcomes: string[] = [];
    for (let at = START; at < START + DAY_MS; at += HOUR_MS / 4)
      for (const kind of kinds) outcomes.push(await deliver(queue, at, kind));
    assert.equal(outcomes.filter((outcome) => outcome === "added").length, ASKED_PER_DAY_MAX);
    assert.deepEqual(outcomes.slice(0, 17).indexOf("too_often"), ASKED_PER_HOUR_MAX);
    assert.equal(outcomes[16], "added", "an hour later");
    assert.equal(
      await deliver(queue, START + DAY_MS - 1, "verify_address", "ADA@example.org"),
      "too_often",
    );
    assert.equal(await deliver(queue, START + DAY_MS, "verify_address"), "added");
  });

  rule(
    "sign-ups with an address leave its owner the letter for a new password, notices, and others theirs",
    async (queue) => {
      for (let each = 0; each < ASKED_PER_HOUR_MAX; each += 1)
        assert.equal(await deliver(queue, START, "verify_address"), "added");
      assert.equal(await deliver(queue, START, "verify_address"), "too_often");
      assert.equal(await deliver(queue, START, "verify_address", "bob@example.org"), "added");
      for (let each = 0; each < ASKED_PER_HOUR_MAX; each += 1)
        assert.equal(await deliver(queue, START, "reset_password"), "added");
      assert.equal(await deliver(queue, START, "reset_password"), "too_often");
      for (let each = 0; each < NOTICES_PER_RECIPIENT_MAX; each += 1)
        assert.equal((await queue.add({ letter: letter(), now: START })).outcome, "added");
    },
  );

  rule(
    "the newest letter of its kind takes the place of one that waits, as often as it is asked for",
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

  rule(
    "a letter in somebody's hands is replaced by none, and one that was put back is",
    async (queue) => {
      const first = await ask(queue, START, "reset_password");
      await takeAt(queue, START);
      const second = await ask(queue, START + 1, "reset_password");
      assert.deepEqual(idsOf(await takeAt(queue, START + 1)), [second.id]);
      const back = { take: 1, at: START + 50, failures: 0 };
      for (const { id } of [first, second])
        assert.deepEqual(await queue.later({ id, ...back }), { found: true });
      const third = await ask(queue, START + 2, "reset_password");
      assert.deepEqual(idsOf(await takeAt(queue, START + 50)), [third.id]);
    },
  );
}

function describeWays(rule: Rule) {
  rule(
    "a letter that was posted for a mail server never goes to the outbox; the mail server gets all",
    async (queue) => {
      const sent = letter();
      const kept = letter({ way: "outbox" });
      await queue.add({ letter: sent, now: START });
      assert.deepEqual(await queue.nextDue({ way: "outbox" }), { at: null });
      await queue.add({ letter: kept, now: START + 1 });
      assert.deepEqual(await queue.nextDue({ way: "outbox" }), { at: START + 1 });
      assert.deepEqual(await queue.count({ way: "outbox" }), { waiting: 1, oldestAt: START + 1 });
      assert.deepEqual(await queue.count({ way: "smtp" }), { waiting: 2, oldestAt: START });
      assert.deepEqual(idsOf(await takeAt(queue, START + 1, 9, "outbox")), [kept.id]);
      assert.deepEqual(idsOf(await takeAt(queue, START + 1 + LEASE)), [sent.id, kept.id]);
    },
  );
}
