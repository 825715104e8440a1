import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "prom-client";
import { addJobGauges } from "../../../src/apps/node/job-metrics.ts";
import { FAULT_NAMES } from "../../../src/apps/node/lasting-faults.ts";
import { createNodeMetrics } from "../../../src/apps/node/metrics.ts";
import { addSignUpMetrics } from "../../../src/apps/node/sign-up-metrics.ts";
import { startServer, temporaryFolder } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";

test("counts jobs by queue and state and measures the age of the oldest", async () => {
  const register = new Registry();
  const counts = [
    { queue: "email", waiting: 3, oldestAt: 40_000, dead: 1 },
    { queue: "reversal", waiting: 0, oldestAt: null, dead: 0 },
  ] as const;
  addJobGauges(
    [register],
    async () => counts,
    () => 100_000,
  );
  const text = await register.metrics();
  for (const line of [
    'toolbooth_jobs{queue="email",state="waiting"} 3',
    'toolbooth_jobs{queue="email",state="dead"} 1',
    'toolbooth_jobs{queue="reversal",state="dead"} 0',
  ])
    assert.ok(text.split("\n").includes(line), line);
  assert.match(text, /toolbooth_jobs_oldest_seconds\{queue="email"\} 60\n/);
});

test("on a disk that fails, the metrics that need it are left out and the others are not", async () => {
  const fail = () => {
    throw new Error("disk I/O error");
  };
  const metrics = createNodeMetrics({
    ledger: () => 7,
    tools: () => 0,
    jobs: async () => fail(),
    signUps: async () => null,
    faults: () => new Map(),
    storage: { freeBytes: () => null, wal: () => null },
    clockErrorSeconds: () => 0,
    database: null,
  });
  const { text } = await metrics.read();
  assert.match(text, /toolbooth_ledger_waiting_orders 7\n/);
  assert.match(text, /toolbooth_fault\{name="disk"\} 0\n/);
  assert.doesNotMatch(text, /^toolbooth_(?:jobs|disk_free_bytes)\b/m);
});

test("counts claims of starter credits, requested emails and dropped ones, each once", async () => {
  const register = new Registry();
  addSignUpMetrics([register], async () => ({
    starters: [{ outcome: "day_full", count: 4 }],
    requested: { hour: 3, day: 9 },
    dropped: { total_full: 2 },
  }));
  await register.metrics();
  const lines = (await register.metrics()).split("\n");
  for (const line of [
    'toolbooth_starter_claims_today{outcome="day_full"} 4',
    'toolbooth_starter_claims_today{outcome="granted"} 0',
    'toolbooth_requested_emails{window="hour"} 3',
    'toolbooth_requested_emails{window="day"} 9',
    'toolbooth_emails_dropped_total{reason="total_full"} 2',
  ])
    assert.ok(lines.includes(line), line);
});

test("a node exports the metrics of its jobs, sign-ups and storage", {
  timeout: 300_000,
}, async (t) => {
  const server = await startServer(t, { DATA_DIR: temporaryFolder(t) });
  const read = async () => (await fetch(`${server.base}/metrics`)).text();
  await eventually("the thread's count", async () =>
    /toolbooth_jobs\{queue="webhook",state="waiting"\} 0\n/.test(await read()),
  );
  assert.match(await read(), /toolbooth_requested_emails\{window="day"\} 0\n/);
  await eventually("the log's report", async () => /toolbooth_wal_bytes \d+\n/.test(await read()));
  const text = await read();
  assert.match(text, /toolbooth_wal_checkpoint_age_seconds \d/);
  assert.match(text, /toolbooth_wal_checkpoint_failures_total 0\n/);
  assert.match(text, /toolbooth_disk_free_bytes [1-9]\d+\n/);
  for (const name of FAULT_NAMES) assert.ok(text.includes(`toolbooth_fault{name="${name}"} `));
  assert.deepEqual(await server.end("SIGTERM"), { code: 0, signal: null });
});
