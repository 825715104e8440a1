/** What is posted becomes a waiting letter: whoever delivers finds it in the queue. */
import { type RandomBytes, randomBase62 } from "#ids.ts";
import { HOUR_MS } from "#limits.ts";
import { SUBJECT_CHARS_MAX } from "./bounds.ts";
import { domainOf } from "./email-job.ts";
import type { EmailAdded, EmailQueue, QueuedEmail } from "./email-queue.ts";
import type { Email, Mail } from "./mail.ts";
import { isPlainAddress, oneLine } from "./one-line.ts";
import type { TransportKind } from "./transport.ts";

export type LogError = (message: string, details: { cause?: unknown }) => void;

export type MailDeps = {
  queue: Pick<EmailQueue, "add">;
  /** How letters go out while this one is posted. */
  transportKind: TransportKind;
  now: () => number;
  random: RandomBytes;
  logError: LogError;
};

/** 142 random bits: the id is also the first half of the Message-ID. */
const EMAIL_ID_CHARS = 24;

type Left = Exclude<EmailAdded, "added">;

const LEFT_OUT: Record<Left, string> = {
  recipient_full: "too many letters to this address are waiting",
  queue_full: "the queue of letters is full",
  too_often: "too many of its kind were asked for with this address within an hour or a day",
};

export function createMail(wiring: MailDeps, enqueued = () => {}): Mail {
  const { queue, transportKind, now, random, logError } = wiring;
  /** When each reason was last told: whoever asks for letters without end does not fill the log. */
  const told = new Map<Left, number>();

  function leaveOut(fault: string, reason: Left): void {
    if (now() - (told.get(reason) ?? Number.NEGATIVE_INFINITY) < HOUR_MS) return;
    told.set(reason, now());
    logError(`${fault} (told once an hour)`, {});
  }

  return {
    async post(email: Email) {
      const waiting = toQueuedEmail(email, transportKind, random);
      if (waiting === null) {
        const { kind = "other" } = email;
        const fault = `A letter (${kind}) was not kept: its address cannot be used`;
        logError(fault, {});
        return { fault };
      }
      const { outcome } = await queue.add({ email: waiting, now: now() });
      if (outcome === "added") {
        enqueued();
        return { fault: null };
      }
      const fault = `${nameOf(waiting)} was not kept: ${LEFT_OUT[outcome]}`;
      leaveOut(fault, outcome);
      return { fault };
    },
  };
}

/** A letter as the queue keeps it; null where its address cannot stand in an envelope. */
export function toQueuedEmail(
  email: Email,
  transportKind: TransportKind,
  random: RandomBytes,
): QueuedEmail | null {
  const { to, text, html, kind = "other", usefulUntil = null, unsubscribe } = email;
  if (!isPlainAddress(to)) return null;
  const id = `eml_${randomBase62(EMAIL_ID_CHARS, random)}`;
  const subject = oneLine(email.subject, SUBJECT_CHARS_MAX);
  const waiting = { id, to, subject, text, html, kind, usefulUntil, transportKind };
  return unsubscribe === undefined ? waiting : { ...waiting, unsubscribe };
}

/** What the log says of a letter: never the address, the text or the link. */
const nameOf = ({ id, kind, to }: { id: string; kind: string; to: string }) =>
  `Email ${id} (${kind}, to ${domainOf(to)})`;
