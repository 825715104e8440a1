/**
 * Runs what takes minutes or hours by nature: kills, failover, faults of disks and networks, years of sales, millions of random
 * operations and requests. Before a release:
 *
 *     npm run test:chaos -- [part of a name …] [--minutes 60] [--fresh]
 *
 * A scenario runs in slices, each with a seed of its own and a bound on its time. What has passed on this commit is kept in
 * `data/chaos/results.json` and not run again, so a run can be stopped and continued (`--minutes` stops it after a slice; `--fresh` forgets).
 * When every slice has passed, the table in `docs/reliability.md` is written anew. A failure keeps its output beside the results.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { SCENARIOS, type Scenario } from "./chaos-scenarios.ts";

const ROOT = path.join(import.meta.dirname, "..");
const FOLDER = path.join(ROOT, "data/chaos");
const RESULTS = path.join(FOLDER, "results.json");
const PAGE = path.join(ROOT, "docs/reliability.md");

/** By scenario and slice. */
type Results = { commit: string; seed: number; slices: Record<string, Slice> };
type Slice = { passed: boolean; tests: number; seconds: number };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: "string" }, fresh: { type: "boolean" } },
});
const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
const commit = git("rev-parse", "--short=10", "HEAD");
const results = readResults();
const chosen = SCENARIOS.filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
const stopAt = Date.now() + Number(values.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
let failures = 0;
mkdirSync(FOLDER, { recursive: true });
for (const scenario of chosen) {
  for (let slice = 0; slice < scenario.slices && Date.now() < stopAt; slice += 1) {
    const key = keyOf(scenario, slice);
    if (results.slices[key]?.passed === true) continue;
    const result = await runSlice(scenario, slice);
    results.slices[key] = result;
    writeFileSync(RESULTS, JSON.stringify(results, null, 1));
    if (!result.passed) failures += 1;
    process.stdout.write(`${lineOf(key, result)}\n`);
  }
}
const open = SCENARIOS.flatMap((scenario) =>
  Array.from({ length: scenario.slices }, (_, slice) => keyOf(scenario, slice)),
).filter((key) => results.slices[key]?.passed !== true);
if (open.length === 0) writePage();
else
  process.stdout.write(`${open.length} slices are left or failed; run this again to continue.\n`);
process.exitCode = failures === 0 ? 0 : 1;

function keyOf({ name, slices }: Scenario, slice: number): string {
  return slices === 1 ? name : `${name} ${slice + 1}/${slices}`;
}

function lineOf(key: string, { passed, tests, seconds }: Slice): string {
  return `${passed ? "✔" : "✖"} ${key}: ${tests} tests in ${Math.round(seconds)} s`;
}

/** Results of another commit say nothing about this one. */
function readResults(): Results {
  const none = { commit, seed: Date.now() % 1_000_000, slices: {} };
  if (values.fresh === true) return none;
  try {
    const read = JSON.parse(readFileSync(RESULTS, "utf8")) as Results;
    return read.commit === commit ? read : none;
  } catch {
    return none;
  }
}

async function runSlice(scenario: Scenario, slice: number): Promise<Slice> {
  const began = performance.now();
  const log = path.join(FOLDER, `${keyOf(scenario, slice).replaceAll(/\W+/g, "-")}.log`);
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--test-reporter=spec", scenario.file],
    {
      cwd: ROOT,
      env: { ...process.env, TEST_SEED: String(results.seed + slice), ...scenario.env },
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
  const bound = setTimeout(end, scenario.minutes * 60_000);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(bound);
  file.end();
  const tests = Number(/^ℹ tests (\d+)$/m.exec(text)?.[1] ?? 0);
  const seconds = (performance.now() - began) / 1_000;
  const passed = code === 0 && tests > 0;
  if (!passed) process.stdout.write(`${text}\nThe whole output: ${path.relative(ROOT, log)}\n`);
  return { passed, tests, seconds };
}

const sentence = (name: string) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;

/** Writes the table between its marks in `docs/reliability.md`. */
function writePage(): void {
  const rows = SCENARIOS.map((scenario) => {
    const slices = Array.from(
      { length: scenario.slices },
      (_, slice) => results.slices[keyOf(scenario, slice)] as Slice,
    );
    const sum = (of: "tests" | "seconds") => slices.reduce((total, each) => total + each[of], 0);
    return `| ${sentence(scenario.name)} | ${scenario.slices} | ${sum("tests")} | ${Math.ceil(sum("seconds") / 60)} min |`;
  });
  const table = [
    `Last run on ${new Date().toISOString().slice(0, 10)}, commit \`${commit}\`, seed ${results.seed}. Everything passed.`,
    "",
    "| What | Rounds | Checks | Time |",
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
  const [start, end] = ["<!-- chaos -->", "<!-- /chaos -->"];
  const page = readFileSync(PAGE, "utf8");
  const [before, rest = ""] = page.split(start);
  const after = rest.slice(rest.indexOf(end));
  writeFileSync(PAGE, `${before}${start}\n${table}\n${after}`);
  process.stdout.write(`All of it passed: ${path.relative(ROOT, PAGE)} is written.\n`);
}
