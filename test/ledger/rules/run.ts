/** Runs of random operations against the rules and the model, which must agree on everything. */

import type { Changes } from "#ledger/rules/rows.ts";
import { type Chance, createChance } from "./chance.ts";
import {
  checkBalance,
  checkGrants,
  checkHolds,
  checkIsKnown,
  Disagreement,
  debitRowOf,
  expectSame,
  expectSameSums,
  sumsOfModel,
  sumsOfRows,
} from "./check-rows.ts";
import { createModel } from "./model.ts";
import { Rejected } from "./model-grants.ts";
import { withoutKeyNo } from "./model-keys.ts";
import { createRowStore, type RowStore, type Rules } from "./row-store.ts";
import { ALL_SIZES } from "./sizes.ts";
import {
  accountOf,
  clockOf,
  type Fixture,
  type Operation,
  openingOperations,
  operationOf,
  START,
  type Step,
  stepsOf,
} from "./steps.ts";

/** What a run did: operations, and what else a step may be, in words. */
type Log = (Operation | string)[];
/** How often each outcome came. */
type Counts = Map<string, number>;
type Run = Fixture & { store: RowStore; log: Log; counts: Counts };

export type Failure = { seed: number; steps: Step[]; message: string; log: Log };

const STEPS_PER_RUN = 100;

/** Runs until so many operations were carried out, or until one fails. */
export function runUntilFailure(
  rules: Rules,
  seed: number,
  operations: number,
): { operations: number; runs: number; counts: Counts; failure: Failure | null } {
  const seeds = createChance(seed);
  const counts: Counts = new Map();
  let [done, runs] = [0, 0];
  while (done < operations) {
    const runSeed = seeds.seed();
    const steps = stepsOf(runSeed, STEPS_PER_RUN);
    const outcome = runSteps(rules, steps, counts);
    done += outcome.operations;
    runs += 1;
    if (outcome.message === null) continue;
    const failing = steps.slice(0, outcome.steps);
    const failure = { seed: runSeed, steps: failing, message: outcome.message, log: outcome.log };
    return { operations: done, runs, counts, failure };
  }
  return { operations: done, runs, counts, failure: null };
}

/** Whether a run of this seed fails. */
export const isFoundIn = (rules: Rules, seed: number): boolean =>
  runSteps(rules, stepsOf(seed, STEPS_PER_RUN)).message !== null;

type RunOutcome = { operations: number; steps: number; message: string | null; log: Log };

export function runSteps(
  rules: Rules,
  steps: readonly Step[],
  counts: Counts = new Map(),
): RunOutcome {
  const [model, store] = [createModel(), createRowStore(rules)];
  const run: Run = {
    model,
    store,
    now: START,
    debits: [],
    holds: [],
    sizes: ALL_SIZES,
    log: [],
    counts,
  };
  let [operations, done] = [0, 0];
  try {
    for (const operation of openingOperations()) execute(run, operation, createChance(0));
    for (const step of steps) {
      done += 1;
      operations += runStep(run, step);
    }
    return { operations, steps: done, message: null, log: run.log };
  } catch (error) {
    // A fault in the rules may also show as an error of any other kind.
    const message = error instanceof Disagreement ? error.message : String((error as Error).stack);
    return { operations, steps: done, message, log: run.log };
  }
}

/** How many operations the step was. */
function runStep(run: Run, { kind, seed }: Step): number {
  const chance = createChance(seed);
  if (kind === "clock") {
    run.now = clockOf(chance, run);
    run.log.push(`now = ${run.now}`);
    return 0;
  }
  if (kind === "forgetBalance") {
    const account = accountOf(chance);
    run.store.forgetBalance(account);
    run.log.push(`forget the balance of ${account}`);
    return 0;
  }
  execute(run, operationOf(kind, chance, run), chance);
  return 1;
}

function execute(run: Run, operation: Operation, chance: Chance): void {
  const { model, store, log, counts } = run;
  const { name, order } = operation;
  log.push(operation);
  const { account: id } = order;
  const eventsBefore = model.find(id)?.events.length ?? 0;
  const expected = attempt(() => model.operations[name](order as never));
  count(counts, `${name} ${nameOf(expected)}`);
  let changes: Changes = {};
  const actual = attempt(() => {
    const executed = store.execute(name, order as never, chance);
    changes = executed.changes;
    return executed.outcome;
  });
  expectSame(`the outcome of ${name}`, withoutKeyNo(actual), expected);
  const parts = changes.debit?.parts?.length ?? 0;
  if (parts > 1) count(counts, `${name} of ${parts >= 10 ? "ten or more" : "several"} grants`);
  const stored = store.accounts.get(id);
  const modelled = model.find(id);
  if (stored === undefined || modelled === undefined) return;
  expectSameSums(sumsOfRows(stored), sumsOfModel(modelled));
  const [events, eventsExpected] = [stored.events, modelled.events];
  expectSame("the events", events.slice(eventsBefore), eventsExpected.slice(eventsBefore));
  checkGrants(stored);
  checkBalance(stored, timesToCheck(run, id, chance));
  const isPaid = name === "debit" || name === "hold";
  const isMoving = isPaid ? (changes.debit ?? changes.hold) : (changes.grants ?? changes.drawn);
  if (isMoving !== undefined && name !== "recordDue") checkIsKnown(stored, timeOf(order, run.now));
  checkHolds(stored, modelled);
  if (name === "debit" || name === "settle" || name === "reverse")
    checkCall(run, order as { account: string; callId: string });
}

/** "rejected" for an order that no ledger can hold; whatever else is thrown is a fault. */
function attempt<Outcome>(operation: () => Outcome): Outcome | "rejected" {
  try {
    return operation();
  } catch (error) {
    // By its name, because a copy of the rules has a class of its own.
    const isRejected =
      error instanceof Rejected || (error as Error).constructor.name === "OrderRejected";
    if (isRejected) return "rejected";
    throw error;
  }
}

/** The time of the operation, and every now and then each end around it. */
function timesToCheck({ model, now }: Run, id: string, chance: Chance): number[] {
  if (!chance.percent(10)) return [now];
  const ends = model.find(id)?.grants.flatMap(({ end }) => end ?? []) ?? [];
  return [now, ...ends.flatMap((end) => [end - 1, end])];
}

/** The rows of a debit, of its reversal and of its idempotency key. */
function checkCall(
  { model, store }: Run,
  order: { account: string; callId: string; at?: number; now?: number },
): void {
  const stored = store.accounts.get(order.account);
  const modelled = model.find(order.account);
  if (stored === undefined || modelled === undefined) return;
  const at = order.at ?? order.now;
  const row = stored.debits.get(`${order.callId} ${at}`);
  const call = modelled.calls.find((each) => each.callId === order.callId && each.at === at);
  const reversals = modelled.calls.filter(({ reversedAt }) => reversedAt !== null).length;
  expectSame("how many calls were reversed", stored.reversals.length, reversals);
  if (call === undefined) {
    const early = modelled.reversedEarly.get(`${order.callId} ${at}`);
    expectSame("when the call was reversed", row?.reversedAt, early);
    return;
  }
  const expected = debitRowOf(call, stored.keys.get(call.keyId)?.no ?? -1);
  expectSame("the debit", row, expected);
  if (call.reversedAt === null) return;
  const { isFree: _, ...reversal } = expected;
  const kept = stored.reversals.find((each) => each.callId === call.callId && each.at === at);
  expectSame("the reversal", kept, reversal);
}

/** The shortest list of steps found that still fails: parts are left out, halves first, single steps last. */
export function shorten(rules: Rules, failure: Failure, attemptsMax = 3000): Failure {
  let best = failure;
  let attempts = 0;
  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (
      let start = best.steps.length - size;
      start >= 0 && attempts < attemptsMax;
      start -= size
    ) {
      attempts += 1;
      const steps = best.steps.toSpliced(start, size);
      const outcome = runSteps(rules, steps);
      if (outcome.message === null) continue;
      const { message, log } = outcome;
      best = { ...best, steps: steps.slice(0, outcome.steps), message, log };
    }
  }
  return best;
}

export function describeFailure({ seed, steps, message, log }: Failure): string {
  const lines = log.map((each) =>
    typeof each === "string" ? each : `${each.name} ${JSON.stringify(each.order)}`,
  );
  const title = `The rules and the model disagree (run ${seed}, shortened to ${steps.length} steps):`;
  return [title, ...lines, message].join("\n");
}

/** What tells one outcome from another: its name, or its one boolean. */
function nameOf(outcome: object | "rejected"): string {
  if (outcome === "rejected") return outcome;
  const { outcome: name } = outcome as { outcome?: string };
  return name ?? Object.entries(outcome)[0]?.join(" ") ?? "";
}

const count = (counts: Counts, what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);

const timeOf = (order: { account: string; now?: number }, now: number) => order.now ?? now;
