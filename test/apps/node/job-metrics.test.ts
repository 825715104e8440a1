import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "prom-client";
import { addJobGauges } from "../../../src/apps/node/job-metrics.ts";
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

test("a node exports the metrics of its jobs", { timeout: 300_000 }, async (t) => {
  const server = await startServer(t, { DATA_DIR: temporaryFolder(t) });
  const read = async () => (await fetch(`${server.base}/metrics`)).text();
  await eventually("the thread's count", async () =>
    /toolbooth_jobs\{queue="webhook",state="waiting"\} 0\n/.test(await read()),
  );
  assert.deepEqual(await server.end("SIGTERM"), { code: 0, signal: null });
});
