import type { Directory } from "#accounts/directory.ts";
import type { WaitingLetter } from "#email/email-queue.ts";
import { type Complain, toWaiting } from "#email/enqueue-emails.ts";
import type { Way } from "#email/transport.ts";
import { type RandomBytes, randomBase62 } from "#ids.ts";
import type { LedgerEvent } from "#ledger/events.ts";
import type { Ledger } from "#ledger/port.ts";
import { NOTICES_AT_ONCE } from "./bounds.ts";
import type { NoticeBook } from "./event-store.ts";
import { type NoticeLetters, sortOf } from "./notification-emails.ts";
import type { Aside } from "./set-aside.ts";
import { noticeBody } from "./webhook-body.ts";

/**
 * Carries notices on from where they were written to the people's side: each becomes its letter and its deliveries in one
 * transaction, and only then it is settled. Whoever is killed in between, or does the same on another node, changes
 * nothing: the book handles a notice once.
 */
export type NoticeSource = {
  /** The oldest that nobody has settled, at most `max`. */
  list(order: { max: number }): Promise<readonly LedgerEvent[]>;
  settle(notices: readonly LedgerEvent[]): Promise<void>;
};

/** Of a ledger that keeps all accounts together. */
export const noticesOf = (ledger: Pick<Ledger, "listEvents" | "deleteEvents">): NoticeSource => ({
  list: async (order) => (await ledger.listEvents(order)).notices,
  async settle(notices) {
    await ledger.deleteEvents({ ids: notices.map(({ id }) => id) });
  },
});

export type CarryOnWiring = {
  source: NoticeSource;
  book: Pick<NoticeBook, "choice" | "handle">;
  ledger: Pick<Ledger, "findAccount">;
  directory: Pick<Directory, "findByAccount">;
  letters: NoticeLetters;
  /** How letters go out while this one is posted. */
  way: Way;
  now(): number;
  random: RandomBytes;
  complain: Complain;
  /** Awaited after each write, so that whoever shares the database has a turn; left out: nobody does. */
  rest?: () => Promise<void>;
  /** Kept from round to round. */
  aside: Aside;
};

/**
 * One that cannot be handled holds up no others; where this many cannot, nothing can be written just now, or these are odd, and
 * the next round begins behind them.
 */
const FAILURES_MAX = 3;
const DELIVERY_ID_CHARS = 20;

export const newDeliveryId = (random: RandomBytes) =>
  `dlv_${randomBase62(DELIVERY_ID_CHARS, random)}`;

/** One round; `more`: there may be others at once. */
export async function carryOn(wiring: CarryOnWiring): Promise<{ carried: number; more: boolean }> {
  const { source, complain, aside } = wiring;
  const now = wiring.now();
  const listed = await source.list({ max: NOTICES_AT_ONCE + aside.size() });
  const notices = listed.filter(({ id }) => !aside.holds(id, now)).slice(0, NOTICES_AT_ONCE);
  const done: LedgerEvent[] = [];
  let failures = 0;
  let isFull = false;
  for (const notice of notices) {
    try {
      if ((await handle(wiring, notice)) === "queue_full") {
        isFull = true;
        aside.put(notice.id, now);
        continue;
      }
      done.push(notice);
      aside.drop(notice.id);
    } catch (cause) {
      failures += 1;
      aside.put(notice.id, now);
      complain(`The notice ${notice.id} could not be carried on; it is tried again`, { cause });
      if (failures === FAILURES_MAX) break;
    }
  }
  if (isFull) complain("Letters about credits wait, for the queue of letters is full", {});
  if (done.length > 0) {
    await source.settle(done);
    await wiring.rest?.();
  }
  // A round that carried nothing ends here: what is put aside must have its time.
  const more = failures < FAILURES_MAX && done.length > 0 && notices.length >= NOTICES_AT_ONCE;
  return { carried: done.length, more };
}

async function handle(
  wiring: CarryOnWiring,
  notice: LedgerEvent,
): Promise<"queue_full" | "settle"> {
  const { book, ledger, random, complain } = wiring;
  const now = wiring.now();
  const standing = await ledger.findAccount({ account: notice.account, now });
  // What a suspended or closed account would be told is of no use to anybody.
  if (standing?.state !== "open") return "settle";
  const letter = await letterOf(wiring, notice, now);
  const { leftOut } = await book.handle({
    ...{ notice, letter, now, body: noticeBody(notice) },
    deliveryIds: (count) => Array.from({ length: count }, () => newDeliveryId(random)),
  });
  await wiring.rest?.();
  if (leftOut === "queue_full") return leftOut;
  if (leftOut !== null)
    complain("A letter about credits was not kept: too many wait for its reader", {});
  return "settle";
}

/** Null where its owner wants none, or nobody can be written to. */
async function letterOf(
  { book, directory, letters, way, random }: CarryOnWiring,
  notice: LedgerEvent,
  now: number,
): Promise<WaitingLetter | null> {
  const { account } = notice;
  const sort = sortOf(notice);
  if (sort === null) return null;
  // A letter that says what ended already would only puzzle.
  if (notice.kind === "credits.expiring" && notice.grant.expiresAt <= now) return null;
  const choice = await book.choice({ account });
  if (!choice.letters[sort]) return null;
  const address = await directory.findByAccount({ account });
  const letter = address === null ? null : letters(notice, address.email);
  return letter === null ? null : toWaiting(letter, way, random);
}
