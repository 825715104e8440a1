import assert from "node:assert/strict";
import { test } from "node:test";
import { RULES } from "#ledger/rules/rules.ts";
import { SEED } from "../../support/random.ts";
import { describeFailure, runUntilFailure, shorten } from "./run.ts";

/** What a sample must reach, one in 10,000 operations each. */
const OUTCOMES = [
  ...["debit debited", "debit insufficient_credits", "debit invalid_key"],
  ...["debit account_suspended", "debit replayed", "debit idempotency_key_reused"],
  ...["debit of several grants", "debit of ten or more grants"],
  ...["reverse of several grants"],
  ...["debit rejected", "reverse reversed true", "reverse reversed false"],
  ...["grant granted", "grant already_granted", "grant no_account", "grant rejected"],
  ...["clawback clawed_back", "clawback stale", "clawback no_grant", "clawback rejected"],
  ...["recordDue recorded true", "recordDue recorded false"],
  ...["keyStatus good", "keyStatus invalid_key", "keyStatus account_suspended"],
  ...["debit key_expired", "debit key_not_allowed", "debit key_budget_exhausted"],
  ...["keyStatus key_expired", "keyStatus key_not_allowed"],
  ...["changeKey found true", "changeKey found false"],
  ...["rotateKey rotated", "rotateKey not_found", "rotateKey taken", "rotateKey rejected"],
  ...["hold held", "hold kept", "hold in_progress", "hold outcome_unknown", "hold too_much_kept"],
  ...["hold insufficient_credits", "hold idempotency_key_reused", "hold rejected"],
  ...["settle settled", "settle superseded", "settle insufficient_credits", "settle rejected"],
  ...["release released true", "renew renewed true", "lapse ended true", "lapse ended false"],
  ...["createKey created", "createKey no_account", "createKey taken", "revokeKey found true"],
  ...["changeAccount found true", "changeAccount found false", "changeAccount rejected"],
];

/** How many random operations; `npm run test:chaos` runs a million. */
const { TEST_RULE_OPERATIONS = "50000" } = process.env;

test(`the rules agree with a naive model in ${TEST_RULE_OPERATIONS} random operations`, (t) => {
  const most = Number(TEST_RULE_OPERATIONS);
  const { operations, runs, counts, failure } = runUntilFailure(RULES, SEED, most);
  t.diagnostic(`TEST_SEED=${SEED}: ${operations} operations in ${runs} runs`);
  if (failure !== null) assert.fail(describeFailure(shorten(RULES, failure)));
  // The rarest of them occurs ten times in 50,000 operations on average.
  const least = Math.floor(operations / 50_000);
  for (const outcome of OUTCOMES)
    assert.ok((counts.get(outcome) ?? 0) >= least, `${outcome} is too rare`);
});
