/**
 * Runs the tests:
 *
 *     node test/run.ts [all|fast|coverage] [part of a path …] [--only "title of a test"]
 *
 * `all` is `npm test`: every test file, and nothing is drawn. `fast` leaves out what reaches another process, a browser or a database
 * server. `coverage` is `fast` with a table of what ran. `node --test <file>` runs one file. What takes minutes by nature is `chaos.ts`.
 *
 * The fast files of a folder share a process, and so do the others of a folder. All processes share a PostgreSQL.
 */
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { startSharedPostgres } from "./support/postgres.ts";
import "./support/test-context.ts";
import { isFast, listTestFiles, reachedFrom } from "./support/test-lanes.ts";
import { reportTests, SERVERS_SUFFIX, unitName } from "./support/test-report.ts";

const ROOT = path.join(import.meta.dirname, "..");
const CACHE = path.join(ROOT, "node_modules/.cache");
/** Of this run alone: another one may choose other files. */
const groupFolder = path.join(CACHE, "toolbooth-tests", `.folders-${process.pid}`);
const DURATIONS = path.join(CACHE, "test-durations.json");

/** Smaller sizes of random inputs for the fast lane, as environment variables. What is set already wins. */
const FAST_SIZES: Record<string, string> = {
  TEST_MODEL_RUNS: "8",
  TEST_RULE_OPERATIONS: "10000",
  TEST_FUZZ_RUNS: "100",
  TEST_DIFF_RUNS: "500",
  TEST_SALES_RUNS: "2",
};

/**
 * About how many seconds the longest units take in a whole run, for a clone without figures of its own: units of one folder differ from
 * those of another by a factor of a hundred.
 */
const LONG_UNITS: Record<string, number> = {
  "test/apps/node (servers)": 270,
  "test/web (servers)": 190,
  "test/apps/cli (servers)": 170,
  "test/apps/node/dashboard (servers)": 140,
  "test/site (servers)": 120,
  "test/stores/postgres (servers)": 110,
  "test/apps/edge/site (servers)": 110,
  "test/http": 100,
  "test/stores/sqlite": 100,
  "test/stores/postgres/faults (servers)": 90,
  "test/http (servers)": 80,
  "test/apps/edge (servers)": 80,
  "test/stores/durable-object (servers)": 70,
  "test/tools/markdown-render": 65,
  "test/api/dashboard": 60,
  "test/apps/fleet (servers)": 60,
  "test/api (servers)": 55,
};
const OTHER_UNITS = 20;

/**
 * Comes before `node:test`, which takes what it has replaced. No test begins, and so no hook after the last one runs, before all files
 * of a module are loaded. A file that cannot be loaded is a failed test: the others run, and close what they have opened.
 */
const BEGIN = `await import(${JSON.stringify(path.join(ROOT, "test/support/test-context.ts"))});
const { before, test } = await import("node:test");
const { promise, resolve: loaded } = Promise.withResolvers();
before(() => promise);
const load = (name, url) => import(url).catch((error) => void test(name, () => { throw error; }));`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" } },
});
const [lane = "all", ...parts] = positionals;
if (!["all", "fast", "coverage"].includes(lane)) {
  process.stderr.write(`There is no lane ${lane}. Choose all, fast or coverage.\n`);
  process.exit(2);
}
const isOnlyFast = lane !== "all";
/** Random tests begin here, so that a failure can be repeated. */
process.env["TEST_SEED"] ??= String(Date.now() % 1_000_000);
process.env["NODE_COMPILE_CACHE"] ??= path.join(CACHE, "compiled");
if (isOnlyFast) for (const [name, value] of Object.entries(FAST_SIZES)) process.env[name] ??= value;

/** The path of a file that is shared by tests chooses the test files that reach it. */
const isNamed = (file: string): boolean =>
  parts.length === 0 || parts.some((part) => file.includes(part) || reachedFrom(file).has(part));
const chosen = listTestFiles().filter((file) => (!isOnlyFast || isFast(file)) && isNamed(file));
if (chosen.length === 0) {
  process.stderr.write(`No test file of the lane ${lane} has ${parts.join(" or ")} in its path.\n`);
  process.exit(2);
}
const reached = new Set(chosen.flatMap((file) => [...reachedFrom(file)]));
/** The server that all processes share, each test with a database of its own. */
const postgres = reached.has("test/support/postgres.ts") ? await startSharedPostgres() : null;
if (postgres !== null) process.env["TEST_SHARED_POSTGRES"] = String(postgres.port);
const durations = readDurations();

process.stdout.write(`TEST_SEED=${process.env["TEST_SEED"]}\n`);
// Not before what it takes has been replaced.
const { run } = await import("node:test");
const stream = run({
  cwd: ROOT,
  files: longestFirst(groupByFolder(chosen)),
  // Files wait for other processes some of the time. More of them at once take more CPU time altogether.
  concurrency: isOnlyFast ? availableParallelism() : availableParallelism() * 2,
  // Tests make much garbage: with more room for it, they take 4 % less CPU time.
  execArgv: ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=64"],
  coverage: lane === "coverage",
  ...(lane === "coverage" && { coverageIncludeGlobs: ["src/**"] }),
  ...(values.only !== undefined && { testNamePatterns: exactly(values.only) }),
});
const report = reportTests(stream, ROOT);
// Nobody reads the stream itself: its events are enough.
stream.resume();
await once(stream, "end");
rmSync(groupFolder, { recursive: true, force: true });
await postgres?.dispose();
report.finish();
saveDurations(report.durations);
process.exitCode = report.failures === 0 ? 0 : 1;
if (values.only !== undefined && report.ran === 0) {
  process.stderr.write(`No test of these files has the title ${values.only}.\n`);
  process.exitCode = 2;
}

/** Matches this title and no other. */
function exactly(title: string): RegExp {
  return new RegExp(`^${title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
}

/**
 * Modules that import the test files of a folder one after the other: one for the fast files, one for the others. The tests would spend
 * half of their time on loading the same packages and on starting the same servers; a folder in one process does so once.
 */
function groupByFolder(files: readonly string[]): string[] {
  const groups = Map.groupBy(
    files,
    (file) => `${path.dirname(file)}${isFast(file) ? "" : SERVERS_SUFFIX}`,
  );
  mkdirSync(groupFolder, { recursive: true });
  return [...groups].map(([name, members]) => {
    const module = path.join(groupFolder, `${name.replaceAll("/", "+")}.mjs`);
    const imports = members.map(
      (file) => `await load(${JSON.stringify(file)}, ${JSON.stringify(path.join(ROOT, file))});`,
    );
    writeFileSync(module, [BEGIN, ...imports, "loaded();\n"].join("\n"));
    return module;
  });
}

/** A long unit that starts last would keep one core busy alone. */
function longestFirst(files: readonly string[]): string[] {
  const guess = (file: string) => {
    const name = unitName(file, ROOT);
    return durations[name] ?? (LONG_UNITS[name] ?? OTHER_UNITS) * 1_000;
  };
  return [...files].sort((one, other) => guess(other) - guess(one));
}

function readDurations(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(DURATIONS, "utf8")) as Record<string, number>;
  } catch {
    return {};
  }
}

function saveDurations(measured: Record<string, number>): void {
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(DURATIONS, JSON.stringify({ ...durations, ...measured }, null, 1));
}
