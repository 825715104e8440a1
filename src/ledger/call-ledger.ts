import { type CallRates, createCallRates } from "./call-rates.ts";
import type {
  DebitOrder,
  DebitOutcome,
  HasKeyId,
  KeyRate,
  KeyStatus,
  KeyStatusOrder,
  Ledger,
} from "./port.ts";
import type { Rate } from "./throttle.ts";

/**
 * The ledger as a call uses it. Each operation also counts the call against the rate limits of the account and of the key. A
 * rejected key or a suspended account takes precedence over the rate limit, and the rate limit over missing credits.
 */
export type CallLedger = {
  /** Whether each operation is a network round trip. If so, a call should need only one. */
  isRemote: boolean;
  keyStatus(order: KeyStatusOrder): Promise<Counted<KeyStatus>>;
  /** `isCounted`: the call was already counted by `keyStatus`. */
  debit(order: DebitOrder, isCounted: boolean): Promise<Counted<DebitOutcome>>;
  /** Whether the account or the key is known, without a round trip, to have used up its rate. */
  isOverRate(call: { account: string; keySha256: string }): boolean;
};

export type Counted<Outcome> = {
  /** `by`: the limit that rejects the call. */
  outcome: Outcome | ({ outcome: "rate_limited"; balance: number; by: Rate } & HasKeyId);
  /**
   * The stricter one of the rates. Null if there is no limit, if the call was counted before, or if the key does not belong to
   * the account.
   */
  rate: Rate | null;
};

/** A ledger on this machine. This process counts the rates. */
export function localCallLedger(
  ledger: Pick<Ledger, "keyStatus" | "debit">,
  callsPerSecond: number,
  elapsed: () => number,
): CallLedger {
  const rates = createCallRates(callsPerSecond);
  const { keyStatus, debit } = ledger;
  return {
    isRemote: false,
    keyStatus: (order) => countCall({ rates, order, at: elapsed(), perform: keyStatus, keyStatus }),
    debit: (order, isCounted) =>
      isCounted
        ? uncounted(debit(order))
        : countCall({ rates, order, at: elapsed(), perform: debit, keyStatus }),
    isOverRate: (call) => rates.isUsedUp(call, elapsed()),
  };
}

/** The outcome for a call that was counted before. */
export const uncounted = async <Outcome>(
  performed: Outcome | Promise<Outcome>,
): Promise<Counted<Outcome>> => ({ outcome: await performed, rate: null });

type CountedOrder<Order, Outcome> = {
  rates: CallRates;
  order: Order;
  /** The time of the call by the clock of the rates, in milliseconds. */
  at: number;
  /** The order was sent before and its response was lost. It may have been charged, so the rate limit does not reject it. */
  isAgain?: boolean;
  perform(order: Order): Outcome | Promise<Outcome>;
  keyStatus(order: KeyStatusOrder): KeyStatus | Promise<KeyStatus>;
};

/**
 * Counts a call and performs its order. The rate is counted first, because that needs no access to the ledger. The count is
 * undone if the key does not belong to the account, has expired or may not be used for this call: otherwise a key that was
 * stolen, and is of no use to the thief because of its limits, could use up the rate of its account.
 */
export async function countCall<
  Order extends KeyStatusOrder,
  Outcome extends DebitOutcome | KeyStatus,
>({
  rates,
  order,
  at,
  isAgain = false,
  perform,
  keyStatus,
}: CountedOrder<Order, Outcome>): Promise<Counted<Outcome | RejectedStatus>> {
  const knew = rates.knows(order);
  const rate = rates.take(order, at);
  if (rate === null || rate.allowed || isAgain) {
    const outcome = await perform(order);
    if (isKeyRejected(outcome)) {
      if (rate?.allowed !== false) rates.putBack(order);
      return { outcome, rate: hasRate(outcome) ? rate : null };
    }
    const late = rates.learn(order, keyRateOf(outcome), at, knew);
    // Calls with a key that the node did not know may have come together, and a status is asked for before any work.
    if (late === null || late.allowed || outcome.outcome !== "good" || isAgain)
      return { outcome, rate: late ?? rate };
    rates.putBackAccount(order.account);
    return { outcome: rateLimited(outcome, late), rate: late };
  }
  const { account, keySha256, now, tool = null, credits = 0, address = null } = order;
  const { namesKey = false } = order;
  const status = await keyStatus({ account, keySha256, now, tool, credits, address, namesKey });
  if (status.outcome !== "good") return { outcome: status, rate: hasRate(status) ? rate : null };
  rates.learn(order, status.keyRate, at, true);
  return { outcome: rateLimited(status, rate), rate };
}

const rateLimited = ({ balance, keyId }: { balance: number } & HasKeyId, by: Rate) => ({
  outcome: "rate_limited" as const,
  balance,
  by,
  ...(keyId !== undefined && { keyId }),
});

type AnyOutcome = DebitOutcome | KeyStatus;
type RejectedStatus = Exclude<KeyStatus, { outcome: "good" }>;
type KeyRejected = Extract<
  AnyOutcome,
  { outcome: "invalid_key" | "key_expired" | "key_not_allowed" }
>;

const isKeyRejected = (outcome: AnyOutcome): outcome is KeyRejected =>
  outcome.outcome === "invalid_key" ||
  outcome.outcome === "key_expired" ||
  outcome.outcome === "key_not_allowed";

/** Whether the client is told the rate: only if its key works. */
const hasRate = ({ outcome }: AnyOutcome): boolean =>
  outcome !== "invalid_key" && outcome !== "key_expired";

const keyRateOf = (outcome: AnyOutcome): KeyRate | undefined =>
  "keyRate" in outcome ? outcome.keyRate : undefined;
