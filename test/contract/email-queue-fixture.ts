/** The fixture of the email queue contract. */
import type { TestContext } from "node:test";
import type { EmailQueue, QueuedEmail } from "#email/email-queue.ts";
import { queuesOf } from "#email/email-queue.ts";
import type { EmailKind } from "#email/mail.ts";
import type { TransportKind } from "#email/transport.ts";
import type { JobQueue, TakenJob } from "#jobs/job-queue.ts";
import { DAY_MS } from "#limits.ts";
import { type SqlDatabase, sql } from "#stores/sql/sql-database.ts";

/** A store's emails: how they enter the job queue, and the queue. */
export type EmailStore = { emailQueue: EmailQueue; jobs: JobQueue };
export type TakenEmail = QueuedEmail & { postedAt: number; failures: number; take: number };

/** Adds emails that are due much later, in one statement. */
export async function fillQueue({ batch }: SqlDatabase, count: number): Promise<void> {
  await batch([
    sql`INSERT INTO job (id, queue, kind, target, label, payload, created_at, due_at)
        WITH RECURSIVE letters (no) AS (
          SELECT 1 UNION ALL SELECT no + 1 FROM letters WHERE no < ${count})
        SELECT 'fill_' || no, 'email', 'key_created', no || '@example.org', '', '', 1e15, 1e15
        FROM letters`,
  ]);
}

export type QueueUnderTest = ReturnType<typeof emailsOf>;

/** The emails of a job queue, in the terms of the contract. */
export function emailsOf({ emailQueue, jobs }: EmailStore) {
  const settle = async (settlement: Parameters<JobQueue["settle"]>[0]["settlements"][number]) => ({
    found: (await jobs.settle({ settlements: [settlement] })).settled === 1,
  });
  type Held = { id: string; take: number };
  return {
    jobs,
    add: emailQueue.add,
    countRequested: emailQueue.countRequested,
    async take(order: {
      now: number;
      leaseUntil: number;
      max: number;
      transportKind: TransportKind;
    }) {
      const { transportKind, ...rest } = order;
      const taken = await jobs.take({ queues: queuesOf(transportKind), ...rest });
      return { emails: taken.jobs.map(emailOf) };
    },
    done: ({ id }: { id: string }) => settle({ id, take: 0, now: START, outcome: "done" }),
    later: ({ id, take, at, failures }: Held & { at: number; failures: number }) =>
      settle({ id, take, now: START, outcome: "later", at, attempts: failures, error: "later" }),
    nextDue: ({ transportKind }: { transportKind: TransportKind }) =>
      jobs.nextDue({ queues: queuesOf(transportKind) }),
    async count({ transportKind }: { transportKind: TransportKind }) {
      const { waiting, oldestAt } = await jobs.count({ queues: queuesOf(transportKind) });
      return { waiting, oldestAt };
    },
  };
}

function emailOf(job: TakenJob): TakenEmail {
  const { id, queue, kind, usefulUntil, createdAt: postedAt, attempts: failures, take } = job;
  return {
    ...{ id, to: job.target, content: job.payload },
    ...{ kind: kind as EmailKind, usefulUntil, postedAt, failures, take },
    transportKind: queue === "email" ? "smtp" : "outbox",
  };
}

/** `fill` adds that many emails that are due much later. */
export type OpenEmailQueue = (t: TestContext) => Promise<{ queue: QueueUnderTest; fill: Fill }>;

export const START = Date.UTC(2026, 10, 21, 10);
export const LEASE = 90_000;

let count = 0;
export const email = (changes: Partial<QueuedEmail> = {}): QueuedEmail => ({
  id: `eml_${++count}`,
  to: "ada@example.org",
  content: "Grüße 🐝\n",
  kind: "key_created",
  usefulUntil: null,
  transportKind: "smtp",
  ...changes,
});

export type Fill = (count: number) => Promise<void>;
export type Rule = (
  title: string,
  check: (queue: QueueUnderTest, fill: Fill) => Promise<void>,
) => void;

export const takeAt = async (
  queue: QueueUnderTest,
  now: number,
  max = 9,
  transportKind: TransportKind = "smtp",
) => (await queue.take({ now, leaseUntil: now + LEASE, max, transportKind })).emails;

export const idsOf = (emails: { id: string }[]) => emails.map(({ id }) => id);

export const ask = async (
  queue: QueueUnderTest,
  at: number,
  kind: EmailKind,
  to = "ada@example.org",
) => {
  const given = email({ kind, to, usefulUntil: at + DAY_MS });
  return { id: given.id, ...(await queue.add({ email: given, now: at })) };
};

/** Requests an email and delivers it, so that the next one replaces none. */
export async function deliver(queue: QueueUnderTest, at: number, kind: EmailKind, to?: string) {
  const { id, outcome } = await ask(queue, at, kind, to);
  await queue.done({ id });
  return outcome;
}
