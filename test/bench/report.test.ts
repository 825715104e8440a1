import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, it } from "node:test";
import { renderPageBody } from "#site/docs/render-page.ts";
import type { DebitsReport } from "../../bench/debits.ts";
import type { GrowthPoint, GrowthReport } from "../../bench/growth.ts";
import type { HeadOfLineReport } from "../../bench/head-of-line.ts";
import { type LatencyReport, PERCENTILES, SHARES } from "../../bench/latency.ts";
import type { MarkdownReport } from "../../bench/markdown.ts";
import type { MemoryReport } from "../../bench/memory.ts";
import { drawBars, drawLines } from "../../bench/plot.ts";
import type { QrReport } from "../../bench/qr.ts";
import {
  drawPage,
  PAGE,
  readResults,
  type Saved,
  type SavedResults,
} from "../../bench/report-page.ts";
import { SECTIONS } from "../../bench/report-sections.ts";
import { CONTENDERS, type ThroughputReport } from "../../bench/throughput.ts";

const ROOT = path.join(import.meta.dirname, "../..");

// jsdom has no types.
const { JSDOM } = createRequire(import.meta.url)("jsdom") as {
  JSDOM: new (text: string, options: object) => { window: { document: Document } };
};
type Document = { querySelectorAll(selector: string): Iterable<Element>; documentElement: Element };
type Element = { getAttribute(name: string): string | null; textContent: string; tagName: string };

/** Throws if the text is not well-formed XML. */
const parseXml = (text: string) =>
  new JSDOM(text, { contentType: "image/svg+xml" }).window.document;

const spread = (median: number) => ({ median, min: median / 2, max: median * 2 });
const byContender = (of: (i: number) => number) =>
  Object.fromEntries(CONTENDERS.map((name, i) => [name, of(i)])) as Record<
    (typeof CONTENDERS)[number],
    number
  >;
const totals = { responded: 5, recorded: 5, ok: true, faults: [] };

function throughput(share: number): ThroughputReport {
  const row = (name: string): ThroughputReport["rows"][number] => ({
    name,
    perSecond: byContender((i) => 1_000 / (i + 1)),
    cpuMicros: byContender((i) => 10 ** i),
    p50Ms: byContender(() => 1),
    p99Ms: byContender(() => 2),
    ofBare: { throughput: spread(share), cpu: spread(1.5) },
    overUsual: {
      express: { throughput: spread(7), cpu: spread(7) },
      fastify: { throughput: spread(5), cpu: spread(5) },
    },
  });
  const rows = ["hash", "markdown-render, 1 KB", "markdown-render, 100 KB"].map(row);
  return { rows, rounds: 5, seconds: 1, generatorCpuMicros: 9, totals, text: "" };
}
const latency: LatencyReport = {
  rows: CONTENDERS.map((contender) => ({
    contender,
    saturation: 1_000,
    loads: SHARES.map((share) => ({
      share,
      perSecond: share * 10,
      calls: 100,
      latencyMs: PERCENTILES.map((_, i) => i * 1.5),
      latenessP99Ms: 0.1,
    })),
  })),
  seconds: 15,
  totals,
  text: "",
};
const growthPoint = (count: number): GrowthPoint => ({
  count,
  debitMicros: 4,
  ledgerMicros: 2,
  callMicros: 30,
  bareMicros: 17,
  perSecond: 20_000,
  databaseBytes: 3_000_000,
});
const growth: GrowthReport = {
  accounts: [10, 1_000].map(growthPoint),
  calls: [10_000, 1_000_000].map(growthPoint),
  text: "",
};
const debits: DebitsReport = {
  rows: [
    {
      accounts: 1,
      ours: { perSecond: 100, cpuMicros: 3, ledgerMicros: 2 },
      usual: { perSecond: 10, cpuMicros: 30 },
      times: 10,
    },
  ],
  rounds: 5,
  debits: 100,
  text: "",
};
const headOfLine: HeadOfLineReport = {
  idle: { p50Ms: spread(1), p99Ms: spread(2) },
  busy: { p50Ms: spread(2), p99Ms: spread(10) },
  p99Ratio: spread(5),
  documents: 9,
  documentBytes: 1_000_000,
  documentMs: 60,
  text: "",
};
const memory: MemoryReport = {
  seconds: 600,
  idleMb: 140,
  samples: [1, 300, 600].map((second) => ({ second, residentMb: 150 + second / 100 })),
  earlyMb: 151,
  lateMb: 155,
  responses: 1_000,
  totals,
  text: "",
};
const bundles = [{ name: "engine", minifiedBytes: 60_000, gzippedBytes: 22_000 }];
const markdown: MarkdownReport = {
  corpus: { files: 3, bytes: 9, digest: "abc", repeated: false },
  sizes: [
    {
      size: "1 KB",
      documents: 64,
      rounds: 9,
      megabytes: { toolbooth: 60, marked: 20 },
      ratios: { marked: spread(3) },
    },
  ],
  bundles,
  aims: [{ aim: "at least 2.5 times marked at 1 KB", reached: true, amount: 3 }],
  text: "",
};
const qr: QrReport = {
  tasks: [
    {
      task: "png 256",
      rounds: 9,
      micros: { toolbooth: 100, qrcode: 3_000 },
      ratios: { qrcode: spread(30) },
    },
  ],
  sizes: [],
  bundles,
  aims: [{ aim: "png 256: at least 30 times qrcode", reached: true, amount: 30 }],
  text: "",
};

const saved = (result: unknown, isQuick = false): Saved => ({
  machine: {
    node: "v24.21.0",
    platform: "linux x64",
    cores: 2,
    cpu: "made up",
    memoryGb: 8,
    load: 0.1,
    syncMs: 0.2,
  },
  day: "2026-11-24",
  isQuick,
  versions: "express 5.3.0",
  result,
});
const ALL: SavedResults = {
  throughput: saved(throughput(0.7)),
  latency: saved(latency),
  growth: saved(growth),
  debits: saved(debits),
  "head-of-line": saved(headOfLine),
  memory: saved(memory),
  markdown: saved(markdown),
  qr: saved(qr),
};

describe("a plot", () => {
  const bars = (values: (number | null)[], scale: "linear" | "log") =>
    drawBars({
      title: 'a <b> & "c"',
      description: "d",
      series: ["one", "two"],
      groups: [{ name: "x < y", values }],
      scale,
      format: (value) => value.toFixed(1),
    });
  const widths = (svg: string) =>
    [...parseXml(svg).querySelectorAll('rect[fill^="var(--"]')]
      .filter((one) => one.getAttribute("height") === "12")
      .map((one) => Number(one.getAttribute("width")));

  it("is well-formed XML whatever its texts contain, and has a title and a description", () => {
    const document = parseXml(bars([1, 2], "linear"));
    assert.equal(document.documentElement.tagName, "svg");
    assert.deepEqual(
      [...document.querySelectorAll("title, desc")].map((one) => one.textContent),
      ['a <b> & "c"', "d"],
    );
    assert.throws(() => parseXml("<svg><b></svg>"));
  });

  it("draws bars in proportion to their values, or to their powers of ten", () => {
    const [one = 0, two = 0] = widths(bars([1, 2], "linear"));
    assert.ok(Math.abs(two / one - 2) < 0.01, `${one} ${two}`);
    const [ten = 0, thousand = 0] = widths(bars([10, 1_000], "log"));
    // The axis begins at the power of ten of the smallest value.
    assert.ok(ten === 1 && thousand > 400, `${ten} ${thousand}`);
    const [few = 0, many = 0] = widths(bars([20, 2_000], "log"));
    assert.ok(many > few && few > 1);
    assert.throws(() => bars([0, 1], "log"), RangeError);
  });

  it("leaves out a bar without a value", () => {
    assert.equal(widths(bars([null, 2], "linear")).length, 1);
  });

  it("has colors for light and dark schemes, and dashes that tell its lines apart", () => {
    const svg = drawLines({
      title: "t",
      description: "d",
      series: ["a", "b", "c", "d"].map((name, i) => ({
        name,
        points: [
          { x: 1, y: i },
          { x: 2, y: i + 1 },
        ],
      })),
      x: { scale: "linear", label: "x", ticks: [{ at: 1, label: "1" }] },
      y: { scale: "linear", label: "y", format: String },
    });
    assert.match(svg, /@media \(prefers-color-scheme: dark\)/);
    const lines = [...parseXml(svg).querySelectorAll('path[fill="none"]')];
    assert.equal(new Set(lines.map((one) => one.getAttribute("stroke-dasharray"))).size, 4);
    assert.equal(new Set(lines.map((one) => one.getAttribute("stroke"))).size, 4);
  });
});

describe("the page of the benchmarks", () => {
  const page = drawPage(ALL);

  it("has a section for every part that a report can contain", () => {
    assert.deepEqual(Object.keys(ALL).sort(), SECTIONS.map(({ part }) => part).sort());
    const titles = [...page.markdown.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    assert.equal(new Set(titles).size, titles.length);
    for (const { part } of SECTIONS) {
      const { [part]: _, ...others } = ALL;
      assert.ok(drawPage(others).markdown.length < page.markdown.length, part);
    }
  });

  it("shows each of its plots, which are well-formed and have no number that is not finite", () => {
    const shown = [...page.markdown.matchAll(/!\[[^\]]+\]\(benchmarks\/([^)]+)\)/g)].map(
      ([, file]) => file,
    );
    assert.deepEqual(shown.sort(), Object.keys(page.plots).sort());
    assert.ok(shown.length >= 8);
    for (const [file, svg] of Object.entries(page.plots)) {
      parseXml(svg);
      assert.doesNotMatch(svg, /NaN|Infinity|undefined/, file);
    }
    assert.doesNotMatch(page.markdown, /NaN|Infinity|undefined/);
  });

  it("renders on the site: tables as tables, no Markdown left", () => {
    const { body, title } = renderPageBody(page.markdown);
    assert.equal(title, "Benchmarks");
    assert.doesNotMatch(body.text, /\| ---/);
  });

  it("compares the results with the goals, and the worst value decides", () => {
    const rowOf = (results: SavedResults, goal: string) =>
      drawPage(results)
        .markdown.split("\n")
        .find((line) => line.startsWith(`| ${goal}`));
    const goal = "hash, uuid and echo: calls per second";
    assert.match(rowOf(ALL, goal) ?? "", /at least 0\.6 \| 0\.7 \| reached \|$/);
    const slow = { ...ALL, throughput: saved(throughput(0.5)) };
    assert.match(rowOf(slow, goal) ?? "", /at least 0\.6 \| 0\.5 \| missed \|$/);
    assert.match(rowOf(ALL, "Markdown of 100 KB") ?? "", /at least 20 \| 7 \| missed \|$/);
    assert.match(rowOf(ALL, "Small calls beside") ?? "", /at most 4 \| 5 \| missed \|$/);
  });

  it("warns about results of a short run", () => {
    assert.doesNotMatch(page.markdown, /WARNING/);
    assert.match(drawPage({ ...ALL, qr: saved(qr, true) }).markdown, /\[!WARNING\]/);
  });

  it("is drawn from the saved results: run `npm run bench -- --redraw` after a change", () => {
    const { markdown: text, plots } = drawPage(readResults());
    assert.equal(readFileSync(path.join(ROOT, PAGE), "utf8"), text);
    const folder = path.join(ROOT, "docs/benchmarks");
    const files = Object.keys(plots).length === 0 ? [] : readdirSync(folder);
    assert.deepEqual(
      files.filter((file) => file.endsWith(".svg")).sort(),
      Object.keys(plots).sort(),
    );
    for (const [file, svg] of Object.entries(plots))
      assert.equal(readFileSync(path.join(folder, file), "utf8"), svg, file);
  });
});
