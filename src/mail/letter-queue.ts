/**
 * The queue of letters that wait: a port; stores implement it. Orders and answers are plain data, and the time comes
 * from the caller. A letter is taken under a lease: it is nobody else's until then, and everybody's again after it,
 * so a process that dies loses none. It is deleted as soon as it was delivered or given up, for its link is a secret.
 */
import type { LetterKind } from "./mail.ts";
import type { Way } from "./transport.ts";

export type WaitingLetter = {
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  kind: LetterKind;
  usefulUntil: number | null;
  /** The transport that it was posted for. One posted for `smtp` never goes to the outbox: its link is not for us. */
  way: Way;
  /** Where a single POST unsubscribes from letters of its sort (RFC 8058). */
  unsubscribe?: string;
};

/** `take` numbers the takes of this letter: an order with an older number comes from one whose lease has ended. */
export type TakenLetter = WaitingLetter & { postedAt: number; failures: number; take: number };

export type LetterQueueOperations = {
  /**
   * Keeps a letter, due at once. The same id again is the first one. Beyond the bounds (`bounds.ts`) it is not kept.
   * One that anybody can cause (`letter-group.ts`) takes the place of those of its kind that wait for the recipient and
   * are in nobody's hands; where it replaces none it counts for the recipient's hour and day.
   */
  add: [
    { letter: WaitingLetter; now: number },
    { outcome: "added" | "recipient_full" | "queue_full" | "too_often" },
  ];
  /** Of the letters that may go this way those due longest, at most `max`; they are due again at `leaseUntil`. */
  take: [{ now: number; leaseUntil: number; max: number; way: Way }, { letters: TakenLetter[] }];
  /** Delivered: deleted, whoever holds the lease by now. */
  done: [{ id: string }, { found: boolean }];
  /** Not delivered: due again at `at`. `found` is false where the lease has passed on. */
  later: [{ id: string; take: number; at: number; failures: number }, { found: boolean }];
  /** Never to be delivered: deleted, unless the lease has passed on. */
  giveUp: [{ id: string; take: number }, { found: boolean }];
  /** When the next letter that may go this way is due, those under a lease included; null where none waits. */
  nextDue: [{ way: Way }, { at: number | null }];
  /** How many wait that may go this way (all may by `smtp`), and since when the oldest. */
  count: [{ way: Way }, { waiting: number; oldestAt: number | null }];
};

export type LetterQueueOperation = keyof LetterQueueOperations;

export type LetterQueue = {
  [Name in LetterQueueOperation]: (
    order: LetterQueueOperations[Name][0],
  ) => Promise<LetterQueueOperations[Name][1]>;
};
