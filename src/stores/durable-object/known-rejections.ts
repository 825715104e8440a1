import type { CallOperation, CallOutcome, Counted } from "#ledger/call-ledger.ts";
import { createRecentNames } from "#ledger/recent-names.ts";
import { rejectedAt } from "#ledger/throttle.ts";

/**
 * Rejections by an account's object that stay true for a while, so that the same call is not sent to the object again:
 *
 * - A key that the existing account does not have, a revoked key, and the keys of a closed account never become good again: keys are
 *   random, and only an account that does not exist yet can be imported.
 * - A call over the account's rate limit is rejected until the object's count allows the next one, a second at most. By one clock, other
 *   calls can only lower that count; if the clock of another isolate is ahead, a call may be rejected by as much too long. A key's
 *   own limit may be changed, so its rejections are not remembered.
 *
 * A rejection is repeated only for the same key, tool and client address, because the errors of the key come before the rate limit.
 */
export type KnownRejections = {
  /** Returns what the object would respond; null if it must be asked. */
  find(kind: CallOperation, order: Asked): CountedOutcome | null;
  /** `isFinal`: the object says that the key can never become good. */
  learn(kind: CallOperation, order: Asked, outcome: CountedOutcome, isFinal: boolean): void;
};

type CountedOutcome = Counted<CallOutcome>;
type Asked = { keySha256: string; tool?: string | null; address?: string | null; now: number };
/** `from` and `until`: the times of the orders to which it applies. */
type Known = { outcome: CountedOutcome; from: number; until: number };

/** Recovering an earlier state of an object by the platform is the only way back for a key. It counts after this time at most. */
export const FINAL_MS = 60_000;

export function createKnownRejections(): KnownRejections {
  const keys = createRecentNames<Known>();
  const limited = createRecentNames<Known>();

  const keyName = (kind: CallOperation, { keySha256 }: Asked) => `${kind} ${keySha256}`;
  const callName = (kind: CallOperation, order: Asked) =>
    `${keyName(kind, order)} ${order.tool ?? ""} ${order.address ?? ""}`;

  const applies = (known: Known | undefined, { now }: Asked): known is Known =>
    known !== undefined && now >= known.from && now < known.until;

  return {
    find(kind, order) {
      const known = keys.get(keyName(kind, order));
      if (applies(known, order)) return known.outcome;
      const over = limited.get(callName(kind, order));
      return applies(over, order) ? atTime(over.outcome, order.now) : null;
    },
    learn(kind, order, outcome, isFinal) {
      const from = order.now;
      if (isFinal) keys.set(keyName(kind, order), { outcome, from, until: from + FINAL_MS });
      const { outcome: rejection } = outcome;
      if (rejection.outcome !== "rate_limited" || rejection.by.source !== "account") return;
      const { availableAt } = rejection.by;
      if (availableAt === undefined) return;
      // The object adds up fractions of calls, so it may allow the next one a moment earlier.
      const until = Math.floor(availableAt - 0.01);
      limited.set(callName(kind, order), { outcome, from, until });
    },
  };
}

/** The rejection of a later call: the waiting times that it names are shorter. */
function atTime(counted: CountedOutcome, now: number): CountedOutcome {
  const { outcome } = counted;
  if (outcome.outcome !== "rate_limited") return counted;
  const by = rejectedAt(outcome.by, now);
  return { outcome: { ...outcome, by }, rate: by };
}
