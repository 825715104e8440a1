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
  MINUTE,
  type ModelAccount,
  type ModelCall,
  notifyIfWorse,
  recordIfBetter,
  remainingOf,
  spendableOf,
} from "./model-account.ts";
import { createModelGrants, Rejected, returnCredits } from "./model-grants.ts";
import {
  countCharge,
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
      const lists = { keys: [], grants: [], calls: [], reversedEarly: new Map(), events: [] };
      const usage = { state: "open" as const, lowBalance: 20, notified: 2 as const };
      const isFreeCallWithheld = freeCall === "withheld";
      accounts.set(id, { id, createdAt: now, isFreeCallWithheld, ...usage, ...lists });
      return { opened: true };
    },
    changeAccount({ account: id, state, lowBalance = null, now }) {
      if (lowBalance !== null)
        if (!Number.isInteger(lowBalance) || lowBalance < 0 || lowBalance > 10 ** 12)
          throw new Rejected();
      if (state === "closed") return close(find(id), now);
      const account = find(id);
      if (account === undefined || account.state === "closed")
        return { found: false, forfeited: 0 };
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
      const exhausted = exhaustedAt(key, order.credits ?? 0, order.now);
      const freeCall = freeCallOf(account) === "open";
      const { tool = null, idempotencyKey = null } = order;
      const good = {
        ...{ outcome: "good" as const, balance, freeCall },
        ...(tool !== null &&
          idempotencyKey !== null && {
            replayable: keptCall(account, tool, idempotencyKey, order.now) !== undefined,
          }),
      };
      return withRate(exhausted === null ? good : { ...good, exhausted }, key);
    },
    debit: (order) => debit(find(order.account), order),
    reverse({ account: id, callId, at, now }) {
      const account = find(id);
      if (account === undefined) return { reversed: false };
      const call = callOf(account, callId, at);
      const name = `${callId} ${at}`;
      if (call === undefined) {
        if (!account.reversedEarly.has(name)) account.reversedEarly.set(name, now);
        return { reversed: false };
      }
      if (call.reversedAt !== null) return { reversed: false };
      call.reversedAt = now;
      for (const key of account.keys) if (key.id === call.keyId) returnCharge(key, call);
      for (const { grant, credits } of call.paid) returnCredits(account, grant, credits, now);
      // A call that took nothing lifts no balance, whatever the clock has made of it meanwhile.
      if (call.paid.length > 0) recordIfBetter(account, now);
      return { reversed: true };
    },
  };
  return { operations, find, accounts };
}

const callOf = ({ calls }: ModelAccount, callId: string, at: number) =>
  calls.find((call) => call.callId === callId && call.at === at);

function debit(account: ModelAccount | undefined, order: Order<"debit">): DebitOutcome {
  const { callId, tool, credits: price, now, idempotency } = order;
  if (!Number.isInteger(price) || price < 0 || price > 1_000_000) throw new Rejected();
  if (account === undefined) return { outcome: "invalid_key" };
  const made = callOf(account, callId, now);
  if (account.reversedEarly.has(`${callId} ${now}`)) throw new Rejected();
  if (made !== undefined && made.reversedAt !== null) throw new Rejected();
  const balance = balanceOf(account, now);
  if (made !== undefined) return { outcome: "debited", charged: made.charged, balance };

  const key = keyAt(account, order.keySha256, now);
  if ("outcome" in key) return key;
  if (account.state === "suspended") return { outcome: "account_suspended", balance };
  const forbidden = prohibitionOf(key, order, balance);
  if (forbidden !== null) return forbidden;
  const repeated = idempotency === null ? null : keptCall(account, tool, idempotency.key, now);
  if (repeated?.idempotency != null) {
    const { bodySha256, responseSha256, receivedAt, random } = repeated.idempotency;
    if (bodySha256 !== idempotency?.bodySha256)
      return withRate({ outcome: "idempotency_key_reused", balance }, key);
    const replay = { responseSha256, receivedAt, random };
    return withRate({ outcome: "replayed", balance, replay }, key);
  }
  const isSmall = price >= 1 && price <= order.freeCallCredits;
  const isFree = isSmall && freeCallOf(account) === "open";
  const exhausted = exhaustedAt(key, isFree ? 0 : price, now);
  if (exhausted !== null)
    return withRate({ outcome: "key_budget_exhausted", balance, ...exhausted }, key);
  if (!isFree && price > balance)
    return withRate({ outcome: "insufficient_credits", balance }, key);

  const paid = isFree ? [] : spend(account, price, now);
  const charged = isFree ? 0 : price;
  const what = { callId, at: now, keyId: key.id, tool, charged, isFree, paid, idempotency };
  const call = { ...what, reversedAt: null };
  account.calls.push(call);
  countCharge(key, call);
  if (key.lastUsedAt === null || now >= key.lastUsedAt + MINUTE) key.lastUsedAt = now;
  if (charged > 0) notifyIfWorse(account, now);
  return withRate({ outcome: "debited", charged, balance: balance - charged }, key);
}

/** The call that an idempotency key was used for last, where that is kept. */
function keptCall({ calls }: ModelAccount, tool: string, key: string, now: number) {
  const last = calls.findLast((call) => call.tool === tool && call.idempotency?.key === key);
  const isKept = last !== undefined && last.reversedAt === null && now < last.at + DAY;
  return isKept ? last : undefined;
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
