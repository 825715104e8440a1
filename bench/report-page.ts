import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { aimsOf } from "./report-aims.ts";
import { SECTIONS } from "./report-sections.ts";
import { AFTER, BEFORE, NO_RESULTS, SHORT_RUN } from "./report-texts.ts";

/** Saves the results of a report, and draws the page and its plots from them. */
export type Machine = {
  node: string;
  platform: string;
  cores: number;
  cpu: string;
  memoryGb: number;
  load: number;
  syncMs: number;
};
export type Saved<Result = unknown> = {
  machine: Machine;
  /** The day of the run, as an ISO date. */
  day: string;
  isQuick: boolean;
  /** Packages of the other builds. */
  versions: string;
  result: Result;
};
export type SavedResults = Readonly<Record<string, Saved>>;
/** A part of the page: Markdown, and the plots that it refers to, by file name. */
export type Drawn = { markdown: string; plots: Readonly<Record<string, string>> };

const ROOT = path.join(import.meta.dirname, "..");
export const PAGE = "docs/benchmarks.md";
/** Beside the page, for its plots and the results that it was drawn from. */
const FOLDER = path.join(ROOT, "docs", "benchmarks");
const RESULTS = path.join(FOLDER, "results.json");
const CONTENDER_PACKAGES = [
  ...["express-5", "fastify-5", "marked", "dompurify", "jsdom", "markdown-it", "sanitize-html"],
  ...["qrcode", "qr", "better-sqlite3"],
];

export function saveResult(
  part: string,
  saved: { machine: Machine; isQuick: boolean; result: unknown },
): void {
  mkdirSync(FOLDER, { recursive: true });
  const day = new Date().toISOString().slice(0, 10);
  const { text: _, ...result } = saved.result as Record<string, unknown>;
  const versions = versionsOf(CONTENDER_PACKAGES);
  const results = { ...readResults(), [part]: { ...saved, day, versions, result } };
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
}

export const readResults = (): SavedResults =>
  existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, "utf8")) as SavedResults) : {};

/** Writes the page and its plots. Plots of an earlier drawing are removed. */
export function drawReport(results = readResults()): void {
  const { markdown, plots } = drawPage(results);
  mkdirSync(FOLDER, { recursive: true });
  for (const file of readdirSync(FOLDER)) {
    if (file.endsWith(".svg")) rmSync(path.join(FOLDER, file));
  }
  for (const [file, svg] of Object.entries(plots)) writeFileSync(path.join(FOLDER, file), svg);
  writeFileSync(path.join(ROOT, PAGE), markdown);
}

/** The same results always give the same page. */
export function drawPage(results: SavedResults): Drawn {
  const taken = SECTIONS.flatMap(({ part, draw }) => {
    const saved = results[part];
    return saved === undefined ? [] : [draw(saved.result)];
  });
  const aims = aimsOf(results);
  return {
    markdown: [
      BEFORE,
      ...(taken.length === 0 ? [NO_RESULTS] : []),
      ...(Object.values(results).some(({ isQuick }) => isQuick) ? [SHORT_RUN] : []),
      ...(aims === "" ? [] : [`## Goals\n\n${aims}`]),
      ...(taken.length === 0 ? [] : [describeRuns(results)]),
      ...taken.map(({ markdown }) => markdown),
      AFTER,
    ]
      .map((part) => part.trim())
      .join("\n\n")
      .concat("\n"),
    plots: Object.assign({}, ...taken.map(({ plots }) => plots)),
  };
}

/** One line for each set of parts that ran on the same machine and day. */
function describeRuns(results: SavedResults): string {
  const runs = new Map<string, string[]>();
  for (const [part, { machine, day, versions }] of Object.entries(results)) {
    const node = `Node ${machine.node.replace("v", "")} on ${machine.platform}`;
    const run = `${day}: ${node}, ${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB of memory, ${machine.syncMs} ms per disk sync, load ${machine.load} before the run; ${versions}`;
    runs.set(run, [...(runs.get(run) ?? []), `\`${part}\``]);
  }
  const lines = [...runs].map(([run, parts]) => `- ${parts.join(", ")}: ${run}`);
  return `## Machine and versions\n\n${lines.join("\n")}`;
}

function versionsOf(packages: readonly string[]): string {
  return packages
    .map((name) => {
      const file = path.join(ROOT, "node_modules", name, "package.json");
      const { name: own, version } = JSON.parse(readFileSync(file, "utf8")) as {
        name: string;
        version: string;
      };
      return `${own} ${version}`;
    })
    .join(", ");
}
