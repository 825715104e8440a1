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
  type ModelKey,
  notifyIfWorse,
  recordIfBetter,
  remainingOf,
  spendableOf,
} from "./model-account.ts";
import { createModelGrants, Rejected, returnCredits } from "./model-grants.ts";

type Order<Name extends keyof RuleOrders> = RuleOrders[Name][0];
type Outcome<Name extends keyof RuleOrders> = RuleOrders[Name][1];
type Operations = { [Name in keyof RuleOrders]: (order: Order<Name>) => Outcome<Name> };

export type Model = ReturnType<typeof createModel>;

export function createModel() {
  const accounts = new Map<string, ModelAccount>();
  const find = (id: string) => accounts.get(id);
  const findUnclosed = (id: string) => {
    const account = find(id);
    return account?.state === "closed" ? undefined : account;
  };
  const setState = (id: string, state: "open" | "suspended") => {
    const account = findUnclosed(id);
    if (account === undefined) return { found: false };
    account.state = state;
    return { found: true };
  };

  const operations: Operations = {
    ...createModelGrants(find),
    openAccount({ account: id, freeCall, now }) {
      if (accounts.has(id)) return { opened: false };
      const lists = { keys: [], grants: [], calls: [], reversedEarly: new Map(), events: [] };
      const usage = { state: "open" as const, lowBalance: 20, notified: 2 as const };
      const isFreeCallWithheld = freeCall === "withheld";
      accounts.set(id, { id, createdAt: now, isFreeCallWithheld, ...usage, ...lists });
      return { opened: true };
    },
    suspendAccount: ({ account }) => setState(account, "suspended"),
    resumeAccount: ({ account }) => setState(account, "open"),
    setLowBalance({ account: id, lowBalance, now }) {
      if (!Number.isInteger(lowBalance) || lowBalance < 0 || lowBalance > 10 ** 12)
        throw new Rejected();
      const account = findUnclosed(id);
      if (account === undefined) return { found: false };
      account.lowBalance = lowBalance;
      account.notified = badnessOf(balanceOf(account, now), lowBalance);
      return { found: true };
    },
    ...keyOperations(find),
    keyStatus(order) {
      const account = find(order.account);
      if (account === undefined || goodKey(account, order.keySha256) === undefined)
        return { outcome: "invalid_key" };
      const balance = balanceOf(account, order.now);
      if (account.state === "suspended") return { outcome: "account_suspended", balance };
      const good = { outcome: "good", balance, freeCall: freeCallOf(account) === "open" } as const;
      if (order.idempotencyKey === undefined) return good;
      const { tool, key } = order.idempotencyKey;
      return { ...good, replayable: keptCall(account, tool, key, order.now) !== undefined };
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
      for (const { grant, credits } of call.paid) returnCredits(account, grant, credits, now);
      // A call that took nothing lifts no balance, whatever the clock has made of it meanwhile.
      if (call.paid.length > 0) recordIfBetter(account, now);
      return { reversed: true };
    },
  };
  return { operations, find, accounts };
}

function keyOperations(
  find: (id: string) => ModelAccount | undefined,
): Pick<Operations, "createKey" | "revokeKey" | "relabelKey"> {
  const keyOf = (account: string, id: string) => find(account)?.keys.find((key) => key.id === id);
  return {
    createKey({ account: accountId, id, sha256, start, label, now }) {
      const account = find(accountId);
      if (keyOf(accountId, id) !== undefined) return { outcome: "created" };
      if (account === undefined || account.state === "closed") return { outcome: "no_account" };
      if (account.keys.some((key) => key.sha256 === sha256)) return { outcome: "taken" };
      const times = { createdAt: now, lastUsedAt: null, revokedAt: null };
      account.keys.push({ id, sha256, start, label, ...times });
      account.events.push({ kind: "key.created", key: { id, label, start } });
      return { outcome: "created" };
    },
    revokeKey({ account, id, now }) {
      const key = keyOf(account, id);
      if (key === undefined) return { found: false };
      if (key.revokedAt !== null) return { found: true };
      key.revokedAt = now;
      const { label, start } = key;
      if (find(account)?.state !== "closed")
        find(account)?.events.push({ kind: "key.revoked", key: { id, label, start } });
      return { found: true };
    },
    relabelKey({ account, id, label }) {
      const key = keyOf(account, id);
      if (key === undefined || find(account)?.state === "closed") return { found: false };
      key.label = label;
      return { found: true };
    },
  };
}

const callOf = ({ calls }: ModelAccount, callId: string, at: number) =>
  calls.find((call) => call.callId === callId && call.at === at);

const goodKey = ({ keys, state }: ModelAccount, sha256: string): ModelKey | undefined =>
  state === "closed"
    ? undefined
    : keys.find((key) => key.sha256 === sha256 && key.revokedAt === null);

function debit(account: ModelAccount | undefined, order: Order<"debit">): DebitOutcome {
  const { callId, tool, credits: price, now, idempotency } = order;
  if (!Number.isInteger(price) || price < 0 || price > 1_000_000) throw new Rejected();
  if (account === undefined) return { outcome: "invalid_key" };
  const made = callOf(account, callId, now);
  if (account.reversedEarly.has(`${callId} ${now}`)) throw new Rejected();
  if (made !== undefined && made.reversedAt !== null) throw new Rejected();
  const balance = balanceOf(account, now);
  if (made !== undefined) return { outcome: "debited", charged: made.charged, balance };

  const key = goodKey(account, order.keySha256);
  if (key === undefined) return { outcome: "invalid_key" };
  if (account.state === "suspended") return { outcome: "account_suspended", balance };
  const repeated = idempotency === null ? null : keptCall(account, tool, idempotency.key, now);
  if (repeated?.idempotency != null) {
    const { bodySha256, responseSha256, receivedAt, random } = repeated.idempotency;
    if (bodySha256 !== idempotency?.bodySha256)
      return { outcome: "idempotency_key_reused", balance };
    return { outcome: "replayed", balance, replay: { responseSha256, receivedAt, random } };
  }
  const isSmall = price >= 1 && price <= order.freeCallCredits;
  const isFree = isSmall && freeCallOf(account) === "open";
  if (!isFree && price > balance) return { outcome: "insufficient_credits", balance };

  const paid = isFree ? [] : spend(account, price, now);
  const charged = isFree ? 0 : price;
  const call = { callId, at: now, keyId: key.id, tool, charged, isFree, paid, idempotency };
  account.calls.push({ ...call, reversedAt: null });
  if (key.lastUsedAt === null || now >= key.lastUsedAt + MINUTE) key.lastUsedAt = now;
  if (charged > 0) notifyIfWorse(account, now);
  return { outcome: "debited", charged, balance: balance - charged };
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
