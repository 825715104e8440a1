import assert from "node:assert/strict";
import { test } from "node:test";
import { RULES } from "#ledger/rules/rules.ts";
import { describeFailure, runUntilFailure, shorten } from "./run.ts";

/** How many random operations; `npm run test:deep` runs more. */
const { TEST_RULE_OPERATIONS = "100000", TEST_RULE_SEED = `${Date.now() % 2 ** 31}` } = process.env;

test(`the rules agree with a naive model in ${TEST_RULE_OPERATIONS} random operations`, (t) => {
  const startedAt = performance.now();
  const seed = Number(TEST_RULE_SEED);
  const { operations, runs, failure } = runUntilFailure(RULES, seed, Number(TEST_RULE_OPERATIONS));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  t.diagnostic(`TEST_RULE_SEED=${seed}: ${operations} operations in ${runs} runs, ${seconds} s`);
  if (failure !== null) assert.fail(describeFailure(shorten(RULES, failure)));
});
