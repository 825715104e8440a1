/** The model's holds: a call that is running is like one that is charged, until it is settled or its hold ends. */
import type { HoldOutcome, SettleOutcome } from "#ledger/port.ts";
import type { RuleOrders } from "#ledger/rules/rules.ts";
import {
  balanceOf,
  DAY,
  MINUTE,
  type ModelAccount,
  type ModelHold,
  type ModelKept,
  notifyIfWorse,
  priceOf,
  recordIfBetter,
} from "./model-account.ts";
import { callOf, charge, checkPrice, judge, saying } from "./model-charge.ts";
import { Rejected, returnCredits } from "./model-grants.ts";
import { returnPartOfCharge, withRate } from "./model-keys.ts";

type Order<Name extends keyof RuleOrders> = RuleOrders[Name][0];
type HoldOperation = "hold" | "settle" | "release" | "renew" | "lapse";
type HoldOperations = {
  [Name in HoldOperation]: (order: Order<Name>) => RuleOrders[Name][1];
};

export function holdOperations(find: (id: string) => ModelAccount | undefined): HoldOperations {
  const found = ({ account: id, callId, at }: { account: string; callId: string; at: number }) => {
    const account = find(id);
    const hold = account && holdOf(account, callId, at);
    return account === undefined || hold === undefined ? null : { account, hold };
  };
  return {
    hold: (order) => hold(find(order.account), order),
    settle: (order) => settle(find(order.account), order),
    release(order) {
      const named = found(order);
      if (named === null) return { released: false };
      endUncharged(named.account, named.hold, order.key, order.now);
      return { released: true };
    },
    renew(order) {
      const named = found(order);
      if (named === null) return { renewed: false };
      Object.assign(named.hold, { leaseUntil: order.now + named.hold.leaseMs, isLapsed: false });
      return { renewed: true };
    },
    lapse(order) {
      const named = found(order);
      if (named === null || order.now < named.hold.leaseUntil) return { ended: false };
      const { account, hold } = named;
      if (!hold.isLapsed) {
        Object.assign(hold, { leaseUntil: order.now + hold.leaseMs, isLapsed: true });
        return { ended: false };
      }
      const { call, onCrash } = hold;
      const isReversed = account.reversedEarly.has(`${call.callId} ${call.at}`);
      if (onCrash === "charge" && !isReversed) {
        account.holds.splice(account.holds.indexOf(hold), 1);
        account.calls.push(call);
        if (call.charged > 0) notifyIfWorse(account, order.now);
        for (const kept of ownKept(account, hold)) kept.state = "unknown";
      } else {
        const isFree = onCrash === "release" || isReversed;
        endUncharged(account, hold, isFree ? "free" : "unknown", order.now);
      }
      return { ended: true };
    },
  };
}

export const holdOf = ({ holds }: ModelAccount, callId: string, at: number) =>
  holds.find(({ call }) => call.callId === callId && call.at === at);

export const isKeptAt = ({ at }: ModelKept, now: number) => now - at < DAY;

const ownKept = ({ kept }: ModelAccount, { key, call }: ModelHold) =>
  kept.filter((each) => each.key === key && each.tool === call.tool && each.callId === call.callId);

function hold(account: ModelAccount | undefined, sent: Order<"hold">): HoldOutcome {
  const { callId, tool, now, idempotency, leaseMs, onCrash } = sent;
  const { credits: price, own } = priceOf(account, tool, sent.credits);
  const order = { ...sent, credits: price };
  checkPrice(price);
  if (!Number.isInteger(leaseMs) || leaseMs < 1 || leaseMs > 20 * MINUTE) throw new Rejected();
  if (account === undefined) return { outcome: "invalid_key" };
  const balance = balanceOf(account, now);
  const open = holdOf(account, callId, now);
  if (open !== undefined) return { outcome: "held", credits: open.call.charged, balance, ...own };

  const judged = judge<HoldOutcome>(account, order, (key) => {
    if (idempotency === null) return null;
    const earlier = account.kept.find((each) => each.tool === tool && each.key === idempotency.key);
    if (earlier === undefined || !isKeptAt(earlier, now)) {
      let bytes = 0;
      for (const { response } of account.kept) bytes += response?.length ?? 0;
      return bytes > idempotency.keptBytesMax
        ? withRate({ outcome: "too_much_kept", balance }, key)
        : null;
    }
    if (earlier.bodySha256 !== idempotency.bodySha256)
      return withRate({ outcome: "idempotency_key_reused", balance }, key);
    if (earlier.state === "running") return withRate({ outcome: "in_progress", balance }, key);
    const { response, callId: first, at } = earlier;
    if (response !== null) return withRate({ outcome: "kept", response, balance }, key);
    return withRate({ outcome: "outcome_unknown", callId: first, at, balance }, key);
  });
  if ("rejected" in judged) return saying(judged.rejected, own);
  const call = charge(account, judged, order, now);
  const key = idempotency?.key ?? null;
  const lease = { leaseMs, leaseUntil: now + leaseMs, isLapsed: false };
  account.holds.push({ call, key, onCrash, ...lease });
  if (idempotency !== null) {
    const { key, bodySha256 } = idempotency;
    const mayAct = onCrash !== "release";
    const running = { state: "running", mayAct, response: null } as const;
    keep(account, { tool, key, at: now, callId, bodySha256, ...running });
  }
  const { charged: credits } = call;
  return withRate({ outcome: "held", credits, balance: balance - credits, ...own }, judged.key);
}

/** It replaces what was kept under the key. */
function keep(account: ModelAccount, kept: ModelKept): void {
  const isOther = ({ tool, key }: ModelKept) => tool !== kept.tool || key !== kept.key;
  account.kept = [...account.kept.filter(isOther), kept];
}

function settle(account: ModelAccount | undefined, order: Order<"settle">): SettleOutcome {
  const { callId, at, credits, now, idempotency } = order;
  checkPrice(credits);
  if (account === undefined) return { outcome: "invalid_key" };
  if (account.reversedEarly.has(`${callId} ${at}`)) throw new Rejected();
  const open = holdOf(account, callId, at);
  if (open === undefined) return settleLate(account, order);
  const { call } = open;
  if (call.isFree && credits === 0) call.isFree = false;
  giveBack(account, open, Math.max(0, call.charged - credits), now);
  account.holds.splice(account.holds.indexOf(open), 1);
  account.calls.push(call);
  if (call.charged > 0) notifyIfWorse(account, now);
  if (idempotency !== null)
    for (const kept of ownKept(account, open))
      Object.assign(kept, { state: "kept", response: idempotency.response });
  return { outcome: "settled", charged: call.charged, balance: balanceOf(account, now) };
}

/** Nothing is held any more. */
function settleLate(account: ModelAccount, order: Order<"settle">): SettleOutcome {
  const { callId, at, now, tool, idempotency } = order;
  const balance = balanceOf(account, now);
  const made = callOf(account, callId, at);
  const earlier = account.kept.find((each) => each.tool === tool && each.key === idempotency?.key);
  if (made !== undefined) {
    if (made.reversedAt !== null) throw new Rejected();
    if (earlier?.state === "unknown" && earlier.callId === callId && idempotency !== null)
      Object.assign(earlier, { state: "kept", response: idempotency.response });
    return { outcome: "settled", charged: made.charged, balance };
  }
  if (earlier !== undefined && earlier.callId !== callId && isKeptAt(earlier, now))
    return { outcome: "superseded", balance };
  const judged = judge<never>(account, order, () => null, at);
  if ("rejected" in judged) return judged.rejected;
  const call = charge(account, judged, order, at);
  account.calls.push(call);
  if (call.charged > 0) notifyIfWorse(account, now);
  const mayAct = earlier?.callId === callId && earlier.mayAct;
  if (idempotency !== null)
    keep(account, { ...idempotency, tool, at, callId, state: "kept", mayAct });
  const { charged } = call;
  return { outcome: "settled", charged, balance: balance - charged, isLate: true };
}

/** Gives credits back to the grants that were to pay last. */
function giveBack(account: ModelAccount, { call }: ModelHold, credits: number, now: number): void {
  if (credits === 0) return;
  call.charged -= credits;
  let left = credits;
  for (const part of call.paid.toReversed()) {
    const back = Math.min(left, part.credits);
    if (back > 0) returnCredits(account, part.grant, back, now);
    part.credits -= back;
    left -= back;
  }
  call.paid = call.paid.filter((part) => part.credits > 0);
  for (const key of account.keys) if (key.id === call.keyId) returnPartOfCharge(key, call, credits);
  recordIfBetter(account, now);
}

export function endUncharged(
  account: ModelAccount,
  open: ModelHold,
  key: "free" | "unknown",
  now: number,
): void {
  account.holds.splice(account.holds.indexOf(open), 1);
  giveBack(account, open, open.call.charged, now);
  const own = ownKept(account, open);
  if (key === "free") account.kept = account.kept.filter((each) => !own.includes(each));
  else for (const kept of own) kept.state = "unknown";
}

/** The call is reversed. */
export function forgetResponse(account: ModelAccount, callId: string): void {
  const isOther = (kept: ModelKept) => kept.callId !== callId;
  for (const kept of account.kept)
    if (!isOther(kept)) Object.assign(kept, { state: "unknown", response: null });
  account.kept = account.kept.filter((kept) => isOther(kept) || kept.mayAct);
}
