/** What the sentences about the queue of letters share. */
import type { TestContext } from "node:test";
import { DAY_MS } from "#limits.ts";
import type { LetterQueue, WaitingLetter } from "#mail/letter-queue.ts";
import type { LetterKind } from "#mail/mail.ts";
import type { Way } from "#mail/transport.ts";

/** `fill` puts so many letters there that are due much later, where adding them one by one would take long. */
export type OpenLetterQueue = (
  t: TestContext,
) => Promise<{ queue: LetterQueue; fill?(count: number): Promise<void> }>;

export const START = Date.UTC(2026, 10, 21, 10);
export const LEASE = 90_000;

let count = 0;
export const letter = (changes: Partial<WaitingLetter> = {}): WaitingLetter => ({
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

export type Fill = (count: number) => Promise<void>;
export type Rule = (
  sentence: string,
  proof: (queue: LetterQueue, fill: Fill) => Promise<void>,
) => void;

export const fillOneByOne =
  (queue: LetterQueue): Fill =>
  async (letters) => {
    for (let each = 0; each < letters; each += 1)
      await queue.add({ letter: letter({ to: `${each}@example.org` }), now: START });
  };

export const takeAt = async (queue: LetterQueue, now: number, max = 9, way: Way = "smtp") =>
  (await queue.take({ now, leaseUntil: now + LEASE, max, way })).letters;

export const idsOf = (letters: { id: string }[]) => letters.map(({ id }) => id);

export const ask = async (
  queue: LetterQueue,
  at: number,
  kind: LetterKind,
  to = "ada@example.org",
) => {
  const given = letter({ kind, to, usefulUntil: at + DAY_MS });
  return { id: given.id, ...(await queue.add({ letter: given, now: at })) };
};

/** Asked for and delivered, so that the next one replaces none. */
export async function deliver(queue: LetterQueue, at: number, kind: LetterKind, to?: string) {
  const { id, outcome } = await ask(queue, at, kind, to);
  await queue.done({ id });
  return outcome;
}
