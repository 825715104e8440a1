/**
 * The ledger of one process as simply as it can be said: lists of what happened, and sums over them. It is written from the
 * rules in words (`src/ledger/port.ts`) and judges those in code.
 */
import type { DebitOutcome } from "#ledger/port.ts";
import type { RuleOrders } from "#ledger/rules/rules.ts";
import {
  badnessOf,
  balanceOf,
  DAY,
  freeCallOf,
  heldOf,
  type ModelAccount,
  notifyIfWorse,
  priceOf,
  recordIfBetter,
} from "./model-account.ts";
import { callOf, charge, checkPrice, judge, saying } from "./model-charge.ts";
import { createModelGrants, Rejected, returnCredits } from "./model-grants.ts";
import { endUncharged, forgetResponse, holdOf, holdOperations, isKeptAt } from "./model-holds.ts";
import {
  exhaustedAt,
  keyAt,
  keyOperations,
  prohibitionOf,
  returnCharge,
  withRate,
} from "./model-keys.ts";

type Order<Name extends keyof RuleOrders> = RuleOrders[Name][0];
type Outcome<Name extends keyof RuleOrders> = RuleOrders[Name][1];
type Operations = { [Name in keyof RuleOrders]: (order: Order<Name>) => Outcome<Name> };

export type Model = ReturnType<typeof createModel>;

export function createModel() {
  const accounts = new Map<string, ModelAccount>();
  const find = (id: string) => accounts.get(id);
  const { close, ...grants } = createModelGrants(find);
  const operations: Operations = {
    ...grants,
    openAccount({ account: id, freeCall, now }) {
      if (accounts.has(id)) return { opened: false };
      const calls = { calls: [], holds: [], kept: [], reversedEarly: new Map() };
      const lists = { keys: [], grants: [], ...calls, events: [] };
      const usage = { state: "open" as const, lowBalance: 20, notified: 2 as const };
      const isFreeCallWithheld = freeCall === "withheld";
      const prices = new Map<string, number>();
      accounts.set(id, { id, createdAt: now, isFreeCallWithheld, prices, ...usage, ...lists });
      return { opened: true };
    },
    changeAccount({ account: id, state, lowBalance = null, price = null, now }) {
      if (lowBalance !== null)
        if (!Number.isInteger(lowBalance) || lowBalance < 0 || lowBalance > 10 ** 12)
          throw new Rejected();
      if (state === "closed") return close(find(id), now);
      const account = find(id);
      if (account === undefined || account.state === "closed")
        return { found: false, forfeited: 0 };
      if (price !== null) setPrice(account.prices, price);
      if (state !== undefined) account.state = state;
      if (lowBalance !== null) {
        account.lowBalance = lowBalance;
        account.notified = badnessOf(balanceOf(account, now), lowBalance);
      }
      return { found: true, forfeited: 0 };
    },
    ...keyOperations(find),
    keyStatus(order) {
      const account = find(order.account);
      if (account === undefined) return { outcome: "invalid_key" };
      const key = keyAt(account, order.keySha256, order.now);
      if ("outcome" in key) return key;
      const balance = balanceOf(account, order.now);
      if (account.state === "suspended") return { outcome: "account_suspended", balance };
      const forbidden = prohibitionOf(key, order, balance);
      if (forbidden !== null) return forbidden;
      const asked = order.credits ?? 0;
      const { credits, own } =
        order.tool == null ? { credits: asked, own: {} } : priceOf(account, order.tool, asked);
      const exhausted = exhaustedAt(key, credits, order.now, order.now, account.holds);
      const freeCall = freeCallOf(account) === "open";
      const { tool = null, idempotencyKey = null, now } = order;
      const isKept = (name: string, key: string) =>
        order.isHeld
          ? account.kept.some(
              (each) => each.tool === name && each.key === key && isKeptAt(each, now),
            )
          : keptCall(account, name, key, now) !== undefined;
      const held = heldOf(account);
      const good = {
        ...{ outcome: "good" as const, balance, freeCall },
        ...(tool !== null &&
          idempotencyKey !== null && { replayable: isKept(tool, idempotencyKey) }),
        ...(held > 0 && balance < credits && { heldCredits: held }),
        ...own,
      };
      return withRate(exhausted === null ? good : { ...good, exhausted }, key);
    },
    debit: (order) => debit(find(order.account), order),
    ...holdOperations(find),
    reverse({ account: id, callId, at, now, key }) {
      const account = find(id);
      if (account === undefined) return { reversed: false };
      const call = callOf(account, callId, at);
      const name = `${callId} ${at}`;
      if (call === undefined) {
        if (account.reversedEarly.has(name)) return { reversed: false };
        account.reversedEarly.set(name, now);
        const hold = holdOf(account, callId, at);
        if (hold !== undefined)
          endUncharged(
            account,
            hold,
            hold.onCrash === "release" ? "free" : (key ?? "unknown"),
            now,
          );
        return { reversed: false };
      }
      if (call.reversedAt !== null) return { reversed: false };
      call.reversedAt = now;
      forgetResponse(account, callId);
      for (const key of account.keys) if (key.id === call.keyId) returnCharge(key, call);
      for (const { grant, credits } of call.paid) returnCredits(account, grant, credits, now);
      // A call that took nothing lifts no balance, whatever the clock has made of it meanwhile.
      if (call.paid.length > 0) recordIfBetter(account, now);
      return { reversed: true };
    },
  };
  return { operations, find, accounts };
}

function setPrice(
  prices: ModelAccount["prices"],
  { tool, credits }: { tool: string; credits: number | null },
): void {
  if (credits === null) prices.delete(tool);
  else {
    checkPrice(credits);
    prices.set(tool, credits);
  }
}

function debit(account: ModelAccount | undefined, sent: Order<"debit">): DebitOutcome {
  const { callId, tool, now, idempotency } = sent;
  const { credits, own } = priceOf(account, tool, sent.credits);
  const order = { ...sent, credits };
  checkPrice(credits);
  if (account === undefined) return { outcome: "invalid_key" };
  const made = callOf(account, callId, now);
  if (account.reversedEarly.has(`${callId} ${now}`)) throw new Rejected();
  if (made !== undefined && made.reversedAt !== null) throw new Rejected();
  const balance = balanceOf(account, now);
  if (made !== undefined) return { outcome: "debited", charged: made.charged, balance };

  const judged = judge<DebitOutcome>(account, order, (key) => {
    const repeated = idempotency === null ? null : keptCall(account, tool, idempotency.key, now);
    if (repeated?.idempotency == null) return null;
    const { bodySha256, responseSha256, receivedAt, random } = repeated.idempotency;
    if (bodySha256 !== idempotency?.bodySha256)
      return withRate({ outcome: "idempotency_key_reused", balance }, key);
    const replay = { responseSha256, receivedAt, random };
    return withRate({ outcome: "replayed", balance, replay }, key);
  });
  if ("rejected" in judged) return saying(judged.rejected, own);
  const { key } = judged;
  const call = charge(account, judged, order, now);
  call.idempotency = idempotency;
  account.calls.push(call);
  if (call.charged > 0) notifyIfWorse(account, now);
  return withRate(
    { outcome: "debited", charged: call.charged, balance: balance - call.charged },
    key,
  );
}

/** The call that an idempotency key was used for last, where that is kept. */
function keptCall({ calls }: ModelAccount, tool: string, key: string, now: number) {
  const last = calls.findLast((call) => call.tool === tool && call.idempotency?.key === key);
  const isKept = last !== undefined && last.reversedAt === null && now < last.at + DAY;
  return isKept ? last : undefined;
}
