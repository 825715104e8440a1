import { createFetchTransport } from "#mail/fetch-transport.ts";
import type { LetterQueue } from "#mail/letter-queue.ts";
import type { Mail } from "#mail/mail.ts";
import { createPostOffice } from "#mail/post-office.ts";
import { type Complain, createPosting } from "#mail/posting.ts";
import { type MailSettings, wayOf } from "#mail/read-mail-settings.ts";
import type { Transport } from "#mail/transport.ts";

/**
 * Letters at the edge: posted into the queue, carried away by who posted them once the answer has left, and by the cron where
 * that did not come through. Nothing here outlives its request but the queue.
 */
export type EdgeLetters = {
  mail: Mail;
  /** Carries away what is due. */
  deliver(): Promise<void>;
  /** The same, after the answer has left. */
  carryAway(): void;
  /** Whether there is anything to carry away. */
  isDue(): Promise<boolean>;
};

type Wiring = {
  settings: MailSettings;
  queue: LetterQueue;
  now(): number;
  random(count: number): Uint8Array;
  waitUntil(work: Promise<unknown>): void;
  complain: Complain;
};

/** What goes on after an answer is ended by the platform after 30 s: a letter's try has to end before, to be noted. */
const SEND_MS = 12_000;
const TAKE_FOR_MS = 12_000;
/** Each takes three of the 1,000 requests that an invocation may make to others. */
const LETTERS_A_ROUND = 200;

export function openEdgeLetters(wiring: Wiring): EdgeLetters {
  const { settings, queue, now, random, waitUntil, complain } = wiring;
  const way = wayOf(settings);
  const transport =
    settings.api === null
      ? consoleTransport()
      : createFetchTransport(settings.api, settings.from, SEND_MS);

  /** An office for one round: what it knows of letters on their way is of no use to another request. */
  async function deliver(): Promise<void> {
    let left = LETTERS_A_ROUND;
    const counted: Transport = {
      async send(letter, messageId, signal) {
        left -= 1;
        if (left <= 0) void office.close();
        await transport.send(letter, messageId, signal);
      },
    };
    const { from } = settings;
    const office = createPostOffice({
      ...{ queue, transport: counted, way, now, random, from, complain },
    });
    const late = setTimeout(() => void office.close(), TAKE_FOR_MS);
    await office.deliverDue().finally(() => clearTimeout(late));
  }

  const carryAway = () =>
    waitUntil(deliver().catch((cause) => complain("Letters could not be delivered", { cause })));

  return {
    mail: createPosting({ queue, way, now, random, complain }, carryAway),
    ...{ deliver, carryAway },
    async isDue() {
      const { at } = await queue.nextDue({ way });
      return at !== null && at <= now();
    },
  };
}

/** Whoever tries the service on their own machine finds the text with its link where they started it. */
const consoleTransport = (): Transport => ({
  async send({ to, subject, text }) {
    console.log(`A letter (no MAIL_API_TOKEN is set)\nTo: ${to}\nSubject: ${subject}\n\n${text}`);
  },
});
