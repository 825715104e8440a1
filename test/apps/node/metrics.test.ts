import assert from "node:assert/strict";
import { test } from "node:test";
import { Histogram, Registry } from "prom-client";
import type { AccessLogEntry } from "#api/access-log.ts";
import { createNodeMetrics } from "../../../src/apps/node/metrics.ts";
import { DURATION_BOUNDS } from "../../../src/apps/node/request-counts.ts";

const open = () =>
  createNodeMetrics({
    ledger: () => 0,
    tools: () => 0,
    jobs: async () => [],
    signUps: async () => null,
    faults: () => new Map(),
    storage: { freeBytes: () => 0, wal: () => null } as never,
    clockErrorSeconds: () => 0,
    database: async () => null as never,
  });

const anEntry = (changes: Partial<AccessLogEntry>): AccessLogEntry => ({
  requestId: "req_1",
  method: "POST",
  route: "/api/v1/hash",
  tool: "hash",
  status: 200,
  code: null,
  account: "acc_1",
  key: "key_1",
  traceId: null,
  charged: 1,
  callId: null,
  ...{ replayed: false, delivered: true },
  durationMs: 1,
  ...changes,
});

const linesOf = (text: string, name: string) =>
  text.split("\n").filter((line) => line.startsWith(name));

test("requests, calls and credits are counted by route, tool, status and error code, across reads", async () => {
  const metrics = open();
  for (let round = 0; round < 2; round += 1) {
    metrics.record(anEntry({}));
    metrics.record(anEntry({ charged: 3 }));
    metrics.record(anEntry({ status: 402, code: "insufficient_credits", charged: 0 }));
    metrics.record(anEntry({ route: "/healthz", tool: null, charged: null }));
    await metrics.read();
  }
  const { text } = await metrics.read();
  assert.deepEqual(linesOf(text, "toolbooth_requests_total").toSorted(), [
    'toolbooth_requests_total{route="/api/v1/hash",status="200",code=""} 4',
    'toolbooth_requests_total{route="/api/v1/hash",status="402",code="insufficient_credits"} 2',
    'toolbooth_requests_total{route="/healthz",status="200",code=""} 2',
  ]);
  assert.deepEqual(linesOf(text, "toolbooth_calls_total").toSorted(), [
    'toolbooth_calls_total{tool="hash",status="200"} 4',
    'toolbooth_calls_total{tool="hash",status="402"} 2',
  ]);
  assert.deepEqual(linesOf(text, "toolbooth_credits_charged_total"), [
    'toolbooth_credits_charged_total{tool="hash"} 8',
  ]);
});

test("the histogram of durations is what prom-client writes of the same calls", async () => {
  const metrics = open();
  const registry = new Registry();
  const judge = new Histogram({
    registers: [registry],
    name: "toolbooth_call_duration_seconds",
    help: "Time from a call's headers to its response by tool",
    labelNames: ["tool"],
    buckets: DURATION_BOUNDS,
  });
  // At each bound, above and below it, and longer than all. Quarters of milliseconds have exact sums.
  const durations = DURATION_BOUNDS.flatMap((seconds) => [
    seconds * 1000 - 0.25,
    seconds * 1000,
    seconds * 1000 + 0.25,
  ]);
  for (const tool of ["hash", "echo"]) {
    for (const durationMs of [...durations, 60_000]) {
      metrics.record(anEntry({ tool, route: `/api/v1/${tool}`, durationMs }));
      judge.observe({ tool }, durationMs / 1000);
    }
    await metrics.read();
  }
  const { text } = await metrics.read();
  const own = text.slice(text.indexOf("# HELP toolbooth_call_duration_seconds"));
  assert.equal(own, await registry.metrics());
});
