import assert from "node:assert/strict";
import { test } from "node:test";
import { FAULT_NAMES } from "../../../src/apps/node/lasting-faults.ts";
import { startServer, temporaryFolder } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";

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
