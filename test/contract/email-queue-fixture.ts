/** What the sentences about the queue of letters share. */
import type { TestContext } from "node:test";
import { queuesOf, readEmail } from "#email/email-job.ts";
import type { LetterQueue, WaitingLetter } from "#email/email-queue.ts";
import type { LetterKind } from "#email/mail.ts";
import type { Way } from "#email/transport.ts";
import type { JobQueue, TakenJob } from "#jobs/job-queue.ts";
import { DAY_MS } from "#limits.ts";

/** What a store has of emails: how they enter the job queue, and the queue. */
export type EmailStore = { letterQueue: LetterQueue; jobs: JobQueue };
export type TakenLetter = WaitingLetter & { postedAt: number; failures: number; take: number };
export type EmailQueue = ReturnType<typeof emailsOf>;

/** The emails of a job queue, in the words of the sentences below. */
export function emailsOf({ letterQueue, jobs }: EmailStore) {
  const settle = async (settlement: Parameters<JobQueue["settle"]>[0]["settlements"][number]) => ({
    found: (await jobs.settle({ settlements: [settlement] })).settled === 1,
  });
  type Held = { id: string; take: number };
  return {
    jobs,
    add: letterQueue.add,
    async take(order: { now: number; leaseUntil: number; max: number; way: Way }) {
      const { way, ...rest } = order;
      const taken = await jobs.take({ queues: queuesOf(way), ...rest });
      return { letters: taken.jobs.map(letterOf) };
    },
    done: ({ id }: { id: string }) => settle({ id, take: 0, now: START, outcome: "done" }),
    later: ({ id, take, at, failures }: Held & { at: number; failures: number }) =>
      settle({ id, take, now: START, outcome: "later", at, attempts: failures, error: "later" }),
    giveUp: ({ id, take }: Held) =>
      settle({ id, take, now: START, outcome: "dead", attempts: 1, error: "no", eraseAt: START }),
    nextDue: ({ way }: { way: Way }) => jobs.nextDue({ queues: queuesOf(way) }),
    async count({ way }: { way: Way }) {
      const { waiting, oldestAt } = await jobs.count({ queues: queuesOf(way) });
      return { waiting, oldestAt };
    },
  };
}

function letterOf(job: TakenJob): TakenLetter {
  const { id, queue, kind, usefulUntil, createdAt: postedAt, attempts: failures, take } = job;
  return {
    ...readEmail(job),
    ...{ id, kind: kind as LetterKind, usefulUntil, postedAt, failures, take },
    way: queue === "email" ? "smtp" : "outbox",
  };
}

/** `fill` puts so many letters there that are due much later, where adding them one by one would take long. */
export type OpenLetterQueue = (
  t: TestContext,
) => Promise<{ queue: EmailQueue; fill?(count: number): Promise<void> }>;

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
  proof: (queue: EmailQueue, fill: Fill) => Promise<void>,
) => void;

export const fillOneByOne =
  (queue: EmailQueue): Fill =>
  async (letters) => {
    for (let each = 0; each < letters; each += 1)
      await queue.add({ letter: letter({ to: `${each}@example.org` }), now: START });
  };

export const takeAt = async (queue: EmailQueue, now: number, max = 9, way: Way = "smtp") =>
  (await queue.take({ now, leaseUntil: now + LEASE, max, way })).letters;

export const idsOf = (letters: { id: string }[]) => letters.map(({ id }) => id);

export const ask = async (
  queue: EmailQueue,
  at: number,
  kind: LetterKind,
  to = "ada@example.org",
) => {
  const given = letter({ kind, to, usefulUntil: at + DAY_MS });
  return { id: given.id, ...(await queue.add({ letter: given, now: at })) };
};

/** Asked for and delivered, so that the next one replaces none. */
export async function deliver(queue: EmailQueue, at: number, kind: LetterKind, to?: string) {
  const { id, outcome } = await ask(queue, at, kind, to);
  await queue.done({ id });
  return outcome;
}
