/** Queues emails for the sender (`send-emails.ts`). */
import { type RandomBytes, randomBase62 } from "#ids.ts";
import { HOUR_MS } from "#limits.ts";
import type { Sealer } from "#seal.ts";
import { SUBJECT_CHARS_MAX } from "./bounds.ts";
import {
  domainOf,
  type EmailAdded,
  type EmailQueue,
  type QueuedEmail,
  sealContent,
} from "./email-queue.ts";
import type { Email, Mail } from "./mail.ts";
import { isPlainAddress, oneLine } from "./one-line.ts";
import type { RequestedBounds } from "./requested-bounds.ts";
import type { TransportKind } from "./transport.ts";

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
