/**
 * Runs the tests in one of these lanes, each test file in a process of its own, and the fast ones of a folder in one:
 *
 *     node test/run.ts [fast|all|deep|coverage] [part of a path …]
 *
 * `fast` has no other process, browser or database server. `all` is `npm test` and takes samples where the same sentence is shown
 * thousands of times; `deep` shows all of it. `coverage` is `fast` with a table of what ran. `node --test <file>` runs one file.
 */
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { run } from "node:test";
import { drawSample } from "./support/sample.ts";
import { isFast, listTestFiles } from "./support/test-lanes.ts";
import { reportTests, unitName } from "./support/test-report.ts";

const ROOT = path.join(import.meta.dirname, "..");
const CACHE = path.join(ROOT, "node_modules/.cache");
/** Of this run alone: another one may choose other files. */
const groupFolder = path.join(CACHE, "toolbooth-tests", `.folders-${process.pid}`);
const DURATIONS = path.join(CACHE, "test-durations.json");

/** The samples of a lane, as the environment variables that the tests read. What is set already wins. */
const SAMPLES: Record<string, Record<string, string>> = {
  fast: {
    TEST_MODEL_RUNS: "8",
    TEST_RULE_OPERATIONS: "10000",
    TEST_RULE_FAULTS: "2",
    TEST_FUZZ_RUNS: "100",
    TEST_DIFF_RUNS: "500",
    TEST_QR_TEXTS: "80",
    TEST_QR_RUNS: "1",
    TEST_SALES_RUNS: "2",
  },
  all: {},
  deep: {
    TEST_MODEL_RUNS: "5000",
    TEST_RULE_OPERATIONS: "1000000",
    TEST_RULE_FAULTS: "all",
    TEST_KILL_ROUNDS: "200",
    TEST_FUZZ_RUNS: "50000",
    TEST_DIFF_RUNS: "100000",
    TEST_MCP_CALLS: "10000",
    TEST_HOSTILE: "all",
    TEST_GENERATORS: "all",
    TEST_READMES: "all",
    TEST_QR_TEXTS: "520",
    TEST_QR_RUNS: "all",
    TEST_SCREENS: "all",
    TEST_EDGE: "all",
    TEST_FLEET: "all",
    TEST_ACCESS_RUNS: "200",
    TEST_STORES: "all",
    TEST_STARTS: "all",
    TEST_BROWSER: "all",
    TEST_SALES_RUNS: "300",
    TEST_SALES_KILLS: "20",
    TEST_FLIPPED_BITS: "2500",
  },
};

const [lane = "all", ...parts] = process.argv.slice(2);
const isCoverage = lane === "coverage";
const samples = SAMPLES[isCoverage ? "fast" : lane];
if (samples === undefined) {
  process.stderr.write(`There is no lane ${lane}. Choose fast, all, deep or coverage.\n`);
  process.exit(2);
}
process.env["NODE_COMPILE_CACHE"] ??= path.join(CACHE, "compiled");
for (const [name, value] of Object.entries(samples)) process.env[name] ??= value;

/**
 * Files that each cost ten seconds or more of servers and browsers. `all` draws some of each group, by TEST_SEED, so that it stays
 * under ten minutes on two cores; `deep` runs all of them, and so does a run that names files.
 */
const DRAWN_FILES: Record<string, { count: number; files: RegExp }> = {
  "the dashboard in a browser": {
    count: 1,
    files:
      /^test\/apps\/node\/dashboard-(?:interruptions|emails|factors|purchase|keyboard|notifications|lifecycle)\./,
  },
  "a fleet": {
    count: 1,
    files:
      /^test\/apps\/fleet\/(?:stop|dashboard-faults|chaos|dashboard|faults|failover|exactness|keys)\./,
  },
  "the Workers under load and faults": {
    count: 2,
    files:
      /^test\/apps\/edge\/(?:accounts|site|site-notifications|site-purchases|mcp|releases|rollback|costs|cpu|site-lifecycle|site-faults|site-throttle|bytes|memory|large-calls|local-run|jurisdiction|request-log|request-log-costs|kill-notifications|trouble)\./,
  },
  "an account's object in workerd": {
    count: 1,
    files: /^test\/stores\/durable-object\/(?:ledger|moving|request-log|upkeep|versions)\./,
  },
  "connections and built servers": {
    count: 1,
    files:
      /^test\/(?:apps\/node\/built-server|http\/(?:mcp-retries|abandoned|slow-bodies|connection)|bench\/bench)\./,
  },
  "requests of every kind": {
    count: 1,
    files: /^test\/api\/(?:bad-bodies|fuzz|generated-clients)\./,
  },
  "servers that start and stop": {
    count: 1,
    files:
      /^test\/apps\/node\/(?:first-start|start|stop|operator|pages|pages-build|payments-kill|reversals|dashboard|memory|tool-pool|disk-full|reached|upkeep|metrics-of-a-node)\./,
  },
  "PostgreSQL that fails, grows and moves": {
    count: 1,
    files:
      /^test\/(?:stores\/postgres\/(?:faults|faults-orders|silence|pooling|growth|standby|commit-faults|partitions|migrate|transfer|transfer-days|connections|kysely)|sales\/postgres-two-years)\./,
  },
  "commands on files and over the network": {
    count: 2,
    files:
      /^test\/apps\/cli\/(?:data|user|transfer|everywhere|postgres|remote|remote-(?:servers|worker|transfer|import))\./,
  },
  "the dashboard on other stores": {
    count: 1,
    files:
      /^test\/(?:api\/dashboard\/(?:on-|postgres-trouble\.|d1-trouble\.)|stores\/sql\/d1-dashboard\.|stores\/postgres\/dashboard\.)/,
  },
  "the engines under hostile input and on every runtime": {
    count: 1,
    files: /^test\/tools\/(?:markdown-render\/(?:hostile|xss|everywhere)|qr-code\/everywhere)\./,
  },
  "pages in a browser": {
    count: 1,
    files: /^test\/(?:site\/(?:pages-(?:axe|script)|samples)|web\/header)\./,
  },
  "the tools in a browser": {
    count: 1,
    files: /^test\/web\/browser-tools-(?:page|bytes|accessibility)\./,
  },
};

const isOnlyFast = isCoverage || lane === "fast";
const chosen = drawFiles(
  listTestFiles().filter(
    (file) =>
      (!isOnlyFast || isFast(file)) &&
      (parts.length === 0 || parts.some((part) => file.includes(part))),
  ),
);
if (chosen.length === 0) {
  process.stderr.write(`No test file of the lane ${lane} has ${parts.join(" or ")} in its path.\n`);
  process.exit(2);
}
// With all of each sample a file takes minutes: there files run side by side, and loading packages no longer counts.
const units =
  lane === "deep"
    ? chosen.map((file) => path.join(ROOT, file))
    : [
        ...groupByFolder(chosen.filter(isFast)),
        ...chosen.filter((file) => !isFast(file)).map((file) => path.join(ROOT, file)),
      ];
const durations = readDurations();

const stream = run({
  cwd: ROOT,
  files: longestFirst(units),
  // Files of `all` wait for other processes much of the time.
  concurrency: isOnlyFast ? availableParallelism() : availableParallelism() * 3,
  execArgv: ["--disable-warning=ExperimentalWarning"],
  coverage: isCoverage,
  ...(isCoverage && { coverageIncludeGlobs: ["src/**"] }),
});
const report = reportTests(stream, ROOT);
// Nobody reads the stream itself: its events are enough.
stream.resume();
await once(stream, "end");
rmSync(groupFolder, { recursive: true, force: true });
report.finish();
saveDurations(report.durations);
process.exitCode = report.failures === 0 ? 0 : 1;

function drawFiles(files: readonly string[]): string[] {
  let left = [...files];
  if (lane !== "all" || parts.length > 0) return left;
  for (const [name, group] of Object.entries(DRAWN_FILES)) {
    const members = left.filter((file) => group.files.test(file));
    const drawn = new Set(drawSample(`files of ${name}`, members, group.count, false));
    left = left.filter((file) => !members.includes(file) || drawn.has(file));
  }
  return left;
}

/**
 * A module for each folder that imports its test files one after the other. The fast tests spend half of their time on loading the
 * same packages; a folder in one process loads them once.
 */
function groupByFolder(files: readonly string[]): string[] {
  const groups = Map.groupBy(files, (file) => path.dirname(file));
  mkdirSync(groupFolder, { recursive: true });
  return [...groups].map(([name, members]) => {
    const module = path.join(groupFolder, `${name.replaceAll("/", "+")}.mjs`);
    const imports = members.map(
      (file) => `await import(${JSON.stringify(path.join(ROOT, file))});`,
    );
    writeFileSync(module, `${imports.join("\n")}\n`);
    return module;
  });
}

/** A long file that starts last would keep one core busy alone. Without figures of an earlier run: what is not fast goes first. */
function longestFirst(files: readonly string[]): string[] {
  const guess = (file: string) =>
    durations[unitName(file, ROOT)] ?? (file.endsWith(".mjs") ? 10_000 : 20_000);
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
