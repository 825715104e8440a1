/** What is posted becomes a waiting letter: whoever delivers finds it in the queue. */
import { type RandomBytes, randomBase62 } from "#ids.ts";
import { HOUR_MS } from "#limits.ts";
import { SUBJECT_CHARS_MAX } from "./bounds.ts";
import { domainOf } from "./email-job.ts";
import type { LetterAdded, LetterQueue, WaitingLetter } from "./email-queue.ts";
import type { Letter, Mail } from "./mail.ts";
import { isPlainAddress, oneLine } from "./one-line.ts";
import type { Way } from "./transport.ts";

export type Complain = (message: string, details: { cause?: unknown }) => void;

export type PostingWiring = {
  queue: Pick<LetterQueue, "add">;
  /** How letters go out while this one is posted. */
  way: Way;
  now: () => number;
  random: RandomBytes;
  complain: Complain;
};

/** 142 random bits: the id is also the first half of the Message-ID. */
const LETTER_ID_CHARS = 24;

type Left = Exclude<LetterAdded, "added">;

const LEFT_OUT: Record<Left, string> = {
  recipient_full: "too many letters to this address are waiting",
  queue_full: "the queue of letters is full",
  too_often: "too many of its kind were asked for with this address within an hour or a day",
};

export function createPosting(wiring: PostingWiring, posted = () => {}): Mail {
  const { queue, way, now, random, complain } = wiring;
  /** When each reason was last told: whoever asks for letters without end does not fill the log. */
  const told = new Map<Left, number>();

  function leaveOut(fault: string, reason: Left): void {
    if (now() - (told.get(reason) ?? Number.NEGATIVE_INFINITY) < HOUR_MS) return;
    told.set(reason, now());
    complain(`${fault} (told once an hour)`, {});
  }

  return {
    async post(letter: Letter) {
      const waiting = toWaiting(letter, way, random);
      if (waiting === null) {
        const { kind = "other" } = letter;
        const fault = `A letter (${kind}) was not kept: its address cannot be used`;
        complain(fault, {});
        return { fault };
      }
      const { outcome } = await queue.add({ letter: waiting, now: now() });
      if (outcome === "added") {
        posted();
        return { fault: null };
      }
      const fault = `${nameOf(waiting)} was not kept: ${LEFT_OUT[outcome]}`;
      leaveOut(fault, outcome);
      return { fault };
    },
  };
}

/** A letter as the queue keeps it; null where its address cannot stand in an envelope. */
export function toWaiting(letter: Letter, way: Way, random: RandomBytes): WaitingLetter | null {
  const { to, text, html, kind = "other", usefulUntil = null, unsubscribe } = letter;
  if (!isPlainAddress(to)) return null;
  const id = `let_${randomBase62(LETTER_ID_CHARS, random)}`;
  const subject = oneLine(letter.subject, SUBJECT_CHARS_MAX);
  const waiting = { id, to, subject, text, html, kind, usefulUntil, way };
  return unsubscribe === undefined ? waiting : { ...waiting, unsubscribe };
}

/** What the log says of a letter: never the address, the text or the link. */
const nameOf = ({ id, kind, to }: { id: string; kind: string; to: string }) =>
  `Email ${id} (${kind}, to ${domainOf(to)})`;
