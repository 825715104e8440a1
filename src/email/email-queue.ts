import { type RandomBytes, randomBase62 } from "#ids.ts";
import type { JobQueueName, NewJob } from "#jobs/job-queue.ts";
import { HOUR_MS } from "#limits.ts";
import { createSealer, type Sealer } from "#seal.ts";
import { type RequestedBounds, type RequestedCounts, SUBJECT_CHARS_MAX } from "./bounds.ts";
import { type Email, type EmailKind, isPlainAddress, type Mail, oneLine } from "./mail.ts";
import type { TransportKind } from "./transport.ts";

/** How emails enter the job queue (`src/jobs`): the port, and an email as a job. */

export type QueuedEmail = {
  id: string;
  to: string;
  /** Subject, texts and links, sealed: a link that signs in must not be readable in a copy of the database. */
  content: string;
  kind: EmailKind;
  usefulUntil: number | null;
  /**
   * The transport that it was queued for. An email for `smtp` never goes to the outbox, because the operator must not
   * see its link.
   */
  transportKind: TransportKind;
};

type EmailContent = Pick<Email, "subject" | "text" | "html" | "unsubscribe">;

/** Seals and opens the content of queued emails. */
export const emailSealer = (secrets: readonly string[]): Sealer => createSealer(secrets, "email");

/** Returns the content as the queue stores it. It can be opened only for the email with this id. */
const sealContent = (
  { subject, text, html, unsubscribe }: EmailContent,
  id: string,
  sealer: Pick<Sealer, "seal">,
): Promise<string> => sealer.seal(JSON.stringify({ subject, text, html, unsubscribe }), id);

export type EmailQueue = {
  /**
   * Stores an email that is due immediately; an id that is already stored changes nothing. Beyond the bounds
   * (`bounds.ts`) it stores nothing, and the outcome says why. An email that anyone can request (`mail.ts`)
   * counts towards the recipient's hourly and daily limits of its group, and towards `bounds` for all recipients (omitted:
   * none). It replaces no other, because each has a code of its own. `network`: as in `Email`.
   */
  add(order: {
    email: QueuedEmail;
    now: number;
    bounds?: RequestedBounds | undefined;
    network?: string | undefined;
  }): Promise<{ outcome: EmailAdded }>;
  countRequested(order: { now: number }): Promise<RequestedCounts>;
};

export type EmailAdded =
  | "added"
  | "recipient_full"
  | "queue_full"
  | "too_often"
  | "total_full"
  | "network_full";

/** Returns an email as a job. The recipient is the job's target; logs may contain only its label, the domain. */
export function emailJob({
  id,
  to,
  kind,
  usefulUntil,
  transportKind,
  content,
}: QueuedEmail): NewJob {
  return {
    id,
    queue: transportKind === "smtp" ? "email" : "outbox",
    kind,
    target: to,
    label: domainOf(to),
    payload: content,
    usefulUntil,
  };
}

/** Returns the email of a job that `emailJob` made. Throws a `SealError` if its content cannot be opened. */
export async function emailOfJob(
  { id, target, payload }: Pick<NewJob, "id" | "target" | "payload">,
  sealer: Pick<Sealer, "open">,
): Promise<Email> {
  return { to: target, ...(JSON.parse(await sealer.open(payload, id)) as EmailContent) };
}

/** The queues that a transport processes: a mail server also sends emails that were queued for the outbox. */
export const queuesOf = (transportKind: TransportKind): readonly JobQueueName[] =>
  transportKind === "smtp" ? ["email", "outbox"] : ["outbox"];

export const domainOf = (address: string) => address.slice(address.lastIndexOf("@") + 1);

/** Queues emails for the sender (`send-emails.ts`). */

export type LogError = (message: string, details: { cause?: unknown }) => void;

export type MailDeps = {
  queue: Pick<EmailQueue, "add">;
  /** The transport that emails are queued for. */
  transportKind: TransportKind;
  /** Bounds of the emails that anyone can request. Omitted: none, for a sender of notifications alone. */
  bounds?: RequestedBounds;
  /** Called for each email that was dropped, to count it. */
  onDropped?: (reason: DropReason) => void;
  sealer: Pick<Sealer, "seal">;
  now: () => number;
  random: RandomBytes;
  logError: LogError;
};

/** 142 random bits: the id is also the local part of the Message-ID. */
const EMAIL_ID_CHARS = 24;

/** Mail that can also queue emails in a transaction of another store. */
export type QueuedMail = Mail & {
  /** Returns the email as the queue stores it; null if its address is not valid, which is logged. */
  prepare(email: Email): Promise<QueuedEmail | null>;
  /** Wakes the sender, after a transaction that queued an email. */
  wake(): void;
};

export type DropReason = Exclude<EmailAdded, "added">;

const DROP_REASONS: Record<DropReason, string> = {
  recipient_full: "too many emails to this address are queued",
  queue_full: "the email queue is full",
  too_often: "too many emails of this kind were requested for this address in the last hour or day",
  total_full:
    "the service has sent as many emails of this kind, which anyone can request, as it may in an hour or day",
  network_full:
    "a tenth of the emails that anyone can request in an hour or day was caused from one network",
};

/** `enqueued` is called after each email that was queued, to wake the sender. */
export function createMail(deps: MailDeps, enqueued = () => {}): QueuedMail {
  const { queue, bounds, onDropped, now, logError } = deps;
  /** When each reason was last logged: repeated requests must not fill the log. */
  const loggedAt = new Map<DropReason, number>();

  function logDropped(message: string, reason: DropReason): void {
    if (now() - (loggedAt.get(reason) ?? Number.NEGATIVE_INFINITY) < HOUR_MS) return;
    loggedAt.set(reason, now());
    logError(`${message} (logged at most once an hour)`, {});
  }

  const invalidAddress = (email: Email) =>
    `Email (${email.kind ?? "other"}) dropped: its address is not valid`;

  async function prepare(email: Email): Promise<QueuedEmail | null> {
    const queued = await toQueuedEmail(email, deps);
    if (queued === null) logError(invalidAddress(email), {});
    return queued;
  }

  return {
    prepare,
    wake: enqueued,
    async enqueue(email: Email) {
      const queued = await prepare(email);
      if (queued === null) return { error: invalidAddress(email) };
      const { network } = email;
      const { outcome } = await queue.add({ email: queued, now: now(), bounds, network });
      if (outcome === "added") {
        enqueued();
        return { error: null };
      }
      const error = `${nameOf(queued)} dropped: ${DROP_REASONS[outcome]}`;
      onDropped?.(outcome);
      logDropped(error, outcome);
      return { error };
    },
  };
}

/** Returns the email as the queue stores it; null if its address cannot be used in an envelope. */
export async function toQueuedEmail(
  email: Email,
  { transportKind, random, sealer }: Pick<MailDeps, "transportKind" | "random" | "sealer">,
): Promise<QueuedEmail | null> {
  const { to, kind = "other", usefulUntil = null } = email;
  if (!isPlainAddress(to)) return null;
  const id = `eml_${randomBase62(EMAIL_ID_CHARS, random)}`;
  const subject = oneLine(email.subject, SUBJECT_CHARS_MAX);
  const content = await sealContent({ ...email, subject }, id, sealer);
  return { id, to, content, kind, usefulUntil, transportKind };
}

/** An email's name in logs, which contains neither its address nor its text or link. */
const nameOf = ({ id, kind, to }: { id: string; kind: string; to: string }) =>
  `Email ${id} (${kind}, to ${domainOf(to)})`;
