/** How the model charges a call, whether for good or while it runs. */
import type { DebitOrder, DebitOutcome } from "#ledger/port.ts";
import {
  balanceOf,
  freeCallOf,
  heldOf,
  MINUTE,
  type ModelAccount,
  type ModelCall,
  type ModelKey,
  remainingOf,
  spendableOf,
} from "./model-account.ts";
import { Rejected } from "./model-grants.ts";
import { countCharge, exhaustedAt, keyAt, prohibitionOf, withRate } from "./model-keys.ts";

export const callOf = ({ calls }: ModelAccount, callId: string, at: number) =>
  calls.find((call) => call.callId === callId && call.at === at);

export function checkPrice(price: number): void {
  if (!Number.isInteger(price) || price < 0 || price > 1_000_000) throw new Rejected();
}

/** What a call can be judged by before it is charged. */
type Chargeable = Omit<DebitOrder, "idempotency">;
type Rejection = Exclude<
  DebitOutcome,
  { outcome: "debited" | "replayed" | "idempotency_key_reused" }
>;

/** Why a call that came at `at` is not charged; else the key that is. `repeat`: what its idempotency key decides. */
export function judge<Repeat>(
  account: ModelAccount,
  order: Chargeable,
  repeat: (key: ModelKey) => Repeat | null,
  at = order.now,
): { rejected: Repeat | Rejection } | { key: ModelKey; isFree: boolean } {
  const { credits: price, now } = order;
  const key = keyAt(account, order.keySha256, now);
  if ("outcome" in key) return { rejected: key };
  const balance = balanceOf(account, now);
  if (account.state === "suspended") return { rejected: { outcome: "account_suspended", balance } };
  const forbidden = prohibitionOf(key, order, balance);
  if (forbidden !== null) return { rejected: forbidden };
  const repeated = repeat(key);
  if (repeated !== null) return { rejected: repeated };
  const isSmall = price >= 1 && price <= order.freeCallCredits;
  const isFree = isSmall && freeCallOf(account) === "open";
  const exhausted = exhaustedAt(key, isFree ? 0 : price, now, at, account.holds);
  if (exhausted !== null)
    return { rejected: withRate({ outcome: "key_budget_exhausted", balance, ...exhausted }, key) };
  if (isFree || price <= balance) return { key, isFree };
  const held = heldOf(account);
  const poor = { outcome: "insufficient_credits" as const, balance };
  return { rejected: withRate(held > 0 ? { ...poor, heldCredits: held } : poor, key) };
}

/** Too few credits are told with the account's own price. */
export const saying = <Outcome extends { outcome: string }>(rejected: Outcome, own: object) =>
  rejected.outcome === "insufficient_credits" || rejected.outcome === "key_budget_exhausted"
    ? { ...rejected, ...own }
    : rejected;

/** Takes the price of a call that came at `at`. */
export function charge(
  account: ModelAccount,
  { key, isFree }: { key: ModelKey; isFree: boolean },
  { callId, tool, credits: price, now }: Chargeable,
  at: number,
): ModelCall {
  const paid = isFree ? [] : spend(account, price, now);
  const charged = isFree ? 0 : price;
  const what = { callId, at, keyId: key.id, tool, charged, isFree, paid, idempotency: null };
  const call: ModelCall = { ...what, reversedAt: null };
  countCharge(key, call, now);
  if (key.lastUsedAt === null || now >= key.lastUsedAt + MINUTE) key.lastUsedAt = now;
  return call;
}

function spend(account: ModelAccount, price: number, now: number): ModelCall["paid"] {
  const paid: ModelCall["paid"] = [];
  for (const grant of spendableOf(account, now)) {
    const due = price - paid.reduce((sum, { credits }) => sum + credits, 0);
    if (due === 0) break;
    const credits = Math.min(due, remainingOf(grant));
    grant.moves.push({ what: "spent", credits, at: now });
    paid.push({ grant, credits });
  }
  return paid;
}
