import type { CallRef } from "#credits/ledger.ts";
import type { House } from "./house.ts";

/**
 * Calls that were answered with 503 although their debit may have been made: it is given back as soon as the ledger
 * answers again. A call with an idempotency key is left alone, because its retry replays it.
 */
const FIRST_WAIT_MS = 1_000;
/** Waits double: twelve tries span more than an hour. */
const TRIES_MAX = 12;

export function createReversals(house: House): {
  add(call: { account: string; callId: string; now: number }): void;
} {
  async function tryReverse(call: CallRef, tries: number): Promise<void> {
    try {
      await house.ledger.reverse({ ...call, now: house.now() });
    } catch (cause) {
      if (tries >= TRIES_MAX) {
        house.complain(`The call ${call.callId} of ${call.account} could not be reversed`, {
          cause,
        });
        return;
      }
      setTimeout(() => void tryReverse(call, tries + 1), FIRST_WAIT_MS * 2 ** (tries - 1));
    }
  }
  return {
    add: ({ account, callId, now }) => void tryReverse({ account, callId, at: now }, 1),
  };
}
