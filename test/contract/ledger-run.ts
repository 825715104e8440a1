/**
 * A ledger and the model of its rules side by side: each random step is carried out on both, and the outcomes must be the
 * same.
 */
import assert from "node:assert/strict";
import type { LedgerEvent } from "#ledger/events.ts";
import { type Ledger, type LedgerOperation, OrderRejected } from "#ledger/port.ts";
import type { RuleName } from "#ledger/rules/rules.ts";
import { type Chance, createChance } from "../ledger/rules/chance.ts";
import { createModel } from "../ledger/rules/model.ts";
import { Rejected } from "../ledger/rules/model-grants.ts";
import { withoutKeyNo } from "../ledger/rules/model-keys.ts";
import { ADA, BOB, keyNames } from "../ledger/rules/names.ts";
import type { Sizes } from "../ledger/rules/sizes.ts";
import {
  clockOf,
  type Fixture,
  KINDS,
  type Kind,
  type Operation,
  openingOperations,
  operationOf,
  START,
} from "../ledger/rules/steps.ts";
import fc from "../support/properties.ts";
import { compareUsage } from "./ledger/compare-with-model.ts";
import { HOUR, type OpenedLedger, throughJson } from "./ledger/fixture.ts";

/** What only a store does; and more grants than the rules have, because these runs are short. */
const STORE_KINDS = { deleteEvents: 30, maintain: 50, sumUsage: 80, batch: 60, grant: 220 };
const BATCH_MAX = 40;
/** What a batch holds beside debits, if the store's batches hold it. */
const BESIDE_DEBITS: readonly RuleName[] = [
  ...(["reverse", "reverse", "grant", "grant", "clawback", "keyStatus"] as const),
  ...(["createKey", "revokeKey", "changeKey", "changeAccount", "changeAccount"] as const),
  ...(["hold", "hold", "hold", "settle", "settle", "release", "renew"] as const),
];
type StoreKind = Exclude<Kind, "forgetBalance"> | keyof typeof STORE_KINDS;
export type StoreStep = { kind: StoreKind; seed: number };

const { forgetBalance: _, ...RULE_KINDS } = KINDS;
const seed = fc.nat({ max: 2 ** 31 - 1 });
const stepOf = (kind: fc.Arbitrary<StoreKind>) => fc.noShrink(fc.noBias(fc.record({ kind, seed })));
const anyStep = stepOf(
  fc.oneof(
    ...Object.entries({ ...RULE_KINDS, ...STORE_KINDS }).map(([kind, weight]) => ({
      weight,
      arbitrary: fc.constant(kind as StoreKind),
    })),
  ),
);
const grantStep = stepOf(fc.constant("grant"));

/** Steps may be left out of a list: what fails is shrunk to the few that matter. Some runs begin with 50 grants. */
export const storeSteps = (maxLength: number): fc.Arbitrary<StoreStep[]> =>
  fc
    .tuple(
      fc.oneof(
        { weight: 6, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(grantStep, { maxLength: 50, size: "max" }) },
      ),
      fc.array(anyStep, { maxLength, size: "max" }),
    )
    .map((parts) => parts.flat());

export type Run = Fixture & {
  ledger: Ledger;
  sumUsage: OpenedLedger["sumUsage"];
  ledgerEvents: OpenedLedger["ledgerEvents"];
  together: OpenedLedger["together"];
  batches: OpenedLedger["batches"];
  /** Events that were not deleted, each with its step. */
  events: { step: number; event: Omit<LedgerEvent, "id"> }[];
  /** How many steps have begun. */
  steps: number;
  /** The furthest that the clock has come: it goes back too. */
  latest: number;
  /** Calls before this may be rolled up; what becomes of those when they are sent again is not promised. */
  rolledUpBefore: number;
  /** Records of idempotency keys that were over by then may be deleted. */
  maintainedAt: number;
  /** The names of calls that were sent. */
  sent: Set<string>;
  log: string[];
};

export async function startRun(
  { ledger, ledgerEvents, sumUsage, together, batches }: OpenedLedger,
  sizes: Sizes,
): Promise<Run> {
  const fixture = { model: createModel(), now: START, debits: [], holds: [], sizes };
  const times = { latest: START, rolledUpBefore: -Infinity, maintainedAt: -Infinity };
  const lists = { events: [], steps: 0, sent: new Set<string>(), log: [] };
  const run: Run = {
    ...fixture,
    ...times,
    ...lists,
    ...{ together, batches, ledgerEvents, sumUsage },
    ledger: throughJson(ledger),
  };
  for (const operation of openingOperations()) await execute(run, operation);
  for (const account of [ADA, BOB]) {
    const key = { ...keyNames(account, "k1"), start: "tb_", label: "second" };
    await execute(run, { name: "createKey", order: { account, ...key, now: START } });
  }
  return run;
}

export async function runStep(run: Run, { kind, seed }: StoreStep): Promise<void> {
  const chance = createChance(seed);
  run.steps += 1;
  switch (kind) {
    case "clock":
      run.now = clockOf(chance, run);
      run.latest = Math.max(run.latest, run.now);
      run.log.push(`now = ${run.now}`);
      return;
    case "recordDue":
      return recordExpiries(run, chance.pick([1, 2, 100]));
    case "lapse":
      return expireHolds(run);
    case "deleteEvents":
      return deleteEvents(run, chance.pick([1, 3, 100]));
    case "maintain":
      return maintain(run, chance);
    case "sumUsage":
      return sumUsage(run, chance);
    case "batch":
      return executeTogether(run, chance);
    default:
      return execute(run, operationOf(kind, chance, run));
  }
}

/** Some steps of a round. */
async function maintain(run: Run, chance: Chance): Promise<void> {
  const drawn = run.latest - chance.pick([1, 24, 48]) * HOUR;
  const rollUpBefore = Math.min(drawn, ...markedHolds(run));
  run.rolledUpBefore = Math.max(run.rolledUpBefore, rollUpBefore);
  run.maintainedAt = run.latest;
  const rowsMax = chance.pick([1, 2, 5, 100]);
  await stepOfMaintenance(run, { now: run.latest, rollUpBefore, rowsMax });
}

/**
 * The times of the calls that were reversed before their holds, which are not over. A call is over long before it is rolled up, so that
 * the mark of its reversal outlives its hold.
 */
function markedHolds({ model }: Run): number[] {
  return [ADA, BOB].flatMap((id) => {
    const { holds = [], reversedEarly } = model.find(id) ?? {};
    const calls = holds.map(({ call }) => call);
    return calls
      .filter((call) => reversedEarly?.has(`${call.callId} ${call.at}`))
      .map(({ at }) => at);
  });
}

async function stepOfMaintenance(
  run: Run,
  order: { now: number; rollUpBefore: number; rowsMax: number },
): Promise<void> {
  run.log.push(`maintain ${JSON.stringify(order)}`);
  const notified = predictDue(run, order.now, order.rowsMax);
  const step = await run.ledger.maintain({ ...order, after: null });
  assert.equal(step.notified, notified);
}

/** Sums some debits. Reading the usage gives the same before and after, and the audit compares the sums with the debits. */
async function sumUsage(run: Run, chance: Chance): Promise<void> {
  const order = { account: chance.pick([ADA, BOB]), max: chance.pick([1, 2, 5]) };
  run.log.push(`sumUsage ${JSON.stringify(order)}`);
  await run.sumUsage?.(order);
  await compareUsage(run);
}

async function execute(run: Run, drawn: Operation): Promise<void> {
  const operation = promisedOf(run, drawn);
  if (operation === null) return;
  const expected = predict(run, operation);
  const act = run.ledger[operation.name as Exclude<RuleName, "recordDue" | "lapse">];
  const actual = await act(operation.order as never).catch(rejected);
  assert.deepEqual(withoutKeyNo(actual), expected);
}

/** The orders of a batch are decided one after the other, as if each came alone. */
async function executeTogether(run: Run, chance: Chance): Promise<void> {
  const { together, batches } = run;
  const items: Parameters<NonNullable<typeof together>>[0][number][] = [];
  const expected: unknown[] = [];
  for (let count = 1 + chance.below(BATCH_MAX); count > 0; count -= 1) {
    const now = chance.percent(20) ? clockOf(chance, run) : run.now;
    const isOther = batches === "everything" && chance.percent(30);
    const name = isOther ? chance.pick(BESIDE_DEBITS) : "debit";
    const operation = promisedOf(run, operationOf(name, chance, { ...run, now }));
    if (operation === null) continue;
    if (together === undefined) await execute(run, operation);
    else {
      items.push([operation.name as LedgerOperation, operation.order]);
      expected.push(predict(run, operation));
    }
  }
  const outcomes = (await together?.(items)) ?? [];
  const actual = outcomes.map((each) =>
    each instanceof Error ? rejected(each) : withoutKeyNo(JSON.parse(JSON.stringify(each))),
  );
  assert.deepEqual(actual, expected);
}

/** The outcome according to the model, which also keeps the events. */
function predict(run: Run, { name, order }: Operation): unknown {
  const { model, log } = run;
  log.push(`${name} ${JSON.stringify(order)}`);
  const before = model.find(order.account)?.events.length ?? 0;
  const expected = attempt(() => model.operations[name](order as never));
  if (name === "changeAccount" && order.state === "closed")
    run.events = run.events.filter(({ event }) => event.account !== order.account);
  else recordEvents(run, order.account, before, "now" in order ? order.now : run.now);
  return expected;
}

/** By its name, because a store may be behind a wire. */
function rejected(error: Error): "rejected" {
  if (error.constructor.name !== OrderRejected.name) throw error;
  return "rejected";
}

/** The operation, where it is promised what becomes of it; null where it is not. */
function promisedOf({ model, sent, ...times }: Run, drawn: Operation): Operation | null {
  // A clock that went back does not bring back what maintenance has forgotten.
  if (drawn.name === "keyStatus" && drawn.order.now < times.maintainedAt)
    return { ...drawn, order: { ...drawn.order, idempotencyKey: null } };
  if (drawn.name === "hold" || drawn.name === "settle")
    return promisedHold(model, drawn, times, sent);
  if (drawn.name !== "debit" && drawn.name !== "reverse") return drawn;
  const { account, callId, now } = drawn.order;
  const at = drawn.name === "debit" ? now : drawn.order.at;
  const name = `${account} ${callId} ${at}`;
  const isSent = sent.has(name);
  if (isSent && at < times.rolledUpBefore) return null;
  sent.add(name);
  if (drawn.name === "reverse" || now >= times.maintainedAt) return drawn;
  const isMade = model
    .find(account)
    ?.calls.some((call) => call.callId === callId && call.at === at);
  return isMade ? drawn : { ...drawn, order: { ...drawn.order, idempotency: null } };
}

/** The same of what is held. How much is kept depends on what maintenance has deleted, so it is never too much here. */
function promisedHold(
  model: Run["model"],
  drawn: Extract<Operation, { name: "hold" | "settle" }>,
  { maintainedAt, rolledUpBefore }: { maintainedAt: number; rolledUpBefore: number },
  sent: Set<string>,
): Operation | null {
  const { account, callId, now } = drawn.order;
  const at = drawn.name === "hold" ? now : drawn.order.at;
  const name = `${account} ${callId} ${at}`;
  const isMade = model
    .find(account)
    ?.holds.some(({ call }) => call.callId === callId && call.at === at);
  const isRepeat = drawn.name === "hold" && isMade;
  if (!isRepeat && sent.has(name) && at < rolledUpBefore) return null;
  sent.add(name);
  if (drawn.name === "settle")
    return now < maintainedAt ? { ...drawn, order: { ...drawn.order, idempotency: null } } : drawn;
  const { idempotency } = drawn.order;
  if (now < maintainedAt && !isMade)
    return { ...drawn, order: { ...drawn.order, idempotency: null } };
  const kept = idempotency && { ...idempotency, keptBytesMax: 1_000_000 };
  return { ...drawn, order: { ...drawn.order, idempotency: kept } };
}

function attempt<Outcome>(operation: () => Outcome): Outcome | "rejected" {
  try {
    return operation();
  } catch (error) {
    if (error instanceof Rejected) return "rejected";
    throw error;
  }
}

/** Keeps the events that the model has just written for the account, with the time of the order. */
function recordEvents(
  { model, events, steps }: Run,
  account: string,
  before: number,
  at: number,
): void {
  const written = model.find(account)?.events.slice(before) ?? [];
  events.push(...written.map((event) => ({ step: steps, event: { account, at, ...event } })));
}

/** Ends the holds that are due, those that have been due for the longest first. */
async function expireHolds(run: Run): Promise<void> {
  const { model, now, log, ledger } = run;
  log.push(`expireHolds ${now}`);
  const due = [...model.accounts.values()]
    .flatMap(({ id: account, holds }) => holds.map((hold) => ({ account, hold })))
    .filter(({ hold }) => hold.leaseUntil <= now)
    .sort(
      ({ hold: one }, { hold: other }) =>
        one.leaseUntil - other.leaseUntil ||
        one.call.at - other.call.at ||
        (one.call.callId < other.call.callId ? -1 : 1),
    );
  const ended = due.filter(({ account, hold }) => {
    const { callId, at } = hold.call;
    const before = model.find(account)?.events.length ?? 0;
    const outcome = model.operations.lapse({ account, callId, at, now });
    recordEvents(run, account, before, now);
    return outcome.ended;
  }).length;
  assert.ok(due.length < 100, "one step ends all of them");
  assert.deepEqual(await ledger.expireHolds({ now, max: 100 }), { ended, isMore: false });
}

/** Every call that is running fails. */
export async function releaseAll(run: Run): Promise<void> {
  for (const { id: account, holds } of run.model.accounts.values())
    for (const { call } of [...holds]) {
      const { callId, at } = call;
      const order = { account, callId, at, key: "free", now: run.now } as const;
      await execute(run, { name: "release", order });
    }
}

/** Nothing is rolled up. */
export async function recordExpiries(run: Run, rowsMax: number): Promise<void> {
  run.maintainedAt = Math.max(run.maintainedAt, run.now);
  await stepOfMaintenance(run, { now: run.now, rollUpBefore: 0, rowsMax });
}

/** How many events a step of maintenance writes according to the model, which also keeps them. */
function predictDue(run: Run, now: number, max: number): number {
  const { model } = run;
  const due = [...model.accounts.values()]
    .flatMap(({ id: account, grants }) => grants.map(({ no, dueAt }) => ({ account, no, dueAt })))
    .filter((grant): grant is typeof grant & { dueAt: number } => grant.dueAt !== null)
    .filter(({ dueAt }) => dueAt <= now)
    .sort((one, other) => one.dueAt - other.dueAt || one.no - other.no);
  let notified = 0;
  for (const { account, no } of due.slice(0, max)) {
    const before = model.find(account)?.events.length ?? 0;
    const { recorded } = model.operations.recordDue({ account, grantNo: no, now });
    recordEvents(run, account, before, now);
    if (recorded) notified += 1;
  }
  return notified;
}

/**
 * Events are listed in the order in which they came about, until they are deleted. A step is one transaction, and may write the events
 * of one account before those of another.
 */
export async function deleteEvents(run: Run, max: number): Promise<void> {
  const { ledgerEvents, log } = run;
  log.push(`deleteEvents ${max}`);
  const events = (await ledgerEvents?.list({ max })) ?? [];
  assert.equal(events.length, Math.min(max, run.events.length));
  for (const { id: _, ...listed } of events) {
    const at = run.events.findIndex(({ event }) => event.account === listed.account);
    assert.deepEqual(listed, run.events[at]?.event);
    assert.equal(run.events[at]?.step, run.events[0]?.step);
    run.events.splice(at, 1);
  }
  await ledgerEvents?.settle(events);
}
