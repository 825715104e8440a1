import type { Counted } from "#ledger/call-ledger.ts";
import type {
  BudgetExhausted,
  DebitOutcome,
  HoldOutcome,
  KeyStatus,
  KeyStatusOrder,
} from "#ledger/port.ts";
import { topUp } from "#top-up.ts";
import { isWaiting } from "./body.ts";
import { type Call, type KeyedRequest, setPrice } from "./call.ts";
import {
  accountSuspended,
  insufficientCredits,
  invalidKey,
  keyBudgetExhausted,
  keyExpired,
  keyNotAllowed,
  rateLimited,
  unavailable,
} from "./call-errors.ts";

/**
 * The second step of a call. The ledger decides about key, account, rate and credits with the debit, so here it is asked only where
 * an early check saves work:
 *
 * - A local ledger is asked before costly work, for a key that this process does not know, for an exhausted rate, and for a call of an
 *   own tool right after an error of the account, because the service does not know what it costs.
 * - A remote one, which costs a round trip, right after an error of the account.
 * - Either is asked before a call whose price follows from its input: the check of the input and the function of the price are code of
 *   an own tool, which runs before the call is paid, and would run for accounts that cannot pay at all.
 * - Either is asked before the file of a call is received, so that nothing is written for an account that cannot pay.
 * - If large calls hold much memory, either is asked before another large body is read.
 *
 * Returns no promise if the ledger is not asked. `askStatus` says what it throws; for a key that this process does not know,
 * also `rate_limited` if its network has sent many bad ones.
 */
export function admit(call: Call): Promise<void> | undefined {
  checkNetwork(call);
  const { deps, tool, request, announcedBytes } = call;
  if (call.mayBeLarge && deps.budget.isTight()) return askStatus(call);
  const mayBeHeavy = !(announcedBytes < tool.heavyFromBytes);
  return asksFirst(call, mayBeHeavy || isWaiting(request)) ? askStatus(call) : undefined;
}

/** Does the same for a body that has turned out to be costly work. */
export const admitHeavy = (call: Call): Promise<void> | undefined =>
  asksFirst(call, true) ? askStatus(call) : undefined;

/** For a request that calls no tool: asks the ledger about its key each time, which counts towards the rates. Throws what `askKey` throws. */
export async function admitKey(request: KeyedRequest): Promise<void> {
  request.isCounted = false;
  await askKey(request);
}

function checkNetwork({ deps, caller, address }: KeyedRequest): void {
  const { account, keySha256, known } = caller;
  if (!known) deps.badKeys.check({ address, account, keySha256 });
}

function asksFirst({ deps, tool, caller }: Call, isHeavy: boolean): boolean {
  const { calls } = deps.app;
  if (tool.priceOf !== undefined || tool.file !== undefined) return true;
  return calls.isRemote
    ? deps.recentErrors.areLikely(caller, isHeavy)
    : isHeavy ||
        !caller.known ||
        calls.isOverRate(caller) ||
        (tool.isOwn === true && deps.recentErrors.areLikely(caller, true));
}

/**
 * Asks the ledger for the status of the key, unless it was asked before. Throws the caller's own error, if any, in the order
 * `invalid_key` (also for a key that has expired), `account_suspended`, `key_not_allowed`, `rate_limited`, `key_budget_exhausted`,
 * `insufficient_credits`. Throws `unavailable` if the ledger does not respond.
 */
export async function askStatus(request: KeyedRequest): Promise<void> {
  if (request.isCounted) return;
  const status = await readStatus(request);
  const { price, isPriceLeast, deps, caller } = request;
  // A free call is not used up by a call that turns out to cost more, so each of those would run the function of the price anew.
  const isFree =
    status.freeCall &&
    price <= deps.app.settings.freeCallCredits &&
    !(isPriceLeast && deps.recentErrors.poor.has(caller.account));
  if (status.replayable || isFree) return;
  const { balance, exhausted, heldCredits } = status;
  if (exhausted !== undefined) await throwBudgetExhausted(request, exhausted, balance);
  if (balance < price) await throwTooFewCredits(request, balance, heldCredits);
}

/** Asks the ledger about the key, whatever the account can pay. Throws what `askStatus` throws but for the errors of credits. */
export function askKey(request: KeyedRequest): Promise<GoodStatus> {
  checkNetwork(request);
  return readStatus(request);
}

async function readStatus(request: KeyedRequest): Promise<GoodStatus> {
  const { deps, tool, context, caller, address, idempotencyKey, price } = request;
  const { app } = deps;
  const order: KeyStatusOrder = {
    account: caller.account,
    keySha256: caller.keySha256,
    now: app.now(),
    tool: tool?.name ?? null,
    credits: price,
    address,
    idempotencyKey,
    namesKey: true,
  };
  if (tool !== null && tool.effect !== "none") order.isHeld = true;
  const askedAt = app.elapsed();
  const counted = await app.calls
    .keyStatus(order)
    .catch((cause) => {
      throw unavailable(cause);
    })
    .finally(() => {
      context.times.ledger = app.elapsed() - askedAt;
    });
  request.isCounted = true;
  return requireGood(request, counted);
}

type GoodStatus = Extract<KeyStatus, { outcome: "good" }>;

/**
 * Throws the errors of the key, the account and the rate that an outcome of the ledger has. Stores the balance and the rate for
 * the headers of the response, and the price if the account has one of its own.
 */
export function requireGood<Outcome extends DebitOutcome | HoldOutcome | KeyStatus>(
  request: KeyedRequest,
  { outcome, rate }: Counted<Outcome>,
): Passed<Outcome> {
  const { deps, context, caller, address } = request;
  const { recentErrors } = deps;
  const { account, keySha256 } = caller;
  context.rate = rate ?? context.rate;
  if ("keyId" in outcome && outcome.keyId !== undefined) {
    caller.keyId = outcome.keyId;
    context.key = outcome.keyId;
  }
  if (outcome.outcome === "invalid_key" || outcome.outcome === "key_expired") {
    deps.keys.forget(caller);
    recentErrors.badKey.add(account);
    deps.badKeys.add({ address, account, keySha256 });
    context.rate = null;
    throw outcome.outcome === "invalid_key" ? invalidKey() : keyExpired(outcome.expiredAt);
  }
  deps.keys.remember(caller);
  context.charged = 0;
  context.balance = outcome.balance;
  switch (outcome.outcome) {
    case "account_suspended":
      recentErrors.rejected.add(account);
      throw accountSuspended();
    case "key_not_allowed":
      recentErrors.rejected.add(account);
      throw keyNotAllowed(outcome);
    case "rate_limited":
      recentErrors.rejected.add(account);
      throw rateLimited(outcome.by);
  }
  if ("price" in outcome && outcome.price !== undefined) setPrice(request, outcome.price);
  return outcome as Passed<Outcome>;
}

/** What `requireGood` returns: the outcomes for which it throws are gone. */
export type Passed<Outcome> = Exclude<
  Outcome,
  {
    outcome:
      | "invalid_key"
      | "key_expired"
      | "account_suspended"
      | "key_not_allowed"
      | "rate_limited";
  }
>;

/** An outcome of an order that pays for a call, by which nothing was paid. */
type Unpaid = Extract<DebitOutcome, { outcome: "key_budget_exhausted" | "insufficient_credits" }>;

/** Throws `key_budget_exhausted` or `insufficient_credits`, with how to get more credits. */
export const throwUnpaid = (request: KeyedRequest, outcome: Unpaid): Promise<never> =>
  outcome.outcome === "key_budget_exhausted"
    ? throwBudgetExhausted(request, outcome, outcome.balance)
    : throwTooFewCredits(request, outcome.balance, outcome.heldCredits);

async function throwTooFewCredits(
  { deps, caller, price, isPriceLeast }: KeyedRequest,
  balance: number,
  heldCredits = 0,
): Promise<never> {
  deps.recentErrors.poor.add(caller.account);
  const more = topUp(await deps.app.sales(), deps.app.settings.publicUrl);
  throw insufficientCredits(balance, heldCredits, { price, isPriceLeast }, more);
}

async function throwBudgetExhausted(
  { deps, caller, price, isPriceLeast }: KeyedRequest,
  exhausted: BudgetExhausted,
  balance: number,
): Promise<never> {
  deps.recentErrors.poor.add(caller.account);
  const { publicUrl } = deps.app.settings;
  const more = topUp(await deps.app.sales(), publicUrl);
  throw keyBudgetExhausted(exhausted, balance, { price, isPriceLeast }, publicUrl, more);
}
