import type { RandomBytes } from "#ids.ts";
import { doubling } from "#jobs/back-off.ts";
import type { JobPolicy, JobResult } from "#jobs/job-policy.ts";
import type { JobQueue, TakenJob } from "#jobs/job-queue.ts";
import { attemptEach, createJobRunner, type JobRunner } from "#jobs/job-runner.ts";
import { SealError, type Sealer } from "#seal.ts";
import {
  EMAILS_AT_ONCE,
  GIVE_UP_AFTER_MS,
  LEASE_MS,
  PAUSE_MAX_MS,
  RETRY_FIRST_MS,
  RETRY_MAX_MS,
} from "./bounds.ts";
import { domainOf, emailOfJob, type LogError, queuesOf } from "./email-queue.ts";
import {
  type Sender,
  TemporaryFailure,
  type Transport,
  type TransportKind,
  Undeliverable,
  Unreachable,
} from "./transport.ts";

export type EmailSenderDeps = {
  jobs: Pick<JobQueue, "take" | "settle" | "nextDue">;
  transport: Transport;
  /** The kind of transport, which determines the queues that the sender processes. */
  transportKind: TransportKind;
  now: () => number;
  random: RandomBytes;
  logError: LogError;
  from: Sender;
  sealer: Pick<Sealer, "open">;
};

/**
 * Sends queued emails, and retries each under the same Message-ID until the transport accepts it. Logs name an email by its id,
 * kind and domain, and never contain the address, the text or the link.
 */
export function createEmailSender({
  transport,
  from,
  transportKind,
  logError,
  sealer,
  ...deps
}: EmailSenderDeps): JobRunner {
  const domain = domainOf(from.address);
  return createJobRunner({
    ...deps,
    logError,
    policy: { ...POLICY, queues: queuesOf(transportKind) },
    attempt: attemptEach((job, signal) =>
      emailOfJob(job, sealer)
        .then((email) => transport.send(email, `<${job.id}@${domain}>`, signal))
        .then(() => DONE, resultOf),
    ),
  });
}

const POLICY: Omit<JobPolicy, "queues"> = {
  atOnce: EMAILS_AT_ONCE,
  leaseMs: LEASE_MS,
  turns: null,
  waitMs: (failures) => doubling(failures, RETRY_FIRST_MS, RETRY_MAX_MS),
  giveUpAfterMs: GIVE_UP_AFTER_MS,
  outage: { failures: 1, firstMs: RETRY_FIRST_MS, maxMs: PAUSE_MAX_MS },
  queueName: "Emails",
  nameOf: ({ id, kind, label }) => `Email ${id} (${kind}, to ${label})`,
  eraseAt: eraseAtOf,
};

/**
 * An email that expires may contain a sign-in link, so it is erased immediately. Operators can retry the others for a
 * while.
 */
function eraseAtOf({ usefulUntil, createdAt }: TakenJob, now: number): number {
  return usefulUntil === null ? createdAt + GIVE_UP_AFTER_MS : now;
}

const DONE: JobResult = { outcome: "done" };

function resultOf(error: unknown): JobResult {
  if (error instanceof Unreachable) return { outcome: "unreachable", error: error.message };
  // Another node may have that secret, or this one once more when the setting is right again.
  if (error instanceof SealError)
    return { outcome: "failed", error: "it was sealed with another SECRET" };
  if (error instanceof Undeliverable)
    return { outcome: "failed", error: error.message, isFinal: true };
  if (error instanceof TemporaryFailure) {
    const notBeforeMs = Math.min(error.pauseMs, RETRY_MAX_MS);
    return { outcome: "failed", error: error.message, notBeforeMs };
  }
  // The message of an unexpected error may quote the email, so we log only the error's name.
  const name = error instanceof Error ? error.name : "error";
  return { outcome: "failed", error: `unexpected ${name}` };
}
