import { type EmailQueue, emailSealer } from "#email/email-queue.ts";
import { createMail, type LogError } from "#email/enqueue-emails.ts";
import { createFetchTransport } from "#email/fetch-transport.ts";
import { type MailSettings, transportKindOf } from "#email/read-mail-settings.ts";
import { createWhenSendable, type RequestedBounds } from "#email/requested-bounds.ts";
import { createEmailSender } from "#email/send-emails.ts";
import type { Transport } from "#email/transport.ts";
import type { JobQueue } from "#jobs/job-queue.ts";
import { runBounded } from "#jobs/job-runner.ts";

type Wiring = {
  settings: MailSettings;
  secrets: readonly string[];
  queue: EmailQueue;
  /** Bounds of the emails that anyone can request. */
  bounds: RequestedBounds;
  jobs: JobQueue;
  now(): number;
  random(count: number): Uint8Array;
  waitUntil(work: Promise<unknown>): void;
  logError: LogError;
};

/** The platform ends work 30 s after a response. An attempt to send an email must end earlier so that its outcome is recorded. */
const SEND_MS = 12_000;
const TAKE_FOR_MS = 12_000;
/** Each email uses three of the 1,000 subrequests of an invocation. */
const EMAILS_A_ROUND = 200;

/**
 * Email on Cloudflare: a request queues emails and sends them after its response; the cron sends what that request did not.
 * Only the queue outlives the request.
 */
export function openEdgeEmails(wiring: Wiring) {
  const { settings, queue, bounds, jobs, now, random, waitUntil, logError } = wiring;
  const transportKind = transportKindOf(settings);
  const sealer = emailSealer(wiring.secrets);
  const transport =
    settings.api === null
      ? consoleTransport()
      : createFetchTransport(settings.api, settings.from, SEND_MS);

  /** Sends due emails. The sender lives for one round, because its state is of no use to other requests. */
  const deliver = () =>
    runBounded(jobs, { max: EMAILS_A_ROUND, until: now() + TAKE_FOR_MS }, (bounded) =>
      createEmailSender({
        jobs: bounded,
        transport,
        transportKind,
        sealer,
        now,
        random,
        from: settings.from,
        logError,
      }),
    );

  const forward = () =>
    waitUntil(deliver().catch((cause) => logError("Sending emails failed", { cause })));

  return {
    mail: createMail({ queue, transportKind, sealer, bounds, now, random, logError }, forward),
    whenSendable: createWhenSendable({ queue, bounds, now }),
    deliver,
  };
}

/** Prints emails to the terminal when the service runs locally without an email provider. */
const consoleTransport = (): Transport => ({
  async send({ to, subject, text }) {
    console.log(
      `Email (not sent: MAIL_API_TOKEN is not set)\nTo: ${to}\nSubject: ${subject}\n\n${text}`,
    );
  },
});
