/**
 * The random operations of `test/ledger/rules/` on a store: prices from 0 to 1,000,000, clawbacks of any version, clocks that
 * go back. What the rules say alone, a store must say too, however it loads and saves.
 */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Ledger } from "#ledger/port.ts";
import type { RuleName } from "#ledger/rules/rules.ts";
import { createChance } from "../ledger/rules/chance.ts";
import { createModel, type Model } from "../ledger/rules/model.ts";
import { balanceOf, type ModelAccount, remainingOf } from "../ledger/rules/model-account.ts";
import { Rejected } from "../ledger/rules/model-rejected.ts";
import {
  ADA,
  BOB,
  clockOf,
  type Operation,
  operationOf,
  type Scene,
  START,
  type Step,
  stepsOf,
} from "../ledger/rules/steps.ts";
import { assertBooks, type OpenLedger, throughJson } from "./ledger/scene.ts";

const { TEST_MODEL_RUNS = "50", TEST_RULE_SEED = `${Date.now() % 2 ** 31}` } = process.env;
const STEPS_PER_RUN = 60;

export function ledgerPricesModel(name: string, open: OpenLedger): void {
  describe(`the ledger, ${name}`, () => {
    const runs = Math.min(1000, Number(TEST_MODEL_RUNS));
    test(`agrees with the model of the rules in ${runs} runs (TEST_RULE_SEED=${TEST_RULE_SEED})`, async (t) => {
      const seeds = createChance(Number(TEST_RULE_SEED));
      for (let run = 0; run < runs; run += 1)
        await runSteps(t, open, stepsOf(seeds.seed(), STEPS_PER_RUN));
    });
  });
}

async function runSteps(t: TestContext, open: OpenLedger, steps: Step[]): Promise<void> {
  const ledger = throughJson((await open(t)).ledger);
  const scene: Scene = { model: createModel(), now: START, debits: [] };
  const log: string[] = [];
  for (const account of [ADA, BOB]) {
    await execute(ledger, scene, log, {
      name: "openAccount",
      order: { account, freeCall: account === ADA ? "open" : "withheld", now: START },
    });
    const names = { id: `${account}-k0`, sha256: `sha256 of ${account}-k0`, start: "tb_" };
    const order = { account, ...names, label: "first", now: START };
    await execute(ledger, scene, log, { name: "createKey", order });
  }
  for (const { kind, seed } of steps) {
    const chance = createChance(seed);
    if (kind === "clock") scene.now = clockOf(chance, scene);
    else if (kind !== "forgetBalance" && kind !== "recordDue")
      await execute(ledger, scene, log, operationOf(kind, chance, scene));
  }
  await compareCredits(ledger, scene, log);
  await assertBooks(ledger, scene.now);
}

async function execute(
  ledger: Ledger,
  { model }: Scene,
  log: string[],
  { name, order }: Operation,
): Promise<void> {
  log.push(`${name} ${JSON.stringify(order)}`);
  const expected = expectedOf(model, name, order);
  const operation = ledger[name as Exclude<RuleName, "recordDue">];
  const actual = await operation(order as never).catch((error: Error) => {
    if (error.constructor.name === "OrderRefused") return "rejected";
    throw error;
  });
  assert.deepEqual(actual, expected, log.join("\n"));
}

function expectedOf(model: Model, name: RuleName, order: Operation["order"]): unknown {
  try {
    return JSON.parse(JSON.stringify(model.operations[name](order as never)));
  } catch (error) {
    if (error instanceof Rejected) return "rejected";
    throw error;
  }
}

async function compareCredits(ledger: Ledger, { model, now }: Scene, log: string[]) {
  for (const account of [ADA, BOB]) {
    const modelled = model.find(account) as ModelAccount;
    const { balance, grants } = await ledger.credits({ account, now });
    assert.equal(balance, balanceOf(modelled, now), log.join("\n"));
    const remaining = (held: { id: string; remaining: number }[]) =>
      held.map(({ id, remaining: left }) => `${id}: ${left}`).sort();
    const expected = modelled.grants.map((grant) => ({
      id: grant.id,
      remaining: remainingOf(grant),
    }));
    assert.deepEqual(remaining(grants), remaining(expected), log.join("\n"));
  }
}
