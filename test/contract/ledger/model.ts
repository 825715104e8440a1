/**
 * The ledger once more, as simply as it can be said: lists of what happened, and sums over them. Nothing
 * is kept that can be counted, so this cannot go wrong in the way a store can. Only the tests use it.
 */
import type {
  CallRef,
  DebitOrder,
  DebitOutcome,
  FreeCall,
  KeyStatus,
  KeyStatusOrder,
  LedgerOperations,
} from "#ledger/port.ts";
import { grantsModel } from "./model-grants.ts";
import { createModelNotices } from "./model-notices.ts";
import {
  type Account,
  balanceOf,
  booksOf,
  type Call,
  entriesOf,
  isOnPlan,
  lostOf,
  remainingOf,
  spendable,
  usageOf,
} from "./model-sums.ts";
import { DAY } from "./scene.ts";

export type GrantOrder = LedgerOperations["grant"][0];
export type Model = ReturnType<typeof createModel>;

export function createModel() {
  const accounts: Account[] = [];
  const find = (id: string) => accounts.find((account) => account.id === id);
  const notices = createModelNotices(accounts);

  return {
    accounts,
    ...notices,
    ...grantsModel(accounts, notices),
    openAccount(id: string, freeCall: FreeCall) {
      const state = "open" as const;
      const firstIsFree = freeCall === "open";
      const lists = { keys: [], grants: [], calls: [], losses: [], given: [] };
      accounts.push({ id, state, firstIsFree, lowBalance: 20, told: "gone", ...lists });
    },
    createKey(id: string, key: { id: string; sha256: string; label: string }, now: number) {
      const account = find(id);
      account?.keys.push({ ...key, revoked: false });
      notices.write(account, now, { kind: "key.created", key: named(key) });
    },
    revokeKey(id: string, keyId: string, now: number) {
      const account = find(id);
      const key = account?.keys.find((each) => each.id === keyId);
      if (key === undefined) return { found: false };
      if (!key.revoked) notices.write(account, now, { kind: "key.revoked", key: named(key) });
      key.revoked = true;
      return { found: true };
    },
    setState(id: string, state: "open" | "suspended") {
      const account = find(id);
      if (account === undefined || account.state === "closed") return { found: false };
      account.state = state;
      return { found: true };
    },
    closeAccount(id: string, now: number) {
      const account = find(id);
      if (account === undefined) return { found: false, forfeited: 0 };
      const forfeited = balanceOf(account, now);
      for (const grant of spendable(account, now))
        account.losses.push({ grant: grant.id, credits: remainingOf(account, grant.id), at: now });
      account.state = "closed";
      account.told = "gone";
      for (const grant of account.grants) grant.lookAt = null;
      notices.forget(id);
      return { found: true, forfeited };
    },
    keyStatus(order: KeyStatusOrder): KeyStatus {
      const account = find(order.account);
      return account === undefined ? { outcome: "invalid_key" } : standingOf(account, order);
    },
    hasCall: ({ account: id, callId }: DebitOrder) =>
      find(id)?.calls.some(({ order }) => order.callId === callId) ?? false,
    grantOf: (order: DebitOrder | undefined) =>
      accounts.flatMap(({ calls }) => calls).find((call) => call.order === order)?.grant,
    debit(order: DebitOrder): DebitOutcome | "rejected" {
      const account = find(order.account);
      if (account === undefined) return { outcome: "invalid_key" };
      const before = account.calls.length;
      const outcome = debit(account, order);
      const paid = account.calls.slice(before).some(({ grant }) => grant !== null);
      if (paid) notices.tellWorse(account, order.now);
      return outcome;
    },
    reverse({ account: id, callId, at, now }: CallRef & { now: number }) {
      const account = find(id);
      if (account?.calls.every(({ order }) => order.callId !== callId))
        account.given.push({ account: id, callId, at });
      const call = account?.calls.find(
        (each) => each.order.callId === callId && each.reversedAt === null,
      );
      if (account === undefined || call === undefined) return { reversed: false };
      call.reversedAt = now;
      const clawback = account.grants.find(({ id }) => id === call.grant)?.clawback ?? 0;
      if (call.grant !== null && lostOf(account, call.grant) < clawback)
        account.losses.push({ grant: call.grant, credits: 1, at: now });
      const back = spendable(account, now).find((grant) => grant.id === call.grant);
      if (account.state === "closed" && back !== undefined)
        account.losses.push({ grant: back.id, credits: 1, at: now });
      // A free call lifts no balance, whatever a clock that goes back makes of it.
      if (call.grant !== null) notices.noteBetter(account, now);
      return { reversed: true };
    },
    balance(id: string, now: number) {
      const account = find(id);
      return account === undefined ? 0 : balanceOf(account, now);
    },
    /** What an account says of itself, but for its balance. */
    state(id: string) {
      const account = find(id);
      if (account === undefined) return null;
      const ends = account.grants.map(
        ({ id, expiresAt, waivedExpiresAt }) => `${id} ${expiresAt} ${waivedExpiresAt}`,
      );
      const { lowBalance } = account;
      return { lifetime: isOnPlan(account), lowBalance, ends: ends.sort() };
    },
    /** What is left of each spendable grant, in the order of spending. */
    spendable(id: string, now: number) {
      const account = find(id);
      if (account === undefined) return [];
      return spendable(account, now).map((grant) => [grant.id, remainingOf(account, grant.id)]);
    },
    books: (now: number) => booksOf(accounts, now),
    usage: () => usageOf(accounts),
    entries(id: string, now: number) {
      const account = find(id);
      return account === undefined ? [] : entriesOf(account, now);
    },
  };
}

const named = ({ id, label }: { id: string; label: string }) => ({ id, label, start: "tb_" });

const goodKey = ({ state, keys }: Account, { keySha256 }: KeyStatusOrder) =>
  state === "closed"
    ? undefined
    : keys.find(({ sha256, revoked }) => sha256 === keySha256 && !revoked);

function standingOf(account: Account, order: KeyStatusOrder): KeyStatus {
  if (goodKey(account, order) === undefined) return { outcome: "invalid_key" };
  const balance = balanceOf(account, order.now);
  if (account.state === "suspended") return { outcome: "account_suspended", balance };
  const hadFree = account.calls.some(
    ({ grant, reversedAt }) => grant === null && reversedAt === null,
  );
  return { outcome: "good", balance, freeCall: account.firstIsFree && !hadFree };
}

function debit(account: Account, order: DebitOrder): DebitOutcome | "rejected" {
  const made = account.calls.find((call) => call.order.callId === order.callId);
  if (made !== undefined && made.reversedAt !== null) return "rejected";
  if (account.given.some(({ callId, at }) => callId === order.callId && at === order.now))
    return "rejected";
  const charge = (call: Call): DebitOutcome => ({
    outcome: "debited",
    charged: call.grant === null ? 0 : 1,
    balance: balanceOf(account, order.now),
  });
  if (made !== undefined) return charge(made);

  const standing = standingOf(account, order);
  if (standing.outcome !== "good") return standing;
  const { balance, freeCall: isFree } = standing;

  const first = account.calls.find((call) => isRepeat(order, call));
  if (first?.order.idempotency) {
    const { bodySha256, answerSha256, receivedAt, random } = first.order.idempotency;
    if (bodySha256 !== order.idempotency?.bodySha256)
      return { outcome: "idempotency_key_reused", balance };
    return { outcome: "replayed", balance, replay: { answerSha256, receivedAt, random } };
  }

  if (!isFree && balance === 0) return { outcome: "insufficient_credits", balance };
  const grant = isFree ? null : (spendable(account, order.now)[0]?.id ?? null);
  const call = { order, key: goodKey(account, order)?.id ?? "", grant, reversedAt: null };
  account.calls.push(call);
  return charge(call);
}

const isRepeat = (order: DebitOrder, { order: first, reversedAt }: Call) =>
  reversedAt === null &&
  order.idempotency !== null &&
  order.idempotency.key === first.idempotency?.key &&
  order.tool === first.tool &&
  order.now < first.now + DAY;
