import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { createCheckpoints } from "#stores/sqlite/checkpoints.ts";
import type { SqlDriver } from "#stores/sqlite/driver.ts";
import { openDriver, temporaryFile } from "./fixture.ts";

/** The ledger's connection copies the write-ahead log itself and reports what keeps it from doing so. */

function open(t: TestContext) {
  const file = temporaryFile(t);
  const driver = openDriver(t, file);
  const clock = { ms: 0 };
  const hooks = { isBroken: false, beforeRestart: () => {} };
  /** The connection, whose checkpoints can fail and be observed. */
  const breakable: SqlDriver = {
    ...driver,
    prepare(sql) {
      const statement = driver.prepare(sql);
      const get: typeof statement.get = (...values) => {
        if (hooks.isBroken && sql.includes("PASSIVE")) throw new Error("disk I/O error");
        if (sql.includes("RESTART")) hooks.beforeRestart();
        return statement.get(...values);
      };
      return { ...statement, get };
    },
  };
  const checkpoints = createCheckpoints(breakable, () => clock.ms);
  driver.exec("CREATE TABLE filler (value)");
  const write = (pages: number) => {
    driver.prepare("INSERT INTO filler VALUES (zeroblob(?))").run(pages * 4096);
    checkpoints.afterBatch(32);
  };
  const tick = (ms: number) => {
    clock.ms += ms;
    return checkpoints.tick();
  };
  return { file, driver, checkpoints, hooks, write, tick };
}

test("the log is copied every thousand pages and starts over, so it stays small", (t) => {
  const { file, write, tick } = open(t);
  for (let i = 0; i < 40; i += 1) write(200);
  assert.ok(tick(0).bytes < 6e6, `${tick(0).bytes} bytes`);
  assert.ok(statSync(`${file}-wal`).size < 6e6);
  assert.ok(statSync(file).size > 20e6, "the pages are in the database file");
});

test("a few pages are copied after some seconds, so that a file that cannot be written is noticed on a quiet service", (t) => {
  const { write, tick } = open(t);
  tick(10_000);
  write(1);
  assert.equal(tick(9_000).stuckMs, 9_000);
  assert.equal(tick(1_000).stuckMs, 0);
});

test("a checkpoint that fails is counted, reported and tried again, and the report ends when one succeeds", (t) => {
  const { hooks, write, tick } = open(t);
  hooks.isBroken = true;
  write(1_100);
  assert.deepEqual(
    [tick(500).failures, tick(0).error],
    [1, "disk I/O error"],
    "the next attempt is a second later",
  );
  assert.equal(tick(500).failures, 2);
  write(1);
  assert.equal(tick(5_000).stuckMs, 6_000);
  hooks.isBroken = false;
  const { error, stuckMs } = tick(1_000);
  assert.deepEqual({ error, stuckMs }, { error: null, stuckMs: 0 });
});

test("while a reader needs old pages the log grows, and the report says for how long; afterwards the file shrinks", (t) => {
  const { file, write, tick } = open(t);
  const reader = new DatabaseSync(file);
  t.after(() => reader.close());
  reader.exec("BEGIN; SELECT count(*) FROM filler");
  for (let i = 0; i < 20; i += 1) {
    write(1_000);
    tick(1_000);
  }
  const held = tick(0);
  assert.ok(held.bytes > 80e6 && held.stuckMs >= 19_000, JSON.stringify(held));
  assert.equal(held.error, null);
  reader.exec("COMMIT");
  assert.equal(tick(1_000).stuckMs, 0);
  write(1);
  assert.ok(tick(0).bytes < 1e5);
  assert.ok(statSync(`${file}-wal`).size <= 16 * 1024 * 1024);
});

test("readers that always overlap cannot keep the log from starting over", (t) => {
  const { file, hooks, write, tick } = open(t);
  const readers = [0, 1].map(() => new DatabaseSync(file));
  t.after(() => readers.forEach((reader) => void reader.close()));
  const begin = (reader?: DatabaseSync) => reader?.exec("BEGIN; SELECT count(*) FROM filler");
  let restarts = 0;
  let largest = 0;
  begin(readers[0]);
  for (let round = 0; round < 60; round += 1) {
    const [now, next] = [readers[round % 2], readers[(round + 1) % 2]];
    write(500);
    begin(next);
    now?.exec("COMMIT");
    // Those that read when the connection begins to wait end meanwhile.
    hooks.beforeRestart = () => {
      restarts += 1;
      next?.exec("COMMIT");
      begin(next);
    };
    largest = Math.max(largest, tick(1_000).bytes);
  }
  assert.equal(restarts, 1, `${largest} bytes`);
  assert.ok(largest > 60e6 && largest < 80e6, `${largest} bytes`);
});
