import type { CallRef, Ledger } from "./port.ts";

/**
 * Calls that have to be given back and could not be yet, kept where the process that answered them does not live on. Each
 * is tried again, later each time, until the ledger has answered for it.
 */
export type KeptReversals = {
  keep(call: CallRef, now: number): Promise<void>;
  /** Those that are due, the longest first. Each is put off as it is taken, so that two rounds at once do not meet. */
  takeDue(order: { now: number; max: number }): Promise<KeptCall[]>;
  done(calls: readonly CallRef[]): Promise<void>;
};

/** `tries`: this one included. */
export type KeptCall = CallRef & { keptAt: number; tries: number };

/** Between tries: a minute, then twice as long each time, up to about four hours. */
export const KEPT_WAIT = { firstMs: 60_000, doublingsMax: 8 };

/** A debit that was on its way when its call was given up has arrived by then, or never will. */
const DEBIT_ARRIVES_WITHIN_MS = 60_000;
/** Asked all at once: so few that a ledger which has just come back is not swamped. */
const PAGE_CALLS = 20;
const PAGES_A_ROUND = 10;
/** With `KEPT_WAIT` that is about a day; from then on each try that fails is told. */
const TRIES_BEFORE_COMPLAINT = 12;

/** One round, for what runs every minute. Stops where nothing of a page could be given back. */
export async function giveBackKept(
  kept: Pick<KeptReversals, "takeDue" | "done">,
  ledger: Pick<Ledger, "reverse">,
  now: number,
  complain: (message: string, details: { cause?: unknown }) => void,
): Promise<{ settled: number; left: number }> {
  let [settled, left] = [0, 0];
  for (let pages = 0; pages < PAGES_A_ROUND; pages += 1) {
    const calls = await kept.takeDue({ now, max: PAGE_CALLS });
    const judged = await Promise.all(
      calls.map(async (call) => ((await isSettled(ledger, call, now, complain)) ? [call] : [])),
    );
    const finished = judged.flat();
    if (finished.length > 0) await kept.done(finished);
    settled += finished.length;
    left += calls.length - finished.length;
    if (calls.length < PAGE_CALLS || finished.length === 0) break;
  }
  return { settled, left };
}

async function isSettled(
  ledger: Pick<Ledger, "reverse">,
  { account, callId, at, keptAt, tries }: KeptCall,
  now: number,
  complain: (message: string, details: { cause?: unknown }) => void,
): Promise<boolean> {
  try {
    const { reversed } = await ledger.reverse({ account, callId, at, now });
    return reversed || now - keptAt >= DEBIT_ARRIVES_WITHIN_MS;
  } catch (cause) {
    if (tries >= TRIES_BEFORE_COMPLAINT) {
      complain(`The call ${callId} of ${account} cannot be given back; ${tries} tries failed`, {
        cause,
      });
    }
    return false;
  }
}
