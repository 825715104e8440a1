/** The specification of the queue of letters in sentences, to be held by every store. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { LETTERS_PER_RECIPIENT_MAX, LETTERS_WAITING_MAX } from "#mail/bounds.ts";
import type { LetterQueue, WaitingLetter } from "#mail/letter-queue.ts";

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
  kind: "verify_address",
  usefulUntil: null,
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
  });
}

const takeAt = async (queue: LetterQueue, now: number, max = 9) =>
  (await queue.take({ now, leaseUntil: now + LEASE, max })).letters;

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
    assert.deepEqual(await queue.nextDue({}), { at: null });
    assert.deepEqual(await queue.count({}), { waiting: 0, oldestAt: null });
  });

  rule("the same letter added again is one letter", async (queue) => {
    const given = letter();
    await queue.add({ letter: given, now: START });
    assert.deepEqual(await queue.add({ letter: given, now: START + 9 }), { outcome: "added" });
    assert.deepEqual(await queue.count({}), { waiting: 1, oldestAt: START });
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
    assert.deepEqual(await queue.nextDue({}), { at: START });
  });

  rule("a taken letter is nobody else's until its lease ends", async (queue) => {
    await queue.add({ letter: letter(), now: START });
    await takeAt(queue, START);
    assert.deepEqual(await takeAt(queue, START + LEASE - 1), []);
    assert.deepEqual(await queue.nextDue({}), { at: START + LEASE });
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
    assert.deepEqual(await queue.count({}), { waiting: 0, oldestAt: null });
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
    assert.deepEqual(await queue.nextDue({}), { at: START + 2 * LEASE });
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
    assert.deepEqual(await queue.count({}), { waiting: 0, oldestAt: null });
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
  rule(`at most ${LETTERS_PER_RECIPIENT_MAX} letters wait for one address`, async (queue) => {
    for (let each = 0; each < LETTERS_PER_RECIPIENT_MAX; each += 1) {
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
    for (let each = 0; each < LETTERS_PER_RECIPIENT_MAX; each += 1)
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
    assert.equal((await queue.count({})).waiting, LETTERS_WAITING_MAX);
  });
}
