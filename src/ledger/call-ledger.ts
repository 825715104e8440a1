import type { DebitOrder, DebitOutcome, KeyStatus, KeyStatusOrder, Ledger } from "./port.ts";
import { createThrottle, type Rate, type Throttle } from "./throttle.ts";

/**
 * What is asked about a call, wherever the account's ledger is. Each question counts the call against the account's rate.
 * A key that is not good and a suspended account come before the rate, the rate before the credits.
 */
export type CallLedger = {
  /** A question is a round trip over the network: a call should need one. */
  isRemote: boolean;
  keyStatus(order: KeyStatusOrder): Promise<Counted<KeyStatus>>;
  /** `isCounted`: the call was counted before, with the status of its key. */
  debit(order: DebitOrder, isCounted: boolean): Promise<Counted<DebitOutcome>>;
  /** Whether the account has used up its rate, as far as is known without asking. */
  isOverRate(account: string): boolean;
};

export type Counted<Outcome> = {
  outcome: Outcome | { outcome: "rate_limited"; balance: number };
  /** Null where there is no limit, where the call was counted before, and where the key is not the account's. */
  rate: Rate | null;
};

/** A ledger of this process or this machine; this process counts the rate. */
export function localCallLedger(
  ledger: Pick<Ledger, "keyStatus" | "debit">,
  callsPerSecond: number,
  elapsed: () => number,
): CallLedger {
  const throttle = createThrottle(callsPerSecond);
  const { keyStatus, debit } = ledger;
  return {
    isRemote: false,
    keyStatus: (order) => countCall({ throttle, order, at: elapsed(), ask: keyStatus, keyStatus }),
    debit: (order, isCounted) =>
      countCall({
        throttle: isCounted ? UNCOUNTED : throttle,
        order,
        at: elapsed(),
        ask: debit,
        keyStatus,
      }),
    isOverRate: (account) => throttle.isUsedUp(account, elapsed()),
  };
}

/** No limit, and no other bucket is touched. */
const UNCOUNTED = createThrottle(0);

type Question<Order, Outcome> = {
  throttle: Throttle;
  order: Order;
  /** When the call is made, by the clock of the throttle. */
  at: number;
  /** The order was sent before and its response was lost. It may have been charged, so the rate does not reject it. */
  isAgain?: boolean;
  ask(order: Order): Outcome | Promise<Outcome>;
  keyStatus(order: KeyStatusOrder): KeyStatus | Promise<KeyStatus>;
};

/**
 * Counts a call and asks about it. The rate is taken first, because that needs no look at the ledger, and given back
 * where the key is not the account's.
 */
export async function countCall<
  Order extends KeyStatusOrder,
  Outcome extends DebitOutcome | KeyStatus,
>({
  throttle,
  order,
  at,
  isAgain = false,
  ask,
  keyStatus,
}: Question<Order, Outcome>): Promise<Counted<Outcome | NotGood>> {
  const { account, keySha256, now } = order;
  const rate = throttle.take(account, at);
  const counted = throttle.policy === null ? null : rate;
  if (rate.allowed || isAgain) {
    const outcome = await ask(order);
    if (outcome.outcome !== "invalid_key") return { outcome, rate: counted };
    throttle.reverseCall(account);
    return { outcome, rate: null };
  }
  const status = await keyStatus({ account, keySha256, now });
  if (status.outcome !== "good") {
    return { outcome: status, rate: status.outcome === "invalid_key" ? null : counted };
  }
  return { outcome: { outcome: "rate_limited", balance: status.balance }, rate: counted };
}

type NotGood = Exclude<KeyStatus, { outcome: "good" }>;
