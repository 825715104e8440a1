/**
 * Runs what takes minutes or hours by nature: kills, failover, faults of disks and networks, years of sales, millions of random
 * operations and requests. Before a release:
 *
 *     npm run test:chaos -- [part of a name …] [--minutes 60] [--fresh]
 *
 * A scenario runs in slices, each with a seed of its own and a bound on its time, and every scenario has its first slice before one has
 * its second, so that a run that is stopped has tried all of them, if not in full. What has passed is kept in `chaos-results.json`, under
 * version control, with its date, seed and commit, and not run again: a run can be stopped and continued, on this machine or another
 * (`--minutes` stops it after a slice), and a release begins with `--fresh`, which forgets what it runs. A slice that failed keeps its
 * seed. After each slice the table in `docs/reliability.md` is written anew. A failure keeps its output in `data/chaos`.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { SCENARIOS, type Scenario } from "./chaos-scenarios.ts";
import { inputsOf } from "./support/test-report.ts";

const ROOT = path.join(import.meta.dirname, "..");
const FOLDER = path.join(ROOT, "data/chaos");
const RESULTS = path.join(import.meta.dirname, "chaos-results.json");
const PAGE = path.join(ROOT, "docs/reliability.md");

/** By scenario and slice (`keyOf`). */
type Results = Record<string, Slice>;
type Slice = {
  passed: boolean;
  tests: number;
  seconds: number;
  seed: number;
  commit: string;
  date: string;
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: "string" }, fresh: { type: "boolean" } },
});
const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
const commit = git("rev-parse", "--short=10", "HEAD");
const firstSeed = Date.now() % 1_000_000;
const chosen = SCENARIOS.filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
const minutes = Number(values.minutes ?? Number.POSITIVE_INFINITY);
if (chosen.length === 0 || Number.isNaN(minutes)) {
  const fault = Number.isNaN(minutes) ? "--minutes takes a number" : "No scenario has this name";
  process.stderr.write(`${fault}. Scenarios:\n${SCENARIOS.map(({ name }) => name).join("\n")}\n`);
  process.exit(2);
}
const results = readResults();
const stopAt = Date.now() + minutes * 60_000;
let failures = 0;
mkdirSync(FOLDER, { recursive: true });
// Also where nothing is left to run: results may come from several machines.
writePage();
const most = Math.max(0, ...chosen.map(({ slices }) => slices));
for (let slice = 0; slice < most; slice += 1) {
  for (const scenario of chosen) {
    if (slice >= scenario.slices || Date.now() >= stopAt) continue;
    const key = keyOf(scenario, slice);
    if (results[key]?.passed === true) continue;
    const result = await runSlice(scenario, slice);
    results[key] = result;
    writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
    writePage();
    if (!result.passed) failures += 1;
    process.stdout.write(`${lineOf(key, result)}\n`);
  }
}
process.stdout.write(`${summary()}\n`);
process.exitCode = failures === 0 ? 0 : 1;

function keyOf({ name, slices }: Scenario, slice: number): string {
  return slices === 1 ? name : `${name} ${slice + 1}/${slices}`;
}

function keysOf(scenario: Scenario): string[] {
  return Array.from({ length: scenario.slices }, (_, slice) => keyOf(scenario, slice));
}

function lineOf(key: string, { passed, tests, seconds }: Slice): string {
  return `${passed ? "✔" : "✖"} ${key}: ${tests} tests in ${Math.round(seconds)} s`;
}

/** Without the slices of scenarios that are no more, and with `--fresh` of those that are chosen. */
function readResults(): Results {
  if (!existsSync(RESULTS)) return {};
  const read = JSON.parse(readFileSync(RESULTS, "utf8")) as Results;
  const kept = SCENARIOS.filter((each) => values.fresh !== true || !chosen.includes(each));
  const keys = new Set(kept.flatMap(keysOf));
  return Object.fromEntries(Object.entries(read).filter(([key]) => keys.has(key)));
}

async function runSlice(scenario: Scenario, slice: number): Promise<Slice> {
  const began = performance.now();
  const failed = results[keyOf(scenario, slice)];
  const seed = failed?.seed ?? firstSeed + slice;
  const log = path.join(FOLDER, `${keyOf(scenario, slice).replaceAll(/\W+/g, "-")}.log`);
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--test-reporter=spec", ...argumentsOf(scenario)],
    {
      cwd: ROOT,
      env: { ...process.env, TEST_SEED: String(seed), ...scenario.env },
      stdio: ["ignore", "pipe", "pipe"],
      // So that an end by force reaches the servers that the test started.
      detached: true,
    },
  );
  let text = "";
  const file = createWriteStream(log);
  for (const output of [child.stdout, child.stderr])
    output.setEncoding("utf8").on("data", (part: string) => {
      file.write(part);
      text = `${text}${part}`.slice(-10_000);
    });
  const end = () => child.pid !== undefined && process.kill(-child.pid, "SIGKILL");
  const stop = () => {
    end();
    process.exit(130);
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.on(signal, stop);
  const bound = setTimeout(end, scenario.minutes * 60_000);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(bound);
  for (const signal of signals) process.off(signal, stop);
  file.end();
  const tests = Number(/^ℹ tests (\d+)$/m.exec(text)?.[1] ?? 0);
  const seconds = (performance.now() - began) / 1_000;
  const passed = code === 0 && tests > 0;
  if (!passed) {
    const repeat = `${inputsOf({ ...process.env, TEST_SEED: String(seed), ...scenario.env })} node --test ${argumentsOf(scenario, "'").join(" ")}`;
    process.stdout.write(
      `${text}\nThe whole output: ${path.relative(ROOT, log)}\nRepeat it: ${repeat}\n`,
    );
  }
  const date = new Date().toISOString().slice(0, 10);
  return { passed, tests, seconds: Math.round(seconds), seed, commit, date };
}

/** Of Node's test runner; with a quotation mark, for a shell. */
function argumentsOf({ only, file }: Scenario, mark = ""): string[] {
  return [...(only === undefined ? [] : [`--test-name-pattern=${mark}${only}${mark}`]), file];
}

function sentence(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

function summary(): string {
  const keys = SCENARIOS.flatMap(keysOf);
  const passed = keys.filter((key) => results[key]?.passed === true).length;
  const failed = keys.filter((key) => results[key]?.passed === false).length;
  const [oldest] = keys.flatMap((key) => results[key]?.date ?? []).sort();
  const since = oldest === undefined ? "" : ` The first of them was on ${oldest}.`;
  if (passed === keys.length) return `All ${keys.length} rounds passed.${since}`;
  return `${passed} of ${keys.length} rounds have passed, ${failed} failed, and ${keys.length - passed - failed} have not been run.${since}`;
}

/** Writes the table between its marks in `docs/reliability.md`. */
function writePage(): void {
  const rows = SCENARIOS.map((scenario) => {
    const slices = keysOf(scenario)
      .map((key) => results[key])
      .filter((each) => each?.passed === true) as Slice[];
    const sum = (of: "tests" | "seconds") => slices.reduce((total, each) => total + each[of], 0);
    const last = slices.toSorted((a, b) => a.date.localeCompare(b.date)).at(-1);
    const cells = [
      sentence(scenario.name),
      `${slices.length} of ${scenario.slices}`,
      sum("tests"),
      `${Math.ceil(sum("seconds") / 60)} min`,
      last === undefined ? "–" : `${last.date}, \`${last.commit}\`, ${last.seed}`,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const table = [
    summary(),
    "",
    "| What | Rounds passed | Tests | Time | Last round: date, commit, seed |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
  const [start, end] = ["<!-- chaos -->", "<!-- /chaos -->"];
  const page = readFileSync(PAGE, "utf8");
  const [before, rest = ""] = page.split(start);
  const after = rest.slice(rest.indexOf(end));
  writeFileSync(PAGE, `${before}${start}\n${table}\n${after}`);
}
