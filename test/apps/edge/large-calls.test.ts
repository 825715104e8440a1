import assert from "node:assert/strict";
import { test } from "node:test";
import { MEMORY_WAIT_MS, WORKER_MEMORY } from "#limits.ts";
import { ordinaryDocument } from "../../tools/markdown-render/ordinary-document.ts";
import { openEdgeAccount } from "./edge-ledger.ts";
import { openWorkerFixture, processUsage, type WorkerFixture } from "./fixture.ts";

/** Ordinary large calls at once: they wait for memory instead of getting 503. */
const MEGABYTE = 1_000_000;
const CALLS = 20;

async function callAtOnce(fixture: WorkerFixture, accounts: number) {
  const callers = await Promise.all(
    Array.from({ length: accounts }, () => openEdgeAccount(fixture, 100)),
  );
  const body = JSON.stringify({ markdown: ordinaryDocument(MEGABYTE) });
  const since = performance.now();
  const responses = await Promise.all(
    Array.from({ length: CALLS }, async (_, index) => {
      const { key } = callers[index % accounts] as (typeof callers)[number];
      // Null: on a busy machine the rest of a rejected body comes too slowly, and its connection is closed.
      const response = await fixture.post(key, "markdown-render", body).catch(() => null);
      const waitedMs = performance.now() - since;
      await response?.arrayBuffer();
      return { status: response?.status ?? null, waitedMs };
    }),
  );
  return { responses, tookMs: performance.now() - since };
}

for (const accounts of [5, 1]) {
  test(`${CALLS} ordinary megabytes at once, of ${accounts} account(s): a 503 comes only after the wait`, {
    timeout: 300_000,
  }, async (t) => {
    const fixture = await openWorkerFixture();
    t.after(fixture.close);
    const { responses, tookMs } = await callAtOnce(fixture, accounts);
    const succeeded = responses.filter(({ status }) => status === 200).length;
    const seconds = (tookMs / 1_000).toFixed(1);
    t.diagnostic(`${succeeded} of ${CALLS} succeeded in ${seconds} s`);
    t.diagnostic(`workerd holds ${processUsage(fixture.pid).peakMb.toFixed(0)} MB at most`);
    // As many as one account may hold at once, with the escapes of their JSON.
    assert.ok(succeeded >= WORKER_MEMORY.bytesPerAccount / (1.1 * MEGABYTE) - 1);
    for (const { status, waitedMs } of responses) {
      if (status === 200) continue;
      // On a busy machine the calls before it take longer than it may wait.
      assert.ok(status === 503 || status === null, String(status));
      assert.ok(waitedMs >= MEMORY_WAIT_MS, `${waitedMs} ms`);
    }
  });
}
