/**
 * Random orders to the ledger and to a model of it, which must agree on every outcome. A run is a list of
 * steps that name accounts, keys and calls themselves, so that any part of the list is a run too: what
 * fails is shrunk to the few steps that matter. `TEST_MODEL_RUNS` sets the number of runs.
 */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import fc from "fast-check";
import type { Entry } from "#ledger/entries.ts";
import { type DebitOrder, hourOf, type Ledger } from "#ledger/port.ts";
import { createModel, type Model } from "./ledger/model.ts";
import { ACCOUNTS, KEYS, type Step, step } from "./ledger/model-steps.ts";
import {
  allEntries,
  assertBooks,
  DAY,
  HOUR,
  idempotency,
  keyId,
  keySha256,
  maintainFully,
  type OpenLedger,
  START,
  sortedUsage,
  throughJson,
} from "./ledger/scene.ts";

const { TEST_MODEL_RUNS = "50" } = process.env;

export function ledgerModel(
  name: string,
  open: OpenLedger,
  { runs = Number(TEST_MODEL_RUNS), seed }: { runs?: number; seed?: number } = {},
): void {
  describe(`the ledger, ${name}`, () => {
    test(`agrees with its model in ${runs} runs of random orders`, async (t) => {
      const property = fc.asyncProperty(fc.array(step, { maxLength: 80, size: "max" }), (steps) =>
        runSteps(t, open, steps),
      );
      await fc.assert(property, { numRuns: runs, ...(seed === undefined ? {} : { seed }) });
    });
  });
}

type Run = {
  ledger: Ledger;
  model: Model;
  now: number;
  /** The furthest that the clock has come: it goes back too. */
  latest: number;
  /** Every debit that was ordered by its call id, whatever came of it. */
  ordered: Map<string, DebitOrder>;
  /** The last that was carried out. */
  last: DebitOrder | undefined;
  /** Of clawbacks. */
  version: number;
  /** Debits before this may be folded; what becomes of those when sent again is nobody's promise. */
  foldedBefore: number;
};

async function runSteps(t: TestContext, open: OpenLedger, steps: Step[]): Promise<void> {
  const run: Run = {
    ledger: throughJson((await open(t)).ledger),
    model: createModel(),
    now: START,
    latest: START,
    ordered: new Map(),
    last: undefined,
    version: 0,
    foldedBefore: 0,
  };
  for (const [index, id] of ACCOUNTS.slice(0, 3).entries()) {
    const freeCall = index === 1 ? "withheld" : "open";
    await run.ledger.openAccount({ account: id, freeCall, now: START });
    run.model.openAccount(id, freeCall);
    for (const label of KEYS) {
      const key = { id: keyId(id, label), sha256: keySha256(id, label), label };
      await run.ledger.createKey({ account: id, ...key, start: "tb_", now: START });
      run.model.createKey(id, key, START);
    }
  }
  for (const step of steps) {
    await runStep(run, step);
    run.latest = Math.max(run.latest, run.now);
    await compareBalances(run);
  }
  await deleteEvents(run, 1000);
  await compareStates(run);
  await compareAll(run);
  await compareEntries(run, 3);
  const everything = { now: run.latest, foldBefore: run.latest + 1, rowsMax: 7 };
  await maintainFully(run.ledger, everything, () => compareAll(run));
  await compareEntries(run, 4);
}

async function runStep(run: Run, step: Step): Promise<void> {
  const { ledger, model, now } = run;
  switch (step.type) {
    case "debit":
      return debit(run, step);
    case "reverse": {
      const order = step.call === null ? run.last : run.ordered.get(`call_${step.call}`);
      if (order === undefined || order.now < run.foldedBefore) return;
      const ref = { account: order.account, callId: order.callId, at: order.now, now };
      return assert.deepEqual(await ledger.reverse(ref), model.reverse(ref));
    }
    case "grant": {
      const { account, id, amount, kind, hours } = step;
      const isEndless = hours === null || kind === "lifetime";
      const expiresAt = isEndless ? null : run.now + hours * HOUR;
      const order = { account, id, kind, amount, expiresAt, now: run.now } as const;
      return assert.deepEqual(await ledger.grant(order), model.grant(order));
    }
    case "clawback": {
      const { credits, id } = step;
      run.version += 1;
      const version = Math.max(0, run.version - step.behind);
      const { account = step.account } = id === null ? (run.last ?? {}) : {};
      const grant = id ?? model.grantOf(run.last) ?? "none";
      const order = { account, grant, credits, version, now };
      return assert.deepEqual(await ledger.clawback(order), model.clawback(order));
    }
    case "clock":
      run.now += step.ms;
      return;
    case "boundary":
      run.now = Math.max(now, nextBoundary(run) + step.off);
      return;
    case "look": {
      const { max } = step;
      const looked = await ledger.recordExpiries({ now, max });
      return assert.deepEqual(looked, model.recordExpiries(now, max));
    }
    case "settle":
      return deleteEvents(run, step.max);
    case "maintain": {
      const foldBefore = run.latest - step.hours * HOUR;
      run.foldedBefore = Math.max(run.foldedBefore, foldBefore);
      return ledger
        .maintain({ now: run.latest, foldBefore, rowsMax: step.rowsMax, after: null })
        .then(() => {});
    }
    default:
      return runAccountStep(run, step);
  }
}

type AccountStep = Extract<Step, { account: string }>;

async function runAccountStep({ ledger, model, now }: Run, step: AccountStep): Promise<void> {
  const order = { account: step.account, now };
  if (step.type === "suspend")
    assert.deepEqual(await ledger.suspendAccount(order), model.setState(step.account, "suspended"));
  else if (step.type === "resume")
    assert.deepEqual(await ledger.resumeAccount(order), model.setState(step.account, "open"));
  else if (step.type === "close")
    assert.deepEqual(await ledger.closeAccount(order), model.closeAccount(step.account, now));
  else if (step.type === "revoke") {
    const id = keyId(step.account, step.key);
    assert.deepEqual(
      await ledger.revokeKey({ ...order, id }),
      model.revokeKey(step.account, id, now),
    );
  } else if (step.type === "bound") {
    const { lowBalance } = step;
    const set = await ledger.setLowBalance({ ...order, lowBalance });
    assert.deepEqual(set, model.setLowBalance(step.account, lowBalance, now));
  } else if (step.type === "keyStatus") {
    const asked = { ...order, keySha256: keySha256(step.account, step.key) };
    assert.deepEqual(await ledger.keyStatus(asked), model.keyStatus(asked));
  }
}

/** What was told so far is told in its order; whoever settles it hears no more of it. */
async function deleteEvents({ ledger, model }: Run, max: number): Promise<void> {
  const { notices } = await ledger.listEvents({ max });
  const ids = notices.map(({ id }) => id);
  const told = notices.map(({ id: _, ...content }) => content);
  assert.deepEqual(told, model.notices(max));
  assert.deepEqual(await ledger.deleteEvents({ ids }), { settled: ids.length });
  model.settle(ids.length);
}

async function debit(run: Run, step: Extract<Step, { type: "debit" }>): Promise<void> {
  const { ledger, model, ordered } = run;
  const callId = `call_${step.call}`;
  const earlier = ordered.get(callId);
  if (earlier !== undefined && earlier.now < run.foldedBefore) return;
  // A debit that was made is sent again to the letter; a refused one may come as another try of another day.
  const isMade = earlier !== undefined && model.hasCall(earlier);
  const order = isMade ? earlier : debitOrderOf(run, step, callId);
  ordered.set(callId, order);
  const expected = model.debit(order);
  if (expected === "rejected") await assert.rejects(ledger.debit(order), /reversed/);
  else {
    assert.deepEqual(await ledger.debit(order), expected);
    if (expected.outcome === "debited") run.last = order;
  }
}

function debitOrderOf(
  { now, latest }: Run,
  step: Extract<Step, { type: "debit" }>,
  callId: string,
): DebitOrder {
  const { account, key, tool, idempotencyKey, body } = step;
  // What becomes of keys where the clock goes back over their end is nobody's promise.
  const kept =
    idempotencyKey === null || now < latest
      ? null
      : idempotency(idempotencyKey, body, `answer of ${callId}`);
  const price = { credits: 1, freeCallCredits: 1 };
  const order = { account, callId, tool, ...price, now, idempotency: kept };
  return { ...order, keySha256: keySha256(account, key) };
}

/** The next time at which a grant expires or is to be told of, or an idempotency key is free again. */
function nextBoundary({ model, now }: Run): number {
  const ends = model.accounts.flatMap(({ grants, calls }) => [
    ...grants.map(({ expiresAt }) => expiresAt ?? 0),
    ...grants.map(({ lookAt }) => lookAt ?? 0),
    ...calls.map(({ order }) => (order.idempotency === null ? 0 : order.now + DAY)),
  ]);
  return Math.min(...ends.filter((end) => end > now), now + DAY);
}

async function compareBalances({ ledger, model, now }: Run): Promise<void> {
  for (const account of ACCOUNTS) {
    const { balance, lifetime, grants } = await ledger.credits({ account, now });
    assert.equal(balance, model.balance(account, now));
    assert.equal(lifetime, model.state(account)?.lifetime ?? false);
    const spendable = model.spendable(account, now);
    const listed = grants.map(({ id, remaining }) => [id, remaining]);
    assert.deepEqual(listed.slice(0, spendable.length), spendable);
  }
}

async function compareStates({ ledger, model, now }: Run): Promise<void> {
  for (const account of ACCOUNTS) {
    const found = await ledger.findAccount({ account, now });
    const { grants } = await ledger.credits({ account, now });
    const ends = grants.map(
      ({ id, expiresAt, waivedExpiresAt }) => `${id} ${expiresAt} ${waivedExpiresAt}`,
    );
    const { lifetime, lowBalance } = found ?? {};
    const state = found === null ? null : { lifetime, lowBalance, ends: ends.sort() };
    assert.deepEqual(state, model.state(account));
  }
}

async function compareAll(run: Run): Promise<void> {
  const { ledger, model, now } = run;
  await compareEntries(run, 1000);
  const { expired, voided, ...books } = (await assertBooks(ledger, now)).books;
  assert.deepEqual({ ...books, lost: expired + voided }, model.books(now));
  const nameOf = (row: { hour: number; account: string; key: string; tool: string }) =>
    `${row.hour} ${row.account} ${row.key} ${row.tool}`;
  const expected = model.usage().sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  assert.deepEqual(await sortedUsage(ledger), expected);
}

/** Pages of any size give the same list, and the list is of what the model has seen, folded or not. */
async function compareEntries({ ledger, model, now }: Run, max: number): Promise<void> {
  for (const account of ACCOUNTS) {
    const entries = await allEntries(ledger, account, now, max);
    assert.deepEqual(linesOf(entries), model.entries(account, now));
    if (max < 1000) assert.deepEqual(entries, await allEntries(ledger, account, now));
  }
}

/** As the model says it: calls one by one, in the hour in which they were made. */
function linesOf(entries: Entry[]): string[] {
  const reversals = entries.filter(({ kind }) => kind === "reversal");
  const reversed = new Set(reversals.map(({ id }) => id.replace(/^reversal:\d+/, "debit")));
  return entries
    .flatMap(({ id, at, kind, credits, grant, tool, key, calls }) => {
      const of = `${tool} ${key}`;
      const from = grant?.id ?? null;
      if (kind === "reversal") return [`reversal ${at} ${of} ${credits} ${from}`];
      if (kind === "debit" && reversed.has(id)) return [`reversed ${at} ${of} ${-credits} ${from}`];
      if (calls === null) return [`${kind} ${at} ${from} ${credits}`];
      const paid = (call: number) => (call < -credits ? 1 : 0);
      return Array.from({ length: calls }, (_, call) => `call ${hourOf(at)} ${of} ${paid(call)}`);
    })
    .sort();
}
