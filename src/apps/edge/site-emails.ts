import type { EmailQueue } from "#email/email-queue.ts";
import { createMail, type LogError } from "#email/enqueue-emails.ts";
import { createFetchTransport } from "#email/fetch-transport.ts";
import { type MailSettings, transportKindOf } from "#email/read-mail-settings.ts";
import { createEmailSender } from "#email/send-emails.ts";
import type { Transport } from "#email/transport.ts";
import { runBounded } from "#jobs/bounded.ts";
import type { JobQueue } from "#jobs/job-queue.ts";

type Wiring = {
  settings: MailSettings;
  queue: EmailQueue;
  jobs: JobQueue;
  now(): number;
  random(count: number): Uint8Array;
  waitUntil(work: Promise<unknown>): void;
  logError: LogError;
};

/** What goes on after an answer is ended by the platform after 30 s: a letter's try has to end before, to be noted. */
const SEND_MS = 12_000;
const TAKE_FOR_MS = 12_000;
/** Each takes three of the 1,000 requests that an invocation may make to others. */
const EMAILS_A_ROUND = 200;

/**
 * Letters at the edge: posted into the queue, carried away by who posted them once the answer has left, and by the cron where
 * that did not come through. Nothing here outlives its request but the queue.
 */
export function openEdgeEmails(wiring: Wiring) {
  const { settings, queue, jobs, now, random, waitUntil, logError } = wiring;
  const transportKind = transportKindOf(settings);
  const transport =
    settings.api === null
      ? consoleTransport()
      : createFetchTransport(settings.api, settings.from, SEND_MS);

  /** Carries away what is due, with a sender for one round: what it knows of emails under way is of no use to another request. */
  const deliver = () =>
    runBounded(jobs, { max: EMAILS_A_ROUND, until: now() + TAKE_FOR_MS }, (bounded) =>
      createEmailSender({
        ...{ jobs: bounded, transport, transportKind, now, random, from: settings.from, logError },
      }),
    );

  const forward = () =>
    waitUntil(deliver().catch((cause) => logError("Letters could not be delivered", { cause })));

  return { mail: createMail({ queue, transportKind, now, random, logError }, forward), deliver };
}

/** Whoever tries the service on their own machine finds the text with its link where they started it. */
const consoleTransport = (): Transport => ({
  async send({ to, subject, text }) {
    console.log(`A letter (no MAIL_API_TOKEN is set)\nTo: ${to}\nSubject: ${subject}\n\n${text}`);
  },
});
