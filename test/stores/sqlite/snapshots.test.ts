import assert from "node:assert/strict";
import { test } from "node:test";
import { createSnapshots } from "#stores/sqlite/snapshots.ts";
import { openDriver, temporaryFile } from "./fixture.ts";

test("a snapshot that is read for long ends when the log has grown, a new one is open at once, and the log shrinks", (t) => {
  const file = temporaryFile(t);
  const driver = openDriver(t, file);
  driver.exec("CREATE TABLE filler (value)");
  const megabyte = driver.prepare("INSERT INTO filler VALUES (zeroblob(1048576))");
  const snapshots = createSnapshots(file, { logGrowthBytes: 8 * 1024 * 1024 });
  t.after(snapshots.close);
  for (let round = 0; round < 3; round += 1) {
    const id = snapshots.open();
    let written = 0;
    for (; written < 20 && snapshots.find(id) !== undefined; written += 1) megabyte.run();
    assert.ok(written >= 8 && written < 12, `${written} MB`);
    assert.equal(snapshots.find(id), undefined);
    const { log, checkpointed } = driver.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() ?? {};
    assert.deepEqual([log, checkpointed], [0, 0], "no reader is left");
  }
});
