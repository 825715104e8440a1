import type { DebitOrder, DebitOutcome, KeyStatus, KeyStatusOrder } from "./port.ts";
import type { Rate } from "./throttle.ts";

/**
 * The ledger as a door asks it to which every question is a journey: once a call, and it counts the rate itself, because
 * it alone sees every call of the account. A key that is not good or an account that is suspended comes before the
 * rate, the rate before the credits.
 */
export type FarLedger = {
  /** `isCounted`: the call's rate was counted before, with its standing. */
  debit(order: DebitOrder, isCounted?: boolean): Promise<Counted<DebitOutcome>>;
  keyStatus(order: KeyStatusOrder): Promise<Counted<KeyStatus>>;
};

/** `rate` is null where there is no limit, or where the call was not the account's. */
export type Counted<Outcome> = {
  outcome: Outcome | { outcome: "rate_limited"; balance: number };
  rate: Rate | null;
};
