import type { DebitOrder, DebitOutcome, KeyStatus, KeyStatusOrder, Ledger } from "./port.ts";
import { createThrottle, type Rate, type Throttle } from "./throttle.ts";

/**
 * The ledger as a call uses it. Each operation also counts the call against the account's rate limit. A rejected key or a
 * suspended account takes precedence over the rate limit, and the rate limit over missing credits.
 */
export type CallLedger = {
  /** Whether each operation is a network round trip. If so, a call should need only one. */
  isRemote: boolean;
  keyStatus(order: KeyStatusOrder): Promise<Counted<KeyStatus>>;
  /** `isCounted`: the call was already counted by `keyStatus`. */
  debit(order: DebitOrder, isCounted: boolean): Promise<Counted<DebitOutcome>>;
  /** Whether the account is known, without a round trip, to have used up its rate. */
  isOverRate(account: string): boolean;
};

export type Counted<Outcome> = {
  outcome: Outcome | { outcome: "rate_limited"; balance: number };
  /** Null if there is no limit, if the call was counted before, or if the key does not belong to the account. */
  rate: Rate | null;
};

/** A ledger on this machine. This process counts the rate. */
export function localCallLedger(
  ledger: Pick<Ledger, "keyStatus" | "debit">,
  callsPerSecond: number,
  elapsed: () => number,
): CallLedger {
  const throttle = createThrottle(callsPerSecond);
  const { keyStatus, debit } = ledger;
  return {
    isRemote: false,
    keyStatus: (order) =>
      countCall({ throttle, order, at: elapsed(), perform: keyStatus, keyStatus }),
    debit: (order, isCounted) =>
      countCall({
        throttle: isCounted ? UNCOUNTED : throttle,
        order,
        at: elapsed(),
        perform: debit,
        keyStatus,
      }),
    isOverRate: (account) => throttle.isUsedUp(account, elapsed()),
  };
}

/** A throttle without a limit, for calls that were counted before. */
const UNCOUNTED = createThrottle(0);

type CountedOrder<Order, Outcome> = {
  throttle: Throttle;
  order: Order;
  /** The time of the call by the throttle's clock, in milliseconds. */
  at: number;
  /** The order was sent before and its response was lost. It may have been charged, so the rate limit does not reject it. */
  isAgain?: boolean;
  perform(order: Order): Outcome | Promise<Outcome>;
  keyStatus(order: KeyStatusOrder): KeyStatus | Promise<KeyStatus>;
};

/**
 * Counts a call and performs its order. The rate is counted first, because that needs no access to the ledger. The count is
 * undone if the key does not belong to the account.
 */
export async function countCall<
  Order extends KeyStatusOrder,
  Outcome extends DebitOutcome | KeyStatus,
>({
  throttle,
  order,
  at,
  isAgain = false,
  perform,
  keyStatus,
}: CountedOrder<Order, Outcome>): Promise<Counted<Outcome | KeyRejected>> {
  const { account, keySha256, now } = order;
  const rate = throttle.take(account, at);
  const counted = throttle.policy === null ? null : rate;
  if (rate.allowed || isAgain) {
    const outcome = await perform(order);
    if (outcome.outcome !== "invalid_key") return { outcome, rate: counted };
    throttle.putBack(account);
    return { outcome, rate: null };
  }
  const status = await keyStatus({ account, keySha256, now });
  if (status.outcome !== "good") {
    return { outcome: status, rate: status.outcome === "invalid_key" ? null : counted };
  }
  return { outcome: { outcome: "rate_limited", balance: status.balance }, rate: counted };
}

type KeyRejected = Exclude<KeyStatus, { outcome: "good" }>;
