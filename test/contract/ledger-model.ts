/**
 * Random operations on a store and on the naive model of the rules (`test/ledger/rules/model.ts`), which must agree on every
 * outcome, and on all that can be read afterwards. `TEST_MODEL_RUNS` sets the number of runs, and `TEST_SEED` the first.
 */
import { describe, type TestContext, test } from "node:test";
import { ALL_SIZES, type Sizes, SMALL_SIZES } from "../ledger/rules/sizes.ts";
import fc from "../support/properties.ts";
import {
  compareAll,
  compareCredits,
  compareEntries,
  compareStates,
  ENTRIES_MAX,
} from "./ledger/compare-with-model.ts";
import { maintainFully, type OpenLedger } from "./ledger/fixture.ts";
import {
  deleteEvents,
  type Run,
  runStep,
  type StoreStep,
  startRun,
  storeSteps,
} from "./ledger-run.ts";

const { TEST_MODEL_RUNS = "12" } = process.env;
const STEPS_MAX = 80;

export function ledgerModel(
  name: string,
  open: OpenLedger,
  { runs = Number(TEST_MODEL_RUNS) }: { runs?: number } = {},
): void {
  describe(`the ledger, ${name}`, () => {
    test(`agrees with the model of the rules in ${runs} runs of random operations`, async (t) => {
      const sizes = fc.constantFrom(SMALL_SIZES, SMALL_SIZES, ALL_SIZES);
      const property = fc.asyncProperty(storeSteps(STEPS_MAX), sizes, (steps, chosen) =>
        runSteps(t, open, steps, chosen),
      );
      await fc.assert(property, { numRuns: runs });
    });
  });
}

async function runSteps(
  t: TestContext,
  open: OpenLedger,
  steps: StoreStep[],
  sizes: Sizes,
): Promise<void> {
  const run = await startRun(await open(t), sizes);
  try {
    for (const step of steps) {
      await runStep(run, step);
      await compareCredits(run);
    }
    await compareAtEnd(run);
  } catch (error) {
    throw new Error(run.log.join("\n"), { cause: error });
  }
}

async function compareAtEnd(run: Run): Promise<void> {
  await deleteEvents(run, ENTRIES_MAX);
  await compareStates(run);
  await compareAll(run);
  await compareEntries(run, 3);
  const everything = { now: run.latest, rollUpBefore: run.latest + 1, rowsMax: 7 };
  await maintainFully(run.ledger, everything, () => compareAll(run));
  await compareEntries(run, 4);
}
