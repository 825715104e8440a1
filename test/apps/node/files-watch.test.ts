import assert from "node:assert/strict";
import { copyFileSync, renameSync, rmSync, statSync, truncateSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { FREE_READ_TURNS } from "#accounts/read-turns.ts";
import { readConfig } from "#config/config.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { openDashboardStores } from "../../../src/apps/node/dashboard-store.ts";
import { databaseFile, openDataFolder } from "../../../src/apps/node/data-folder.ts";
import { watchFiles } from "../../../src/apps/node/files-watch.ts";
import type { LastingFault } from "../../../src/apps/node/lasting-faults.ts";
import { openNodeStore } from "../../../src/apps/node/store.ts";
import { createFixture } from "../../contract/ledger/fixture.ts";
import { eventually } from "../../http/test-api.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** The database files of a running server are deleted, moved, replaced or truncated: calls stop, and the fault says what to do. */

async function openFixture(t: TestContext) {
  const dataDir = temporaryFolder(t);
  // Otherwise all pages are still in the log.
  openDataFolder(dataDir).close();
  const faults: (LastingFault | null)[] = [];
  const store = await openNodeStore(readConfig({ DATA_DIR: dataDir }), {
    onBatch() {},
    onCrash: assert.ifError,
    onFault: assert.ifError,
    onFiles: (fault) => faults.push(fault),
  });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await store.close();
    isOpen = false;
  };
  t.after(close);
  const fixture = createFixture(store);
  const account = await fixture.account("Ada", { credits: 100_000 });
  let charged = 0;
  /** Makes calls, eight at once, until one is refused, and returns the errors. */
  async function callUntilRefused(): Promise<unknown[]> {
    const errors: unknown[] = [];
    async function call(): Promise<void> {
      while (errors.length === 0) {
        try {
          assert.equal((await fixture.debit(account)).outcome, "debited");
          charged += 1;
        } catch (error) {
          errors.push(error);
        }
      }
    }
    await Promise.all(Array.from({ length: 8 }, call));
    return errors;
  }
  return {
    ...{ store, faults, close, account, callUntilRefused, file: databaseFile(dataDir) },
    debit: () => fixture.debit(account),
    charged: () => charged,
  };
}

const LOSSES: [name: string, lose: (file: string) => void, message: RegExp][] = [
  [
    "replaced by a copy",
    (file) => {
      copyFileSync(file, `${file}.older`);
      renameSync(`${file}.older`, file);
    },
    /^toolbooth\.sqlite was replaced by another file while .+ No calls are accepted\. Move the earlier file back/,
  ],
  [
    "deleted",
    (file) => rmSync(file),
    /^toolbooth\.sqlite was deleted or moved away while .+ do not stop the server: docs\/runbooks\.md/,
  ],
];

for (const [name, lose, message] of LOSSES) {
  test(`calls stop when the database is ${name}`, async (t) => {
    const { callUntilRefused, file, faults, debit } = await openFixture(t);
    setImmediate(() => lose(file));
    for (const error of await callUntilRefused()) assert.ok(error instanceof NotCarriedOut);
    assert.match(faults[0]?.message ?? "", message);
    assert.equal(faults[0]?.stopsCalls, true);
    await assert.rejects(debit(), NotCarriedOut);
  });
}

test("calls stop when the database is truncated", async (t) => {
  const { file, faults, debit } = await openFixture(t);
  truncateSync(file, statSync(file).size / 2);
  await eventually("it is noticed", async () => faults.length > 0);
  assert.match(
    faults[0]?.message ?? "",
    /^toolbooth\.sqlite was truncated while .+ `npm run -s toolbooth -- restore <file>`/,
  );
  await assert.rejects(debit(), NotCarriedOut);
});

for (const suffix of ["-wal", "-shm"])
  test(`calls stop when the ${suffix} is deleted, and the database has every charged call after the stop`, async (t) => {
    const { callUntilRefused, charged, file, faults, close } = await openFixture(t);
    setImmediate(() => rmSync(file + suffix));
    for (const error of await callUntilRefused()) assert.ok(error instanceof NotCarriedOut);
    const message = new RegExp(
      `^toolbooth\\.sqlite${suffix} was deleted .+ Stop the server, which writes all commits`,
    );
    assert.match(faults[0]?.message ?? "", message);
    await close();
    const database = new DatabaseSync(file, { readOnly: true });
    t.after(() => database.close());
    assert.equal(database.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
    assert.equal(
      database.prepare("SELECT count(*) AS calls FROM debit").get()?.["calls"],
      charged(),
    );
  });

test("a database that is moved away and back serves calls again", async (t) => {
  const { callUntilRefused, file, faults, debit, store, account } = await openFixture(t);
  const openStores = () =>
    openDashboardStores(store.connect(), {
      ...{ now: Date.now, readTurns: FREE_READ_TURNS, logError: assert.ifError },
      config: {
        ...{ dataDir: path.dirname(file), requestLog: { keptDays: 7, keptMax: 1_000 } },
        secrets: store.secrets,
      },
    });
  const { stores: dashboard, close } = openStores();
  t.after(close);
  const grant = (id: string) =>
    dashboard.ledger.grant({
      ...{ account, id, amount: 5, kind: "operator" as const },
      ...{ expiresAt: null, now: Date.now() },
    });
  await grant("before");
  renameSync(file, `${file}.moved`);
  for (const error of await callUntilRefused()) assert.ok(error instanceof NotCarriedOut);
  await assert.rejects(grant("during"), NotCarriedOut);
  await assert.rejects(dashboard.jobs.count({ queues: ["email"] }), NotCarriedOut);
  assert.throws(openStores, NotCarriedOut);
  renameSync(`${file}.moved`, file);
  await eventually("it serves calls", () => debit().then(Boolean, () => false));
  assert.equal(faults.at(-1), null);
  await grant("after");
  assert.deepEqual(
    (await store.ledger.credits({ account, now: Date.now() })).grants.map(({ id }) => id).sort(),
    ["after", "before", "first"],
  );
});

function openWatched(t: TestContext) {
  const file = path.join(temporaryFolder(t), "toolbooth.sqlite");
  const [one, other] = [openNodeSqlite(file), openNodeSqlite(file)];
  let rows = 0;
  function write(count: number): void {
    const insert = one.prepare("INSERT INTO setting (name, value) VALUES (?, ?)");
    one.transaction("write", () => {
      for (let i = 0; i < count; i += 1) insert.run(`row ${rows++}`, "x".repeat(1_000));
    });
  }
  const checkpoint = (how: string) => one.prepare(`PRAGMA wal_checkpoint(${how})`).all();
  write(400);
  checkpoint("PASSIVE");
  t.mock.timers.enable({ apis: ["setInterval"] });
  const watch = watchFiles(file, () => {});
  t.after(() => {
    one.close();
    other.close();
    watch.close();
  });
  const look = () => {
    t.mock.timers.tick(1_000);
    return watch.blockedBy();
  };
  return { file, one, other, write, checkpoint, look };
}

test("the log that is deleted with the last connection of a stop is no fault", (t) => {
  const file = path.join(temporaryFolder(t), "toolbooth.sqlite");
  const only = openNodeSqlite(file);
  t.mock.timers.enable({ apis: ["setInterval"] });
  const watch = watchFiles(file, () => {});
  watch.stop();
  only.close();
  t.mock.timers.tick(1_000);
  assert.equal(watch.blockedBy(), null);
  watch.close();
});

test("growth, checkpoints, VACUUM and other connections are no faults", (t) => {
  const { file, look, write, checkpoint, one, other } = openWatched(t);
  for (const how of ["PASSIVE", "FULL", "RESTART", "TRUNCATE"]) {
    write(300);
    assert.equal(look(), null, how);
    checkpoint(how);
    assert.equal(look(), null, how);
    other.exec(`INSERT INTO setting (name, value) VALUES ('${how}', '')`);
    assert.equal(look(), null, how);
  }
  const { size } = statSync(file);
  one.exec("DELETE FROM setting WHERE name LIKE 'row %'; VACUUM");
  assert.equal(look(), null, "VACUUM");
  checkpoint("TRUNCATE");
  assert.ok(statSync(file).size < size);
  write(300);
  assert.equal(look(), null, "VACUUM reached the file");
  checkpoint("PASSIVE");
  assert.equal(look(), null, "growth after VACUUM");
});

test("a truncated file stays a fault when it is as long as before", (t) => {
  const { file, look } = openWatched(t);
  const { size } = statSync(file);
  truncateSync(file, 0);
  assert.match(look() ?? "", /truncated/);
  truncateSync(file, size);
  assert.match(look() ?? "", /truncated/);
});
