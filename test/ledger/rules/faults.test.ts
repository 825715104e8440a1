import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createChance } from "./chance.ts";
import type { Rules } from "./row-store.ts";
import { runUntilFailure } from "./run.ts";

/** A fault that somebody could make: one place in one file of `src`, and what stands there instead. The model has to find each. */
type RuleFault = { what: string; file: string; find: string; replace: string };
const FAULTS = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "faults.json"), "utf8"),
) as readonly RuleFault[];

/** How many faults are tried; `npm run test:deep` tries all. */
const { TEST_RULE_FAULTS = "5", TEST_RULE_SEED = `${Date.now() % 2 ** 31}` } = process.env;
/** A fault that is found at all is found within some thousands of operations. */
const OPERATIONS_MAX = 150_000;
/** The same in each run, so that a fault is found today where it was found yesterday. */
const RUN_SEED = 1;

const SRC = path.join(import.meta.dirname, "../../../src");
/** The rules, and all that they import. */
const COPIED = [
  "limits.ts",
  "ledger/key-limits.ts",
  "ledger/model.ts",
  "networks.ts",
  "ledger/outcome-errors.ts",
  "ledger/port.ts",
  "ledger/events.ts",
  "ledger/rules",
];

const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-rules-"));
after(() => rmSync(folder, { recursive: true }));

test("every fault can still be made: its text stands in its file once", () => {
  for (const { file, find, replace, what } of FAULTS) {
    assert.equal(textOf(file).split(find).length, 2, `${what}: ${find}`);
    assert.notEqual(find, replace);
  }
  assert.ok(FAULTS.length >= 20);
});

const faults = chosenFaults();

describe(`of ${FAULTS.length} faults in the rules, ${faults.length} (TEST_RULE_SEED=${TEST_RULE_SEED}), the model finds`, () => {
  for (const [number, fault] of faults.entries())
    test(fault.what, async (t) => {
      const rules = await copyWith(fault, `${number}`);
      const { operations, failure } = runUntilFailure(rules, RUN_SEED, OPERATIONS_MAX);
      assert.ok(failure !== null, `not found in ${operations} operations: ${fault.file}`);
      t.diagnostic(`found after ${operations} operations`);
    });
});

function chosenFaults(): RuleFault[] {
  if (TEST_RULE_FAULTS === "all") return [...FAULTS];
  const chance = createChance(Number(TEST_RULE_SEED));
  const left = [...FAULTS];
  return Array.from({ length: Number(TEST_RULE_FAULTS) }, () =>
    left.splice(chance.below(left.length), 1),
  ).flat();
}

function textOf(file: string): string {
  return readFileSync(path.join(SRC, file), "utf8");
}

/** The rules with the fault, loaded from a copy in a folder of its own. */
async function copyWith({ file, find, replace }: RuleFault, name: string): Promise<Rules> {
  const root = path.join(folder, name);
  mkdirSync(root);
  writeFileSync(
    path.join(root, "package.json"),
    JSON.stringify({ type: "module", imports: { "#*": "./src/*" } }),
  );
  for (const each of COPIED)
    cpSync(path.join(SRC, each), path.join(root, "src", each), { recursive: true });
  const text = textOf(file).replace(find, () => replace);
  writeFileSync(path.join(root, "src", file), text);
  const url = pathToFileURL(path.join(root, "src/ledger/rules/rules.ts"));
  return (await import(url.href)).RULES;
}
