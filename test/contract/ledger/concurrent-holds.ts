import assert from "node:assert/strict";
import type { HoldOrder, HoldOutcome, KeyLimits } from "#ledger/port.ts";
import { type Chance, createChance } from "../../ledger/rules/chance.ts";
import { SEED } from "../../support/random.ts";
import { type Asked, Spending } from "../../support/spending.ts";
import { createRule, type Fixture, keySha256, type OpenLedger, START } from "./fixture.ts";
import { holding, LEASE } from "./holds.ts";

/** Many calls at once, of random prices and ends, on accounts, keys and idempotency keys that they share. */
const ROUNDS = Number(process.env["TEST_HOLD_ROUNDS"] ?? 1);
const CALLS = 1_000;
const CALLS_AT_ONCE = Number(process.env["TEST_HOLDS_AT_ONCE"] ?? 200);

export function describeConcurrentHolds(open: OpenLedger) {
  const test = createRule(open);

  test(`in ${ROUNDS} rounds of 1,000 calls, none runs without a hold or twice under a key, and nothing is overspent, wrongly refused or lost (TEST_SEED=${SEED})`, async (fixture) => {
    const chance = createChance(SEED);
    for (let round = 0; round < ROUNDS; round += 1) await runRound(fixture, chance, round);
  });
}

type Customer = {
  account: string;
  credits: number;
  budget: number;
  /** Of the account, and of its key with a budget. */
  spending: Spending;
  ofKey: Spending;
  charged: number;
  chargedToKey: number;
  /** By idempotency key. */
  runs: Map<string, Runs>;
  crashed: HoldOrder[];
};
/** The runs under an idempotency key. `released`: how many of them have given it back. */
type Runs = { runs: number; released: number; paid: HoldOrder | null };

async function runRound(fixture: Fixture, chance: Chance, round: number): Promise<void> {
  // Names are padded with zeros.
  const customers = [
    await openCustomer(fixture, chance, `Ada${round}x`),
    await openCustomer(fixture, chance, `Bob${round}x`),
  ];
  for (let made = 0; made < CALLS; made += CALLS_AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(CALLS_AT_ONCE, CALLS - made) }, () =>
        call(fixture, chance, chance.pick(customers)),
      ),
    );
  for (const customer of customers) {
    const waiting = customer.crashed.reduce((sum, order) => sum + order.credits, 0);
    await assertState(fixture, customer, waiting);
  }
  for (const { account } of customers)
    for (const now of [START + LEASE, START + 3 * LEASE])
      for (let isMore = true; isMore; )
        ({ isMore } = await fixture.ledger.expireHolds({ account, now, max: 100 }));
  for (const customer of customers) {
    await assertState(fixture, customer, 0);
    await assertAccounted(fixture, customer);
  }
}

async function assertState(fixture: Fixture, customer: Customer, held: number): Promise<void> {
  const { account, credits, charged } = customer;
  const state = await holding(fixture).state(account);
  assert.deepEqual(state, { balance: credits - charged - held, held });
}

async function openCustomer(fixture: Fixture, chance: Chance, name: string): Promise<Customer> {
  const credits = 200 + chance.below(6_000);
  const budget = 50 + chance.below(1_500);
  const account = await fixture.account(name, { credits });
  const limits: KeyLimits = {
    ...{ expiresAt: null, tools: null, networks: null, rate: null },
    budgets: { total: budget, month: null, day: null },
  };
  await fixture.createKey(account, "bounded", START, limits);
  return {
    ...{ account, credits, budget, charged: 0, chargedToKey: 0, crashed: [] },
    ...{ spending: new Spending(credits), ofKey: new Spending(budget), runs: new Map() },
  };
}

const IDEMPOTENCY_KEYS = 60;
const isAct = (name: string) => Number(name.slice("key-".length)) % 2 === 0;
const responseOf = ({ callId }: HoldOrder) => `the response of ${callId}`;

/** A call: it is held, and then settled in full or in part, released, or left by a node that has died. */
async function call(fixture: Fixture, chance: Chance, customer: Customer): Promise<void> {
  const { orderOf, settle, release } = holding(fixture);
  const isBounded = chance.percent(33);
  const name = chance.percent(25) ? `key-${chance.below(IDEMPOTENCY_KEYS)}` : null;
  const mayAct = name !== null && isAct(name);
  const order = orderOf(customer.account, {
    keySha256: keySha256(customer.account, isBounded ? "bounded" : "main"),
    credits: 1 + chance.below(23),
    onCrash: mayAct ? "unknown" : "release",
    ...(name !== null && { once: [name], keptBytesMax: 1_000_000 }),
  });
  const end = chance.pick(["settle", "settle", "settle", "less", "release", "crash"] as const);
  const asked = customer.spending.ask(order.credits);
  const askedOfKey = isBounded ? customer.ofKey.ask(order.credits) : null;
  const outcome = await fixture.ledger.hold(order);
  if (outcome.outcome !== "held") {
    assertRefused(outcome, customer, asked, askedOfKey, name);
    return ended(0);
  }

  assert.equal(outcome.credits, order.credits);
  const runs = runsOf(customer, name ?? order.callId);
  runs.runs += 1;
  if (end === "crash") return void customer.crashed.push(order);
  if (end === "release") {
    assert.deepEqual(await release(order, mayAct ? "unknown" : "free"), { released: true });
    if (!mayAct) runs.released += 1;
    return ended(0);
  }
  const credits = end === "less" ? chance.below(order.credits) : order.credits;
  const settled = await settle(order, { credits, response: responseOf(order) });
  assert.equal(settled.outcome, "settled");
  runs.paid = order;
  return ended(credits);

  function ended(charged: number): void {
    customer.charged += charged;
    customer.spending.end(asked, charged);
    if (askedOfKey === null) return;
    customer.chargedToKey += charged;
    customer.ofKey.end(askedOfKey, charged);
  }
}

function runsOf({ runs }: Customer, name: string): Runs {
  const known = runs.get(name) ?? { runs: 0, released: 0, paid: null };
  runs.set(name, known);
  return known;
}

function assertRefused(
  outcome: HoldOutcome,
  { spending, ofKey }: Customer,
  asked: Asked,
  askedOfKey: Asked | null,
  name: string | null,
): void {
  const { outcome: what } = outcome;
  if (what === "insufficient_credits")
    assert.ok(!spending.covered(asked), "the balance had covered the call");
  else if (what === "key_budget_exhausted")
    assert.ok(askedOfKey !== null && !ofKey.covered(askedOfKey), "the budget had covered the call");
  else {
    assert.ok(["kept", "in_progress", "outcome_unknown"].includes(what), what);
    assert.notEqual(name, null);
  }
}

async function assertAccounted(fixture: Fixture, customer: Customer): Promise<void> {
  const { ledger } = fixture;
  const { account, budget, chargedToKey, runs } = customer;
  const keys = await ledger.listKeys({ account });
  const spent = keys.find(({ label }) => label === "bounded")?.spent?.total ?? 0;
  assert.equal(spent, chargedToKey);
  assert.ok(spent <= budget);

  const { orderOf } = holding(fixture);
  for (const [name, { runs: count, released, paid }] of runs) {
    assert.ok(count <= 1 + released, `${name} ran ${count} times after ${released} releases`);
    if (paid === null || !name.startsWith("key-")) continue;
    const outcome = await ledger.hold(orderOf(account, { once: [name] }));
    assert.ok(outcome.outcome === "kept" && outcome.response === responseOf(paid), name);
  }
}
