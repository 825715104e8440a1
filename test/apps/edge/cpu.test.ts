import assert from "node:assert/strict";
import { test } from "node:test";
import { drawSample } from "../../support/sample.ts";
import { callsConfig } from "../../support/wrangler-config.ts";
import { hostileNamed } from "../../tools/markdown-render/hostile-catalogue.ts";
import { ofBytes } from "../../tools/markdown-render/hostile-shapes.ts";
import { ordinaryDocument } from "../../tools/markdown-render/ordinary-document.ts";
import { openEdgeAccount } from "./edge-ledger.ts";
import { openWorkerFixture, processUsage } from "./fixture.ts";

/** A megabyte of Markdown fits the CPU limit of a Worker. An ordinary one takes well under half a second. */
const BYTES = 1024 * 1024;
const DEEP = process.env["TEST_EDGE"] === "all";
const TIMES_ORDINARY_MAX = 12;
/** A tenth of the deployed limit for a call. */
const CPU_MS_MAX = callsConfig.limits.cpu_ms / 10;
const TRIES = 3;

/** The slowest known documents, from test/tools/markdown-render/hostile.test.ts. */
const SLOWEST = [
  "cmark: pattern ![[]()",
  "cmark: nested strong emph",
  "cmark-gfm: footnote of every number",
  "tables: one column without bars",
];
const SLOW = [
  "cmark: tables",
  "cmark-gfm: autolink of www and spaces",
  "cmark: commonmark.js issue 172",
  'lists: "1. a\\n1) b\\n" repeated',
  "md4c: CR and CR+LF line endings",
  "md4c: many images with brackets in URLs",
  "containers: quotes 99 deep in every paragraph",
];

test("a hostile megabyte of Markdown takes at most a few times the CPU time of an ordinary one", {
  timeout: 300_000,
}, async (t) => {
  const fixture = await openWorkerFixture();
  t.after(fixture.close);
  const { key } = await openEdgeAccount(fixture, 1_000);

  /** The CPU time of the process, with its proxy and garbage collector; the minimum of several tries. */
  async function cpuMs(markdown: string): Promise<number> {
    const body = JSON.stringify({ markdown, format: "text" });
    const times: number[] = [];
    for (let round = 0; round < TRIES; round += 1) {
      const before = processUsage(fixture.pid).cpuMs;
      const response = await fixture.post(key, "markdown-render", body);
      await response.arrayBuffer();
      assert.equal(response.status, 200);
      times.push(processUsage(fixture.pid).cpuMs - before);
    }
    return Math.min(...times);
  }

  const document = ordinaryDocument(BYTES);
  await cpuMs(document);
  const ordinary = await cpuMs(document);
  t.diagnostic(`${ordinary} ms of CPU for an ordinary document`);
  const names = DEEP ? [...SLOWEST, ...SLOW] : SLOWEST;
  for (const name of drawSample("slow documents", names, 2, DEEP)) {
    const hostile = await cpuMs(ofBytes(hostileNamed(name).make, BYTES));
    t.diagnostic(`${hostile} ms: ${name}`);
    assert.ok(hostile <= TIMES_ORDINARY_MAX * ordinary, `${name}: ${hostile} of ${ordinary} ms`);
    assert.ok(hostile < CPU_MS_MAX, `${name}: ${hostile} ms, more than a tenth of the limit`);
  }
});
