import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Rules } from "./row-store.ts";
import { isFoundIn, runUntilFailure } from "./run.ts";

/**
 * A fault that somebody could make: one place in one file of `src`, and what stands there instead. The model has to find each. `run` is
 * a run of random operations that has shown it, so that not all runs before it are made each time.
 */
type RuleFault = { what: string; file: string; find: string; replace: string; run?: number };
const FAULTS = readFaults(path.join(import.meta.dirname, "faults.txt"));

/** After the name of a file come its faults: what it is, `-` and the text, `+` and what stands there instead, `?` and the run. */
function readFaults(list: string): RuleFault[] {
  const faults: RuleFault[] = [];
  let [file, what, find] = ["", "", ""];
  for (const line of readFileSync(list, "utf8").trimEnd().split("\n")) {
    if (line.startsWith("# ")) file = line.slice(2);
    else if (line.startsWith("- ")) find = JSON.parse(line.slice(2));
    else if (line.startsWith("? "))
      Object.assign(faults.at(-1) ?? {}, { run: Number(line.slice(2)) });
    else if (!line.startsWith("+ ")) what = line;
    else faults.push({ what, file, find, replace: JSON.parse(line.slice(2)) });
  }
  return faults;
}

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
  ...readdirSync(path.join(SRC, "ledger/rules")).map((name) => `ledger/rules/${name}`),
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

describe("the model finds", () => {
  for (const [number, fault] of FAULTS.entries())
    test(fault.what, async (t) => {
      const rules = await copyWith(fault, `${number}`);
      if (fault.run !== undefined && isFoundIn(rules, fault.run)) return;
      const { operations, failure } = runUntilFailure(rules, RUN_SEED, OPERATIONS_MAX);
      assert.ok(failure !== null, `not found in ${operations} operations: ${fault.file}`);
      t.diagnostic(`found after ${operations} operations, in the run ${failure.seed}`);
    });
});

function textOf(file: string): string {
  return readFileSync(path.join(SRC, file), "utf8");
}

/** As JavaScript, which imports JavaScript. */
const plainOf = (text: string): string =>
  stripTypeScriptTypes(text).replaceAll(/(from "\..+)\.ts"/g, '$1.js"');

/** Stripping the types of every file for every fault would take most of the time. */
const PLAIN = new Map(COPIED.map((file) => [file, plainOf(textOf(file))]));

/** The rules with the fault, loaded from a copy in a folder of its own. */
async function copyWith({ file, find, replace }: RuleFault, name: string): Promise<Rules> {
  const root = path.join(folder, name);
  mkdirSync(path.join(root, "ledger/rules"), { recursive: true });
  const imports = { "#*.ts": "./*.js" };
  writeFileSync(path.join(root, "package.json"), JSON.stringify({ type: "module", imports }));
  const faulty = plainOf(textOf(file).replace(find, () => replace));
  for (const [each, plain] of PLAIN)
    writeFileSync(path.join(root, each.replace(".ts", ".js")), each === file ? faulty : plain);
  return (await import(pathToFileURL(path.join(root, "ledger/rules/rules.js")).href)).RULES;
}
