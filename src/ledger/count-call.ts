import type { Counted } from "./far-ledger.ts";
import type { DebitOrder, DebitOutcome, KeyStatus, KeyStatusOrder } from "./port.ts";
import type { Throttle } from "./throttle.ts";

/** What is asked of the books. */
type Own = {
  debit(order: DebitOrder): DebitOutcome | Promise<DebitOutcome>;
  keyStatus(order: KeyStatusOrder): KeyStatus | Promise<KeyStatus>;
};

/**
 * One question about a call, the rate included. The rate is taken first, for it needs no look at the books, and given
 * back where the call turns out not to be the account's. It goes by the order's own time. An order that is sent again
 * because its answer was lost is never refused for the rate: it may have been charged already.
 */
export async function countCall<Kind extends keyof Own>(
  own: Own,
  throttle: Throttle,
  kind: Kind,
  order: Parameters<Own[Kind]>[0],
  isAgain = false,
): Promise<Counted<Awaited<ReturnType<Own[Kind]>>>> {
  type Outcome = Awaited<ReturnType<Own[Kind]>>;
  const { account, keySha256, now } = order;
  const rate = throttle.take(account, now);
  const counted = throttle.policy === null ? null : rate;
  const isOurs = (outcome: { outcome: string }) =>
    outcome.outcome !== "invalid_key" && outcome.outcome !== "account_suspended";
  if (rate.allowed || isAgain) {
    const outcome = (await own[kind](order as never)) as Outcome;
    if (outcome.outcome !== "invalid_key") return { outcome, rate: counted };
    throttle.giveBack(account);
    return { outcome, rate: null };
  }
  const standing = await own.keyStatus({ account, keySha256, now });
  if (isOurs(standing)) {
    const { balance } = standing as { balance: number };
    return { outcome: { outcome: "rate_limited", balance }, rate: counted };
  }
  const isKnown = standing.outcome !== "invalid_key";
  return { outcome: standing as Outcome, rate: isKnown ? counted : null };
}
