/** KeyStatus, debits with idempotency, and reversals in memory. */
import {
  type DebitOrder,
  type DebitOutcome,
  type IdempotencyOrder,
  type Key,
  type KeyStatusOrder,
  LAST_USED_STEP_MS,
  type Ledger,
  OrderRefused,
} from "#ledger/port.ts";
import { CALL_PRICE, IDEMPOTENCY_KEPT_MS } from "#limits.ts";
import { noteBetter, tellWorse } from "./notices.ts";
import {
  type AccountRow,
  balanceOf,
  type DebitRow,
  isSpendable,
  type Rows,
  voidCredits,
} from "./rows.ts";

export function debitOperations(rows: Rows): Pick<Ledger, "keyStatus" | "debit" | "reverse"> {
  const { accounts } = rows;
  return {
    keyStatus: async (order) => {
      const found = findKey(accounts, order);
      if (found === undefined) return { outcome: "invalid_key" };
      const { account } = found;
      const balance = balanceOf(account, order.now);
      if (account.state === "suspended") return { outcome: "account_suspended", balance };
      return { outcome: "good", balance, freeCall: account.freeCall === "open" };
    },

    debit: async (order) => {
      // Before the key is looked at: a debit that was made stays made, whatever became of its key since.
      const account = accounts.get(order.account);
      const made = account?.calls.get(order.callId);
      if (made !== undefined) return sameAgain(made, order.now);
      if (account?.neverDebited.has(nameOf(order.callId, order.now)))
        throw wasReversed(order.callId);
      const found = findKey(accounts, order);
      if (found === undefined) return { outcome: "invalid_key" };
      return refuseOrReplay(found.account, order) ?? charge(rows, found.account, found.key, order);
    },

    reverse: async ({ account: id, callId, at, now }) => {
      const account = accounts.get(id);
      const debit = account?.calls.get(callId);
      if (debit === undefined) account?.neverDebited.add(nameOf(callId, at));
      if (account === undefined || debit === undefined || debit.reversedAt !== null)
        return { reversed: false };
      debit.reversedAt = now;
      account.reversals.push(debit);
      forgetAnswer(debit);
      giveBack(account, debit, now);
      return { reversed: true };
    },
  };
}

const nameOf = (callId: string, at: number) => `${at} ${callId}`;

const wasReversed = (callId: string) =>
  new OrderRefused(`The call ${callId} was reversed and cannot be debited again`);

/** A repeat is answered until a day after the first call; then the key is free again. */
export const isForgettable = ({ idempotency, at }: DebitRow, now: number) =>
  idempotency !== null && now >= at + IDEMPOTENCY_KEPT_MS;

export function forgetAnswer(debit: DebitRow): void {
  if (debit.idempotency === null) return;
  debit.account.kept.delete(scopeOf(debit.tool, debit.idempotency));
  debit.idempotency = null;
}

/** A tool's name has no space, so the first space parts the two. */
const scopeOf = (tool: string, { key }: IdempotencyOrder) => `${tool} ${key}`;

function findKey(
  accounts: Rows["accounts"],
  order: KeyStatusOrder,
): { account: AccountRow; key: Key } | undefined {
  const account = accounts.get(order.account);
  const key = account?.keyBySha256.get(order.keySha256);
  if (account === undefined || key === undefined) return undefined;
  if (account.state === "closed" || key.revokedAt !== null) return undefined;
  return { account, key };
}

function sameAgain(debit: DebitRow, now: number): DebitOutcome {
  // Its answer was 503. Whoever asks again must not take the call for a paid one.
  if (debit.reversedAt !== null) throw wasReversed(debit.callId);
  return { outcome: "debited", charged: debit.charged, balance: balanceOf(debit.account, now) };
}

/** What needs no charge, in the order in which a caller is to hear of it; undefined: the call is to be paid. */
function refuseOrReplay(account: AccountRow, order: DebitOrder): DebitOutcome | undefined {
  const balance = balanceOf(account, order.now);
  if (account.state === "suspended") return { outcome: "account_suspended", balance };
  const kept = order.idempotency && account.kept.get(scopeOf(order.tool, order.idempotency));
  if (kept?.idempotency && !isForgettable(kept, order.now)) {
    const { bodySha256, answerSha256, receivedAt, random } = kept.idempotency;
    if (bodySha256 !== order.idempotency?.bodySha256)
      return { outcome: "idempotency_key_reused", balance };
    return { outcome: "replayed", balance, replay: { answerSha256, receivedAt, random } };
  }
  if (account.freeCall !== "open" && balance < CALL_PRICE)
    return { outcome: "insufficient_credits", balance };
  return undefined;
}

function charge(rows: Rows, account: AccountRow, key: Key, order: DebitOrder): DebitOutcome {
  const { tool, callId, now, idempotency } = order;
  const isFree = account.freeCall === "open";
  const grant = isFree ? null : (account.grants.find((each) => isSpendable(each, now)) ?? null);
  const charged = isFree ? 0 : CALL_PRICE;
  if (isFree) account.freeCall = "used";
  if (grant !== null) grant.remaining -= charged;

  rows.debitsMade += 1;
  const debit: DebitRow = {
    number: rows.debitsMade,
    account,
    key: key.id,
    tool,
    callId,
    at: now,
    charged,
    grant,
    reversedAt: null,
    folded: false,
    idempotency: idempotency && { ...idempotency },
  };
  rows.debits.set(debit.number, debit);
  account.calls.set(callId, debit);
  if (idempotency !== null) {
    const scope = scopeOf(tool, idempotency);
    const outdated = account.kept.get(scope);
    if (outdated !== undefined) forgetAnswer(outdated);
    account.kept.set(scope, debit);
  }
  if (key.lastUsedAt === null || now - key.lastUsedAt >= LAST_USED_STEP_MS) key.lastUsedAt = now;
  if (grant !== null) tellWorse(rows, account, now);
  return { outcome: "debited", charged, balance: balanceOf(account, now) };
}

function giveBack(account: AccountRow, { charged, grant }: DebitRow, now: number): void {
  if (grant === null) {
    account.freeCall = "open";
    return;
  }
  grant.remaining += charged;
  const due = grant.withdrawn - (account.voids.get(grant)?.credits ?? 0);
  voidCredits(account, grant, Math.min(charged, due), now);
  // What comes back to a closed account is forfeit like the rest.
  if (account.state === "closed" && isSpendable(grant, now))
    voidCredits(account, grant, grant.remaining, now);
  noteBetter(account, now);
}
