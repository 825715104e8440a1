/**
 * The ledger once more, as simply as it can be said: lists of what happened, and sums over them. Nothing
 * is kept that can be counted, so this cannot go wrong in the way a store can. Only the tests use it.
 */
import {
  type Books,
  type CallRef,
  type DebitOrder,
  type DebitOutcome,
  type FreeCall,
  hourOf,
  type LedgerOperations,
  type Standing,
  type StandingOrder,
  type UsageRow,
} from "#credits/ledger.ts";
import { DAY } from "./scene.ts";

type GrantOrder = LedgerOperations["grant"][0];
type Call = { order: DebitOrder; key: string; grant: string | null; reversedAt: number | null };
type Loss = { grant: string; credits: number; at: number };
type Account = {
  id: string;
  state: "open" | "suspended" | "closed";
  firstIsFree: boolean;
  keys: { id: string; sha256: string; revoked: boolean }[];
  grants: GrantOrder[];
  calls: Call[];
  losses: Loss[];
  /** Given back before they were debited. */
  given: CallRef[];
};

export type Model = ReturnType<typeof createModel>;

export function createModel() {
  const accounts: Account[] = [];
  const find = (id: string) => accounts.find((account) => account.id === id);

  return {
    accounts,
    openAccount(id: string, freeCall: FreeCall) {
      const state = "open" as const;
      const firstIsFree = freeCall === "open";
      const lists = { keys: [], grants: [], calls: [], losses: [], given: [] };
      accounts.push({ id, state, firstIsFree, ...lists });
    },
    createKey: (id: string, key: { id: string; sha256: string }) =>
      find(id)?.keys.push({ ...key, revoked: false }),
    revokeKey(id: string, keyId: string) {
      const key = find(id)?.keys.find((each) => each.id === keyId);
      if (key !== undefined) key.revoked = true;
      return { found: key !== undefined };
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
      return { found: true, forfeited };
    },
    grant(order: GrantOrder) {
      const account = find(order.account);
      if (account === undefined || account.state === "closed") return { outcome: "no_account" };
      const earlier = account.grants.find(({ id }) => id === order.id);
      if (earlier === undefined) account.grants.push(order);
      const { id, kind, amount, expiresAt, now: grantedAt } = earlier ?? order;
      const remaining = remainingOf(account, id);
      const grant = { id, kind, amount, remaining, grantedAt, expiresAt };
      return { outcome: earlier === undefined ? "granted" : "already_granted", grant };
    },
    standing(order: StandingOrder): Standing {
      const account = find(order.account);
      return account === undefined ? { outcome: "invalid_key" } : standingOf(account, order);
    },
    hasCall: ({ account: id, callId }: DebitOrder) =>
      find(id)?.calls.some(({ order }) => order.callId === callId) ?? false,
    debit(order: DebitOrder): DebitOutcome | "rejected" {
      const account = find(order.account);
      return account === undefined ? { outcome: "invalid_key" } : debit(account, order);
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
      const back = spendable(account, now).find((grant) => grant.id === call.grant);
      if (account.state === "closed" && back !== undefined)
        account.losses.push({ grant: back.id, credits: 1, at: now });
      return { reversed: true };
    },
    balance(id: string, now: number) {
      const account = find(id);
      return account === undefined ? 0 : balanceOf(account, now);
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

const remainingOf = ({ grants, calls, losses }: Account, id: string) =>
  sum(grants.filter((grant) => grant.id === id).map(({ amount }) => amount)) -
  calls.filter(({ grant, reversedAt }) => grant === id && reversedAt === null).length -
  sum(losses.filter(({ grant }) => grant === id).map(({ credits }) => credits));

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

function spendable(account: Account, now: number): GrantOrder[] {
  const end = (grant: GrantOrder) => grant.expiresAt ?? Number.POSITIVE_INFINITY;
  return account.grants
    .filter((grant) => now < end(grant) && remainingOf(account, grant.id) > 0)
    .sort((one, other) =>
      end(one) < end(other) || (end(one) === end(other) && one.now < other.now) ? -1 : 1,
    );
}

const balanceOf = (account: Account, now: number) =>
  sum(spendable(account, now).map(({ id }) => remainingOf(account, id)));

const goodKey = ({ state, keys }: Account, { keySha256 }: StandingOrder) =>
  state === "closed"
    ? undefined
    : keys.find(({ sha256, revoked }) => sha256 === keySha256 && !revoked);

function standingOf(account: Account, order: StandingOrder): Standing {
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

/** What expired and what was voided are one figure here: both are lost. */
function booksOf(
  accounts: Account[],
  now: number,
): Omit<Books, "expired" | "voided"> & { lost: number } {
  const paid = accounts.flatMap(({ calls }) => calls).filter(({ grant }) => grant !== null);
  const granted = sum(accounts.flatMap(({ grants }) => grants.map(({ amount }) => amount)));
  const debited = paid.length;
  const reversed = paid.filter(({ reversedAt }) => reversedAt !== null).length;
  const remaining = sum(accounts.map((account) => balanceOf(account, now)));
  const expired = accounts.flatMap((account) =>
    account.grants
      .filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now)
      .map(({ id }) => remainingOf(account, id)),
  );
  const voided = accounts.flatMap(({ losses }) => losses.map(({ credits }) => credits));
  return { granted, debited, reversed, remaining, lost: sum(expired) + sum(voided) };
}

/** One line for each entry that a fold leaves alone, and for each call that it may take. */
function entriesOf(account: Account, now: number): string[] {
  const { grants, calls, losses } = account;
  return [
    ...grants.map(({ id, amount, now: at }) => `grant ${at} ${id} ${amount}`),
    ...grants.flatMap(({ id, expiresAt }) => {
      const expired = expiresAt !== null && expiresAt <= now ? remainingOf(account, id) : 0;
      return expired > 0 ? [`expiry ${expiresAt} ${id} ${-expired}`] : [];
    }),
    ...grants.flatMap(({ id }) => {
      const own = losses.filter(({ grant }) => grant === id);
      const lost = sum(own.map(({ credits }) => credits));
      return lost > 0 ? [`void ${own[0]?.at} ${id} ${-lost}`] : [];
    }),
    ...calls.flatMap(({ order: { tool, now: at }, key, grant, reversedAt }) => {
      const call = `${tool} ${key} ${grant === null ? 0 : 1}`;
      if (reversedAt === null) return [`call ${hourOf(at)} ${call}`];
      return [`reversed ${at} ${call} ${grant}`, `reversal ${reversedAt} ${call} ${grant}`];
    }),
  ].sort();
}

function usageOf(accounts: Account[]): UsageRow[] {
  const rows: UsageRow[] = [];
  for (const { id: account, calls } of accounts)
    for (const { order, key, grant, reversedAt } of calls) {
      if (reversedAt !== null) continue;
      const { tool, now } = order;
      const hour = hourOf(now);
      let row = rows.find(
        (each) =>
          each.account === account && each.key === key && each.tool === tool && each.hour === hour,
      );
      if (row === undefined) {
        row = { account, key, tool, hour, calls: 0, credits: 0 };
        rows.push(row);
      }
      row.calls += 1;
      row.credits += grant === null ? 0 : 1;
    }
  return rows;
}
