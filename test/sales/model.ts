/**
 * A second implementation of the ledger, as simple as possible: arrays of grants, and sums over them. It shares only types with
 * the implementation that it checks.
 */
import type { Grant, LedgerTotals, SyncLedger } from "#ledger/port.ts";
import {
  balanceOf,
  burnOrder,
  type Call,
  isOnPlan,
  isOver,
  type Lot,
  leftOf,
  MS_OF_DAY,
  type Owner,
} from "./lots.ts";
import { createTold } from "./notified.ts";

const marksOf = (end: number | null, now: number) =>
  end === null ? [] : [end - 30 * MS_OF_DAY, end - 7 * MS_OF_DAY, end].filter((mark) => mark > now);

export type Operations = Pick<
  SyncLedger,
  | ("openAccount" | "suspendAccount" | "resumeAccount" | "closeAccount" | "findAccount")
  | ("createKey" | "revokeKey" | "grant" | "clawback" | "credits" | "debit" | "reverse")
  | ("setLowBalance" | "recordExpiries")
>;
export type Model = ReturnType<typeof createModel>;

export function createModel() {
  const owners: Owner[] = [];
  const find = (id: string) => owners.find((owner) => owner.id === id);
  const findLive = (id: string) =>
    owners.find(({ id: its, state }) => its === id && state !== "closed");
  const told = createTold();

  const operations: Operations = {
    ...accountsOf(owners, told),
    ...grantsOf(find, told),
    ...callsOf(find, told),
    setLowBalance({ account, lowBalance, now }) {
      const owner = findLive(account);
      if (owner === undefined) return { found: false };
      owner.threshold = lowBalance;
      told.note(owner, now);
      return { found: true };
    },
    recordExpiries({ now, max }) {
      const firstOf = ({ marks }: Lot) => Math.min(...marks);
      const due = owners
        .flatMap((owner) => owner.lots.map((lot) => ({ owner, lot })))
        .filter(({ lot }) => firstOf(lot) <= now)
        .sort((one, other) => firstOf(one.lot) - firstOf(other.lot) || one.lot.no - other.lot.no);
      let notified = 0;
      for (const { owner, lot } of due.slice(0, max)) {
        lot.marks = lot.marks.filter((mark) => mark > now);
        notified += told.ofEnd(owner, lot, now) ? 1 : 0;
      }
      return { notified, more: due.length > max };
    },
  };
  return { owners, told, operations, totals: (now: number) => totalsOf(owners, now) };
}

function accountsOf(owners: Owner[], told: ReturnType<typeof createTold>) {
  const find = (id: string) => owners.find((owner) => owner.id === id);
  const setState = (id: string, state: Owner["state"]) => {
    const owner = find(id);
    if (owner === undefined || owner.state === "closed") return { found: false };
    owner.state = state;
    return { found: true };
  };
  return {
    openAccount: ({ account, freeCall, now }) => {
      if (find(account) !== undefined) return { opened: false };
      owners.push({
        ...{ id: account, state: "open", createdAt: now, threshold: 20, told: 0 },
        ...{ hasFreeCall: freeCall === "open", lots: [], calls: [], keys: [] },
      });
      return { opened: true };
    },
    suspendAccount: ({ account }) => setState(account, "suspended"),
    resumeAccount: ({ account }) => setState(account, "open"),
    closeAccount({ account, now }) {
      const owner = find(account);
      if (owner === undefined) return { found: false, forfeited: 0 };
      if (owner.state === "closed") {
        const sum = owner.lots.reduce(
          (all, lot) => all + Math.max(0, lot.voided - lot.clawback),
          0,
        );
        return { found: true, forfeited: sum };
      }
      const forfeited = balanceOf(owner, now);
      for (const lot of burnOrder(owner, now)) lot.voided += leftOf(lot);
      for (const lot of owner.lots) lot.marks = [];
      owner.state = "closed";
      told.forget(account);
      return { found: true, forfeited };
    },
    findAccount({ account, now }) {
      const owner = find(account);
      if (owner === undefined) return null;
      const { state, createdAt, threshold: lowBalance } = owner;
      const isUsed = owner.calls.some(({ lot, isReversed }) => lot === null && !isReversed);
      const freeCall = !owner.hasFreeCall ? "withheld" : isUsed ? "used" : "open";
      const usage = { balance: balanceOf(owner, now), lifetime: isOnPlan(owner), lowBalance };
      return { account, state, createdAt, freeCall, ...usage };
    },
    createKey({ account, id, sha256, start, label, now }) {
      const owner = find(account);
      if (owner === undefined) return { outcome: "no_account" };
      if (owner.keys.some((key) => key.id === id)) return { outcome: "created" };
      if (owner.state === "closed") return { outcome: "no_account" };
      owner.keys.push({ id, sha256, label, start, isRevoked: false });
      told.write(owner, now, { kind: "key.created", key: { id, label, start } });
      return { outcome: "created" };
    },
    revokeKey({ account, id, now }) {
      const owner = find(account);
      const key = owner?.keys.find((each) => each.id === id);
      if (owner === undefined || key === undefined) return { found: false };
      if (!key.isRevoked) {
        const { label, start } = key;
        told.write(owner, now, { kind: "key.revoked", key: { id, label, start } });
      }
      key.isRevoked = true;
      return { found: true };
    },
  } satisfies Partial<Operations>;
}

type Find = (id: string) => Owner | undefined;

function grantsOf(find: Find, told: ReturnType<typeof createTold>) {
  let made = 0;
  const shown = (lot: Lot): Grant => {
    const { id, kind, amount, grantedAt, expiresAt, waivedExpiresAt } = lot;
    return { id, kind, amount, remaining: leftOf(lot), grantedAt, expiresAt, waivedExpiresAt };
  };
  const waiveEnds = ({ lots }: Owner, now: number) => {
    for (const lot of lots) {
      if (lot.expiresAt === null || isOver(lot, now)) continue;
      Object.assign(lot, { waivedExpiresAt: lot.expiresAt, expiresAt: null, marks: [] });
    }
  };
  const restoreEnds = ({ lots, state }: Owner, now: number) => {
    for (const lot of lots) {
      if (lot.waivedExpiresAt === null) continue;
      const marks = state === "closed" ? [] : marksOf(lot.waivedExpiresAt, now);
      Object.assign(lot, { expiresAt: lot.waivedExpiresAt, waivedExpiresAt: null, marks });
    }
  };
  return {
    grant({ account, id, kind, amount, expiresAt: end, now }) {
      const owner = find(account);
      if (owner === undefined) return { outcome: "no_account" };
      const earlier = owner.lots.find((lot) => lot.id === id);
      if (earlier !== undefined) return { outcome: "already_granted", grant: shown(earlier) };
      if (owner.state === "closed") return { outcome: "no_account" };
      const isWaived = isOnPlan(owner);
      made += 1;
      const lot: Lot = {
        ...{ id, kind, amount, grantedAt: now, no: made, spent: 0, voided: 0 },
        ...{ clawback: 0, version: 0 },
        expiresAt: isWaived ? null : end,
        waivedExpiresAt: isWaived ? end : null,
        marks: isWaived ? [] : marksOf(end, now),
      };
      owner.lots.push(lot);
      if (kind === "lifetime") waiveEnds(owner, now);
      const grant = { id, kind, amount, expiresAt: lot.expiresAt };
      told.write(owner, now, { kind: "credits.granted", grant });
      told.rise(owner, now);
      return { outcome: "granted", grant: shown(lot) };
    },
    clawback({ account, grant: id, credits, version, now }) {
      const owner = find(account);
      const lot = owner?.lots.find((each) => each.id === id);
      if (owner === undefined || lot === undefined) return { outcome: "no_grant" };
      const { voided: hadVoided, spent, clawback: before } = lot;
      if (version < lot.version) return { outcome: "stale", voided: hadVoided, spent };
      const wasOnPlan = isOnPlan(owner);
      Object.assign(lot, { clawback: Math.min(credits, lot.amount), version });
      if (lot.clawback > hadVoided && !isOver(lot, now)) {
        lot.voided = Math.min(lot.clawback, lot.amount - spent);
      }
      if (lot.clawback < hadVoided && owner.state !== "closed") lot.voided = lot.clawback;
      if (wasOnPlan && !isOnPlan(owner)) restoreEnds(owner, now);
      if (!wasOnPlan && isOnPlan(owner)) waiveEnds(owner, now);
      const { kind, expiresAt } = lot;
      const amount = hadVoided - lot.voided;
      if (amount > 0 && !isOver(lot, now))
        told.write(owner, now, { kind: "credits.granted", grant: { id, kind, amount, expiresAt } });
      if (lot.clawback < before) told.rise(owner, now);
      else told.fall(owner, now);
      return { outcome: "clawed_back", voided: lot.voided, spent };
    },
    credits({ account, now }) {
      const owner = find(account);
      const page = { permanent: 0, nextExpiry: null, next: null };
      if (owner === undefined)
        return { ...page, balance: 0, lifetime: false, hasGrants: false, grants: [] };
      const first = burnOrder(owner, now);
      const rest = owner.lots.filter((lot) => !first.includes(lot));
      const usage = { balance: balanceOf(owner, now), lifetime: isOnPlan(owner) };
      const leftUntil = (at: number | null) =>
        first.reduce((sum, lot) => sum + (lot.expiresAt === at ? leftOf(lot) : 0), 0);
      const soonest = first[0]?.expiresAt ?? null;
      return {
        ...page,
        ...usage,
        permanent: leftUntil(null),
        nextExpiry: soonest === null ? null : { credits: leftUntil(soonest), at: soonest },
        hasGrants: owner.lots.length > 0,
        grants: [...first, ...rest].map(shown),
      };
    },
  } satisfies Partial<Operations>;
}

function callsOf(find: Find, told: ReturnType<typeof createTold>) {
  return {
    debit({ account, keySha256, callId, tool, now, idempotency: asked }) {
      const owner = find(account);
      if (owner === undefined) return { outcome: "invalid_key" };
      const balance = () => balanceOf(owner, now);
      const same = owner.calls.find((call) => call.callId === callId && call.at === now);
      if (same?.isReversed) throw new Error("It was reversed");
      const charged = (call: Call) =>
        ({ outcome: "debited", charged: call.lot ? 1 : 0, balance: balance() }) as const;
      if (same !== undefined) return charged(same);
      const key = owner.keys.find(({ sha256, isRevoked }) => sha256 === keySha256 && !isRevoked);
      if (key === undefined || owner.state === "closed") return { outcome: "invalid_key" };
      if (owner.state === "suspended") return { outcome: "account_suspended", balance: balance() };
      const earlier = owner.calls.findLast(
        (call) =>
          asked !== null &&
          call.idempotency?.key === asked.key &&
          call.tool === tool &&
          !call.isReversed &&
          now < call.at + MS_OF_DAY,
      );
      if (earlier?.idempotency && asked !== null) {
        const { body, response: responseSha256, random } = earlier.idempotency;
        if (body !== asked.bodySha256)
          return { outcome: "idempotency_key_reused", balance: balance() };
        const replay = { responseSha256, receivedAt: earlier.at, random };
        return { outcome: "replayed", balance: balance(), replay };
      }
      const isFree =
        owner.hasFreeCall && !owner.calls.some(({ lot, isReversed }) => !lot && !isReversed);
      const lot = isFree ? null : burnOrder(owner, now)[0];
      if (lot === undefined) return { outcome: "insufficient_credits", balance: 0 };
      const idempotency = asked && {
        ...{ key: asked.key, body: asked.bodySha256, response: asked.responseSha256 },
        random: asked.random,
      };
      const call: Call = { callId, at: now, tool, lot, isReversed: false, idempotency };
      owner.calls.push(call);
      if (lot !== null) {
        lot.spent += 1;
        told.fall(owner, now);
      }
      return charged(call);
    },
    reverse({ account, callId, at, now }) {
      const owner = find(account);
      const call = owner?.calls.find((each) => each.callId === callId && each.at === at);
      if (owner === undefined || call === undefined || call.isReversed) return { reversed: false };
      call.isReversed = true;
      const { lot } = call;
      if (lot === null) return { reversed: true };
      lot.spent -= 1;
      const isForfeit = owner.state === "closed" && !isOver(lot, now);
      if (lot.clawback > lot.voided || isForfeit) lot.voided += 1;
      told.rise(owner, now);
      return { reversed: true };
    },
  } satisfies Partial<Operations>;
}

function totalsOf(owners: readonly Owner[], now: number): LedgerTotals {
  const lots = owners.flatMap((owner) => owner.lots);
  const calls = owners.flatMap((owner) => owner.calls).filter(({ lot }) => lot !== null);
  const sum = (part: (lot: Lot) => number) => lots.reduce((all, lot) => all + part(lot), 0);
  return {
    granted: sum(({ amount }) => amount),
    debited: calls.length,
    reversed: calls.filter(({ isReversed }) => isReversed).length,
    remaining: sum((lot) => (isOver(lot, now) ? 0 : leftOf(lot))),
    expired: sum((lot) => (isOver(lot, now) ? leftOf(lot) : 0)),
    voided: sum(({ voided }) => voided),
  };
}
