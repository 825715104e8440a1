import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createLastingFaults } from "../../../src/apps/node/lasting-faults.ts";
import { startStorageWatch } from "../../../src/apps/node/storage-watch.ts";

/** The operator learns that the disk fills up, and that the log is not emptied, before calls fail. */

const MB = 1024 * 1024;
const WELL = { bytes: 4 * MB, stuckMs: 0, failures: 0, error: null };

function open(t: TestContext, totalBytes = 100_000 * MB) {
  const lines: string[] = [];
  const add = (message: string) => void lines.push(message);
  const faults = createLastingFaults({ error: add, warn: add, info: add });
  const space = { freeBytes: 50_000 * MB, totalBytes };
  const clock = { ms: Date.UTC(2026, 0, 1, 12) };
  const watch = startStorageWatch({ faults, disk: async () => space, now: () => clock.ms });
  t.after(watch.stop);
  const free = async (bytes: number) => {
    space.freeBytes = bytes;
    await watch.look();
  };
  const stops = () => [...faults.current().values()].map(({ stopsCalls }) => stopsCalls);
  return { lines, clock, watch, free, stops };
}

test("little free space is said once for each halving, does not stop calls, and ends when there is more", async (t) => {
  const { lines, watch, free, stops } = open(t);
  await free(513 * MB);
  assert.equal(lines.length, 0);
  for (const bytes of [511 * MB, 400 * MB, 500 * MB, 200 * MB, 210 * MB]) await free(bytes);
  assert.equal(watch.freeBytes(), 210 * MB);
  assert.deepEqual(stops(), [false]);
  await free(600 * MB);
  assert.equal(lines.length, 2, "not over yet");
  await free(700 * MB);
  assert.deepEqual(stops(), []);
  assert.deepEqual(
    lines.map((line) => line.slice(0, 36)),
    [
      "Less than 512 MB are free on the dis",
      "Less than 256 MB are free on the dis",
      "This is over: Less than 256 MB are f",
    ],
  );
});

test("a small disk is low below a tenth of it", async (t) => {
  const { lines, free } = open(t, 140 * MB);
  await free(15 * MB);
  assert.equal(lines.length, 0);
  await free(13 * MB);
  assert.match(lines[0] ?? "", /^Less than 16 MB /);
});

test("a checkpoint that fails is said at once, and makes the node unready when the log is very large", (t) => {
  const { lines, watch, stops } = open(t);
  watch.onWal(WELL);
  watch.onWal({ ...WELL, failures: 1, error: "disk I/O error" });
  assert.match(lines[0] ?? "", /^The database file cannot be written \(disk I\/O error\)/);
  assert.deepEqual(stops(), [false]);
  for (const size of [5, 9, 17, 18, 33])
    watch.onWal({ ...WELL, bytes: size * MB, failures: 2, error: "disk I/O error" });
  assert.equal(lines.length, 3, "from 16 MB on, a line for each doubling");
  watch.onWal({ ...WELL, bytes: 1024 * MB, failures: 3, error: "disk I/O error" });
  assert.deepEqual(stops(), [true]);
  watch.onWal({ ...WELL, bytes: 20 * MB, failures: 1, error: "disk I/O error" });
  assert.deepEqual(stops(), [false]);
  assert.equal(watch.wal()?.failures, 4, "the new thread counts from 0");
  watch.onWal({ ...WELL, failures: 1 });
  assert.deepEqual(stops(), []);
});

test("a reader that keeps the log from being emptied is said with its time and the log's size", (t) => {
  const { lines, clock, watch, stops } = open(t);
  watch.onWal({ ...WELL, bytes: 40 * MB, stuckMs: 9_000 });
  assert.equal(lines.length, 0);
  for (const [size, stuckMs] of [
    [40, 10_000],
    [50, 11_003],
    [70, 12_000],
  ] as const) {
    clock.ms += 1_000;
    watch.onWal({ ...WELL, bytes: size * MB, stuckMs });
  }
  assert.deepEqual(
    lines.map((line) => line.replace(/\. End .*/, "")),
    [
      "Another connection has been reading the database since 2026-01-01T11:59:51 UTC, so the write-ahead log cannot be emptied; it is larger than 32 MB",
      "Another connection has been reading the database since 2026-01-01T11:59:51 UTC, so the write-ahead log cannot be emptied; it is larger than 64 MB",
    ],
  );
  assert.deepEqual(stops(), [false]);
  clock.ms += 3_000;
  assert.equal(watch.wal()?.checkpointAgeMs, 15_000, "reports may stop with the thread");
  watch.onWal(WELL);
  assert.match(lines.at(-1) ?? "", /^This is over: /);
});
