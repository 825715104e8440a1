/**
 * Random operations. A step is a kind and a seed; which order it is depends on what the model holds when its turn comes, so
 * any part of a list of steps is a list of steps too, and a failing one can be shortened.
 */
import type { DebitOrder, GrantKind, HoldOrder, KeyLimits } from "#ledger/port.ts";
import type { RuleName, RuleOrders } from "#ledger/rules/rules.ts";
import { type Chance, createChance } from "./chance.ts";
import type { Model } from "./model.ts";
import {
  balanceOf,
  DAY,
  MINUTE,
  type ModelAccount,
  remainingOf,
  spendableOf,
} from "./model-account.ts";
import { ADA, BOB, hashOfText, KEYS, keyNames, NOBODY } from "./names.ts";
import type { Sizes } from "./sizes.ts";

export type Operation = {
  [Name in RuleName]: { name: Name; order: RuleOrders[Name][0] };
}[RuleName];

/** Where a run stands: what a step chooses from. */
export type Fixture = {
  model: Model;
  now: number;
  /** Every order of a debit that was made up, sent or not. */
  debits: DebitOrder[];
  /** The same of holds. */
  holds: HoldOrder[];
  sizes: Sizes;
};

/** How many of a thousand steps are of a kind. `clock` and `forgetBalance` are no operations. */
export const KINDS = {
  debit: 300,
  reverse: 110,
  grant: 130,
  clawback: 110,
  recordDue: 80,
  keyStatus: 30,
  createKey: 15,
  revokeKey: 8,
  changeKey: 35,
  rotateKey: 10,
  openAccount: 5,
  changeAccount: 48,
  hold: 120,
  settle: 80,
  release: 15,
  renew: 8,
  lapse: 40,
  clock: 140,
  forgetBalance: 15,
} as const satisfies Record<RuleName | "clock" | "forgetBalance", number>;
export type Kind = keyof typeof KINDS;

export type Step = { kind: Kind; seed: number };

export const START = 1000 * DAY;
const HOUR = 60 * MINUTE;
const KINDS_OF_GRANTS: GrantKind[] = ["starter", "pack", "pack", "operator", "lifetime"];
const SPANS = [0, 1, 1000, MINUTE, HOUR, DAY, 6 * DAY, 7 * DAY, 8 * DAY, 30 * DAY, 31 * DAY];

/** Two accounts with a key; one has its free call. */
export function openingOperations(): Operation[] {
  return [ADA, BOB].flatMap((account): Operation[] => {
    const freeCall = account === ADA ? "open" : "withheld";
    const key = { ...keyNames(account, "k0"), start: "tb_", label: "first" };
    return [
      { name: "openAccount", order: { account, freeCall, now: START } },
      { name: "createKey", order: { account, ...key, now: START } },
    ];
  });
}

export const accountOf = (chance: Chance) =>
  chance.percent(80) ? ADA : chance.pick([BOB, BOB, BOB, BOB, NOBODY]);

export function operationOf(name: RuleName, chance: Chance, fixture: Fixture): Operation {
  const { model, now } = fixture;
  const account = accountOf(chance);
  const accountState = model.find(account);
  switch (name) {
    case "debit":
      return { name, order: debitOf(chance, fixture, account, accountState) };
    case "reverse":
      return { name, order: reversalOf(chance, fixture, account, accountState) };
    case "grant":
      return { name, order: grantOf(chance, fixture, account, accountState) };
    case "clawback":
      return { name, order: clawbackOf(chance, fixture, account, accountState) };
    case "recordDue":
      return { name, order: { account, grantNo: dueOf(chance, now, accountState), now } };
    case "hold":
      return { name, order: holdOf(chance, fixture, account, accountState) };
    case "settle":
      return { name, order: settlementOf(chance, fixture) };
    case "release":
      return {
        name,
        order: { ...heldBy(chance, fixture), key: chance.pick(["free", "unknown"]), now },
      };
    case "renew":
    case "lapse":
      return { name, order: { ...heldBy(chance, fixture), now } };
    case "openAccount":
      return { name, order: { account, freeCall: chance.pick(["open", "withheld"]), now } };
    case "keyStatus":
      return {
        name,
        order: {
          ...{ account, ...useOf(chance, account, accountState), now, credits: 1 },
          ...namedOf(chance),
          isHeld: chance.percent(50),
        },
      };
    case "createKey": {
      const names = keyNames(account, chance.pick(KEYS));
      const { sha256 } = chance.percent(10) ? keyNames(account, chance.pick(KEYS)) : names;
      const key = { id: names.id, sha256, start: "tb_", label: `made ${now}` };
      const limits = chance.percent(30) ? limitsOf(chance, now) : null;
      return { name, order: { account, ...key, limits, now } };
    }
    case "revokeKey":
      return { name, order: { account, id: keyNames(account, chance.pick(KEYS)).id, now } };
    case "changeKey": {
      const { id } = keyNames(account, chance.percent(60) ? "k0" : chance.pick(KEYS));
      const label = chance.percent(20) ? { label: `label ${chance.below(9)}` } : {};
      if (chance.percent(15)) return { name, order: { account, id, ...label, now } };
      const limits = chance.percent(40) ? null : limitsOf(chance, now);
      return { name, order: { account, id, ...label, limits, now } };
    }
    case "rotateKey": {
      const { id } = keyNames(account, chance.percent(60) ? "k0" : chance.pick(KEYS));
      const isForeign = chance.percent(30);
      const sha256 = isForeign
        ? keyNames(account, chance.pick(KEYS)).sha256
        : hashOfText(`secret ${account} ${chance.below(20)}`);
      const previousUntil = now + chance.pick([0, 1, HOUR, DAY, 30 * DAY, 30 * DAY + 1, -1]);
      return { name, order: { account, id, sha256, start: "tb_new", previousUntil, now } };
    }
    case "changeAccount":
      return { name, order: { account, ...accountChangeOf(chance, now, accountState), now } };
  }
}

/** The first key is used most, so that calls mostly reach the account. */
function useOf(chance: Chance, account: string, accountState: ModelAccount | undefined) {
  const name = chance.percent(85) ? "k0" : chance.pick([...KEYS, "unknown"]);
  const { id, sha256 } = keyNames(account, name);
  const key = accountState?.keys.find((each) => each.id === id);
  const previous = key?.previous?.sha256 ?? sha256;
  const address = chance.percent(80) ? "203.0.113.7" : chance.pick(["198.51.100.1", "::1", null]);
  return {
    keySha256: chance.percent(80) ? (key?.sha256 ?? sha256) : chance.pick([previous, sha256]),
    tool: toolOf(chance),
    address,
  };
}

/** Mostly one limit or two, and budgets that a few calls use up. */
function limitsOf(chance: Chance, now: number): KeyLimits {
  const maybe = <Limit>(percent: number, limit: Limit) => (chance.percent(percent) ? limit : null);
  const budget = () => maybe(40, chance.pick([1, 2, 5, 10, 50, 1000, 10 ** 12]));
  return {
    expiresAt: maybe(15, now + chance.pick(SPANS)),
    tools: maybe(20, chance.pick([["hash"], ["uuid"], ["hash", "uuid"]])),
    budgets: { total: budget(), month: budget(), day: budget() },
    networks: maybe(20, ["203.0.113.0/24"]),
    rate: maybe(10, 5),
  };
}

function debitOf(
  chance: Chance,
  fixture: Fixture,
  account: string,
  accountState: ModelAccount | undefined,
): DebitOrder {
  const isAgain = fixture.debits.length > 0 && chance.percent(15);
  if (isAgain) return chance.pick(fixture.debits);
  const order = newDebitOf(chance, fixture, account, accountState);
  fixture.debits.push(order);
  return order;
}

const toolOf = (chance: Chance) => chance.pick(["hash", "hash", "uuid"]);
const repeatKeyOf = (chance: Chance) => `once-${chance.below(2)}`;

const namedOf = (chance: Chance) => ({
  idempotencyKey: chance.percent(50) ? repeatKeyOf(chance) : null,
});

function newDebitOf(
  chance: Chance,
  { now, debits, sizes }: Fixture,
  account: string,
  accountState: ModelAccount | undefined,
): DebitOrder {
  // Mostly a new call; sometimes another one, made at another time, has the same id.
  const number = chance.percent(90) ? debits.length : chance.below(debits.length + 1);
  const response = `answer ${debits.length % 100}`;
  const idempotency = chance.percent(50)
    ? {
        key: repeatKeyOf(chance),
        bodySha256: hashOfText(chance.pick(["body", "body", "other body"])),
        responseSha256: hashOfText(response),
        receivedAt: now,
        random: chance.pick([null, response]),
      }
    : null;
  return {
    account,
    ...useOf(chance, account, accountState),
    callId: `call_${number}`,
    credits: priceOf(chance, now, accountState, sizes),
    freeCallCredits: chance.pick([0, 1, 1, 1, 5]),
    now,
    idempotency,
  };
}

/** Mostly a new call. One whose hold has not ended, or that was reversed before it was made, may be sent again. */
function holdOf(
  chance: Chance,
  fixture: Fixture,
  account: string,
  accountState: ModelAccount | undefined,
): HoldOrder {
  const { holds, model, now } = fixture;
  const sent = holds.filter((each) => isHeld(model, each) || isMarked(model, each));
  if (sent.length > 0 && chance.percent(15)) return chance.pick(sent.slice(-3));
  const { idempotency, ...call } = newDebitOf(chance, fixture, account, accountState);
  const leaseMs = chance.percent(1) ? chance.pick([0, 0.5, 20 * MINUTE + 1]) : leaseOf(chance);
  const order: HoldOrder = {
    ...{ ...call, callId: `held_${holds.length}` },
    ...{ leaseMs, onCrash: chance.pick(["release", "release", "unknown", "charge"]) },
    idempotency: idempotency && {
      ...{ key: `held-${idempotency.key}`, bodySha256: idempotency.bodySha256 },
      keptBytesMax: chance.pick([1_000_000, 1_000_000, 10, 0]),
    },
    now,
  };
  holds.push(order);
  return order;
}

const leaseOf = (chance: Chance) => chance.pick([1, 1000, MINUTE, MINUTE, 20 * MINUTE]);

const isHeld = (model: Model, { account, callId, now }: HoldOrder): boolean =>
  model.find(account)?.holds.some(({ call }) => call.callId === callId && call.at === now) ?? false;

const isMarked = (model: Model, { account, callId, now }: HoldOrder): boolean =>
  model.find(account)?.reversedEarly.has(`${callId} ${now}`) ?? false;

/** Mostly a call that is running. */
function heldOrder(chance: Chance, { holds, model }: Fixture): HoldOrder | undefined {
  const running = holds.filter((each) => isHeld(model, each));
  return chance.pick(running.length > 0 && chance.percent(80) ? running : holds.slice(-10));
}

function heldBy(chance: Chance, fixture: Fixture) {
  const held = heldOrder(chance, fixture);
  return held === undefined
    ? { account: ADA, callId: "none", at: fixture.now }
    : { account: held.account, callId: held.callId, at: held.now };
}

/** The call costs what was held, or less. Some are settled long after their holds have ended, or were never held. */
function settlementOf(chance: Chance, fixture: Fixture): RuleOrders["settle"][0] {
  const { now, holds, model } = fixture;
  if (holds.length === 0) holdOf(chance, fixture, ADA, model.find(ADA));
  const { leaseMs: _, onCrash: __, ...call } = heldOrder(chance, fixture) as HoldOrder;
  const { idempotency, credits: price, now: at } = call;
  const parts = [price, price, price, 0, 1, price - 1, Math.floor(price / 2), price + 1];
  const credits = chance.percent(2) ? chance.pick([-1, 0.5]) : Math.max(0, chance.pick(parts));
  const response = chance.pick(["ok", "a longer response"]);
  return {
    ...{ ...call, credits, at, now },
    idempotency: idempotency && {
      ...{ key: idempotency.key, bodySha256: idempotency.bodySha256, response },
    },
  };
}

/** Often just what the balance or the first grants hold, one less or one more. */
function priceOf(
  chance: Chance,
  now: number,
  accountState: ModelAccount | undefined,
  { prices }: Sizes,
): number {
  if (chance.percent(2)) return chance.pick([-1, 0.5, 1_000_001, 2 ** 53]);
  if (accountState === undefined || chance.percent(60)) return chance.pick(prices);
  const spendable = spendableOf(accountState, now);
  const count = chance.percent(50) ? spendable.length : chance.below(spendable.length + 1);
  const edge = spendable.slice(0, count).reduce((sum, grant) => sum + remainingOf(grant), 0);
  return Math.min(1_000_000, Math.max(0, edge + chance.pick([-1, 0, 0, 1])));
}

function reversalOf(
  chance: Chance,
  fixture: Fixture,
  account: string,
  accountState: ModelAccount | undefined,
): RuleOrders["reverse"][0] {
  const { debits, now } = fixture;
  if (chance.percent(8)) {
    // Some holds are reversed before they are made.
    if (chance.percent(30)) holdOf(chance, fixture, account, accountState);
    const held = heldBy(chance, fixture);
    return { ...held, now, ...(chance.percent(30) && { key: "free" }) };
  }
  // Some calls are reversed before their debit comes.
  if (debits.length === 0 || chance.percent(10))
    debits.push(newDebitOf(chance, fixture, account, accountState));
  const recent = debits.slice(chance.percent(50) ? -5 : 0);
  const { account: of, callId, now: at } = chance.pick(recent);
  const isOfAnother = chance.percent(5);
  return { account: isOfAnother ? account : of, callId, at: isOfAnother ? now : at, now };
}

function grantOf(
  chance: Chance,
  { now, sizes }: Fixture,
  account: string,
  accountState: ModelAccount | undefined,
): RuleOrders["grant"][0] {
  const grants = accountState?.grants ?? [];
  const isNew = grants.length === 0 || chance.percent(90);
  const id = isNew ? `grant ${grants.length}` : chance.pick(grants).id;
  const kind = chance.pick(KINDS_OF_GRANTS);
  const usual = chance.pick(grants.length > 8 ? sizes.laterAmounts : sizes.amounts);
  const amount = chance.percent(1) ? chance.pick([0, 1.5, 10 ** 12 + 1]) : usual;
  const isEndless = kind === "lifetime" ? chance.percent(98) : chance.percent(20);
  // Some end with another one, some are over before they begin.
  const others = grants.flatMap(({ end, waivedEnd }) => end ?? waivedEnd ?? []);
  const isShared = others.length > 0 && chance.percent(25);
  const span = chance.pick(SPANS) * (chance.percent(5) ? -1 : 1);
  const expiresAt = isEndless ? null : isShared ? chance.pick(others) : now + span;
  return { account, id, kind, amount, expiresAt, now };
}

/** Mostly of lifetime grants, where there are some: those begin and end the plan. */
function clawbackOf(
  chance: Chance,
  { now }: Fixture,
  account: string,
  accountState: ModelAccount | undefined,
): RuleOrders["clawback"][0] {
  const grants = accountState?.grants ?? [];
  const plans = grants.filter(({ kind }) => kind === "lifetime");
  const grant = chance.pick(plans.length > 0 && chance.percent(30) ? plans : grants);
  if (grant === undefined || chance.percent(2))
    return { account, grant: "none", credits: 1, version: 1, now };
  const { amount, clawback, clawbackVersion, id } = grant;
  const usage = [0, 0, 1, amount - 1, amount, amount, amount + 1, clawback, clawback - 1];
  const held = [remainingOf(grant), remainingOf(grant) + 1, chance.below(Math.min(amount, 100))];
  const credits = chance.percent(1) ? 0.5 : chance.pick([...usage, ...held]);
  const version = clawbackVersion + chance.pick([-2, -1, 0, 1, 1, 1, 2]);
  return {
    account,
    grant: id,
    credits,
    version: chance.percent(99) ? Math.max(0, version) : -1,
    onlyRaises: chance.percent(20),
    now,
  };
}

/** Mostly a grant whose event is due, in any order; sometimes another one, as where two processes saw the same one. */
function dueOf(chance: Chance, now: number, accountState: ModelAccount | undefined): number {
  const grants = accountState?.grants ?? [];
  const due = grants.filter(({ dueAt }) => dueAt !== null && dueAt <= now);
  const grant = chance.pick(due.length > 0 && chance.percent(90) ? due : grants);
  return grant?.no ?? 999;
}

/** Accounts are resumed more often than they are suspended, and seldom closed. */
function accountChangeOf(chance: Chance, now: number, accountState: ModelAccount | undefined) {
  const state = chance.pick(["open", "open", "open", "suspended", "suspended"] as const);
  if (chance.percent(25)) return { price: ownPriceOf(chance) };
  const lowBalance = lowBalanceOf(chance, now, accountState);
  if (chance.percent(50)) return { lowBalance };
  if (chance.percent(10)) return { state, lowBalance };
  return { state: chance.percent(12) ? ("closed" as const) : state };
}

function ownPriceOf(chance: Chance) {
  const credits = chance.percent(40) ? null : chance.pick([0, 1, 2, 5, 40, 1_000_000, 1_000_001]);
  return { tool: toolOf(chance), credits };
}

function lowBalanceOf(chance: Chance, now: number, accountState: ModelAccount | undefined): number {
  if (chance.percent(3)) return chance.pick([-1, 0.5, 10 ** 12 + 1]);
  const balance = accountState === undefined ? 0 : balanceOf(accountState, now);
  const edge = Math.min(10 ** 12, balance + chance.below(3));
  return chance.pick([0, 1, 2, 20, 1000, edge]);
}

/** The clock goes on and back, and often stops at the very millisecond at which something ends, or beside it. */
export function clockOf(chance: Chance, { model, now }: Fixture): number {
  const grants = model.find(accountOf(chance))?.grants ?? [];
  const { calls, holds } = model.find(ADA) ?? { calls: [], holds: [] };
  const times = grants.flatMap(({ end, waivedEnd, dueAt }) => [end, waivedEnd, dueAt]);
  const leases = holds.slice(-3).map(({ leaseUntil }) => leaseUntil);
  const ends = [...times, ...leases, ...calls.slice(-3).map(({ at }) => at + DAY)].filter(
    (at) => at !== null,
  );
  if (ends.length > 0 && chance.percent(50)) return chance.pick(ends) + chance.pick([-1, 0, 0, 1]);
  const step = chance.pick([1, 999, MINUTE - 1, MINUTE, HOUR, DAY, 7 * DAY, 23 * DAY, 30 * DAY]);
  return now + step * (chance.percent(30) ? -1 : 1);
}

/** A run's steps. Each run likes some kinds more than others, so that runs differ more than their steps. */
export function stepsOf(seed: number, count: number): Step[] {
  const chance = createChance(seed);
  const kinds = Object.entries(KINDS).map(([kind, part]) => {
    const weight = part * chance.pick([0.3, 1, 1, 2]);
    return { kind: kind as Kind, weight };
  });
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0);
  const kindOf = () => {
    let left = (chance.below(1_000_000) / 1_000_000) * total;
    for (const { kind, weight } of kinds) {
      left -= weight;
      if (left < 0) return kind;
    }
    return "debit";
  };
  const opening = (): Step[] =>
    chance.percent(15)
      ? Array.from({ length: 50 }, () => ({ kind: "grant" as const, seed: chance.seed() }))
      : [];
  return [
    ...opening(),
    ...Array.from({ length: count }, () => ({ kind: kindOf(), seed: chance.seed() })),
  ];
}
