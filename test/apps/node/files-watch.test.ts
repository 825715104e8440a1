import assert from "node:assert/strict";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { readConfig } from "#config/config.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import { openDashboardStore } from "../../../src/apps/node/dashboard-store.ts";
import { databaseFile } from "../../../src/apps/node/data-folder.ts";
import type { DatabaseFiles } from "../../../src/apps/node/database-files.ts";
import { watchFiles } from "../../../src/apps/node/files-watch.ts";
import type { LastingFault } from "../../../src/apps/node/lasting-faults.ts";
import { openNodeStore } from "../../../src/apps/node/store.ts";
import { createFixture } from "../../contract/ledger/fixture.ts";
import { temporaryFolder } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";

/** While the server runs, its database files are deleted, moved or truncated: no calls without a ledger, and nothing is lost. */

async function openFixture(t: TestContext) {
  const dataDir = temporaryFolder(t);
  const faults: (LastingFault | null)[] = [];
  const logged: string[] = [];
  const store = await openNodeStore(
    readConfig({ DATA_DIR: dataDir }),
    {
      onBatch() {},
      onCrash: assert.ifError,
      onFault: assert.ifError,
      onFiles: (fault) => faults.push(fault),
    },
    { forMs: 0, log: (sentence) => logged.push(sentence) },
  );
  let isOpen = true;
  const close = async () => {
    if (isOpen) await store.close();
    isOpen = false;
  };
  t.after(close);
  const fixture = createFixture(store);
  const account = await fixture.account("Ada", { credits: 100_000 });
  /** The ids of the calls that were charged. */
  const charged: string[] = [];
  /** Makes calls, eight at once, until one is refused, and returns the errors. */
  async function callUntilRefused(): Promise<unknown[]> {
    const errors: unknown[] = [];
    async function call(): Promise<void> {
      while (errors.length === 0) {
        const callId = `call_${crypto.randomUUID()}`;
        try {
          assert.equal((await fixture.debit(account, { callId })).outcome, "debited");
          charged.push(callId);
        } catch (error) {
          errors.push(error);
        }
      }
    }
    await Promise.all(Array.from({ length: 8 }, call));
    return errors;
  }
  return {
    ...{ dataDir, store, faults, logged, charged, close, account },
    debit: () => fixture.debit(account),
    callUntilRefused,
    file: databaseFile(dataDir),
    saved: () =>
      readdirSync(dataDir)
        .filter((name) => /^toolbooth-rescued-.*\.sqlite$/.test(name))
        .map((name) => path.join(dataDir, name)),
  };
}

function callsIn(file: string): Set<string> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    assert.equal(database.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
    const rows = database.prepare("SELECT call_id FROM debit").all();
    return new Set(rows.map((row) => row["call_id"] as string));
  } finally {
    database.close();
  }
}

const LOSSES: [name: string, lose: (file: string) => void, what: RegExp, next: string][] = [
  [
    "replaced by a copy",
    (file) => {
      copyFileSync(file, `${file}.older`);
      renameSync(`${file}.older`, file);
    },
    /^toolbooth\.sqlite was replaced by another file while/,
    "toolbooth\\.sqlite was replaced in ",
  ],
  [
    "deleted",
    (file) => rmSync(file),
    /^toolbooth\.sqlite was deleted while/,
    "The ledger is lost: ",
  ],
  [
    "deleted with its log",
    (file) => {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix);
    },
    /^toolbooth\.sqlite was deleted while/,
    "The ledger is lost: ",
  ],
  [
    "truncated",
    (file) => truncateSync(file, statSync(file).size / 2),
    /^toolbooth\.sqlite was truncated while/,
    "toolbooth\\.sqlite was truncated in ",
  ],
];

for (const [name, lose, what, next] of LOSSES) {
  test(`the database is ${name} under load: calls stop, and every charged call is saved`, async (t) => {
    const { callUntilRefused, file, saved, charged, faults, debit, close, dataDir } =
      await openFixture(t);
    for (let i = 0; i < 20; i += 1) await debit();
    setImmediate(() => lose(file));
    for (const error of await callUntilRefused())
      assert.ok(error instanceof NotCarriedOut, `${error}`);
    await eventually("it is saved", async () => saved().length === 1);
    assert.match(faults[0]?.message ?? "", what);
    await eventually("it says so", async () =>
      /No calls are accepted\. All data is in toolbooth-rescued-.+ `npm run -s toolbooth -- restore \/.+\.sqlite`/.test(
        faults.at(-1)?.message ?? "",
      ),
    );
    assert.ok(faults.every((fault) => fault?.stopsCalls));
    const found = callsIn(saved()[0] as string);
    assert.deepEqual(
      charged.filter((id) => !found.has(id)),
      [],
    );
    await assert.rejects(debit(), NotCarriedOut);
    await close();
    await assert.rejects(
      openNodeStore(readConfig({ DATA_DIR: dataDir }), {
        onBatch() {},
        onCrash() {},
        onFault() {},
      }),
      { message: new RegExp(`^${next}.* toolbooth -- restore ${saved()[0]}`) },
    );
  });
}

test("a database that is moved away and back serves calls again", async (t) => {
  const { callUntilRefused, file, faults, debit, store, account } = await openFixture(t);
  const dashboard = openDashboardStore(
    { data: { file, blocked: store.blocked as SharedArrayBuffer } },
    assert.ifError,
  );
  t.after(() => dashboard.close());
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
  assert.throws(
    () => openDashboardStore({ data: { file, blocked: store.blocked } }, assert.ifError),
    NotCarriedOut,
  );
  await eventually("it says so", async () =>
    /Move toolbooth\.sqlite back/.test(faults.at(-1)?.message ?? ""),
  );
  renameSync(`${file}.moved`, file);
  await eventually("it serves calls", () => debit().then(Boolean, () => false));
  assert.equal(faults.at(-1), null);
  await grant("after");
  assert.deepEqual(
    (await store.ledger.credits({ account, now: Date.now() })).grants.map(({ id }) => id).sort(),
    ["after", "before", "first"],
  );
});

test("a copy that fails is tried again when the server stops, and the next start finds it", async (t) => {
  const { dataDir, file, faults, charged, callUntilRefused, close, saved, logged } =
    await openFixture(t);
  // Nothing can be created in a folder whose place a file has taken.
  renameSync(dataDir, `${dataDir}.moved`);
  writeFileSync(dataDir, "");
  t.after(() => rmSync(`${dataDir}.moved`, { recursive: true, force: true }));
  await callUntilRefused();
  await eventually("it says so", async () =>
    /exists only in this process/.test(faults.at(-1)?.message ?? ""),
  );
  assert.match(logged.at(-1) ?? "", /^Saving the data to .* failed: /);
  rmSync(dataDir);
  mkdirSync(dataDir);
  await close();
  const found = callsIn(saved()[0] as string);
  assert.ok(charged.every((id) => found.has(id)));
  await assert.rejects(
    openNodeStore(readConfig({ DATA_DIR: dataDir }), { onBatch() {}, onCrash() {}, onFault() {} }),
    { message: new RegExp(`^The ledger is lost: ${file} is missing.*restore ${saved()[0]}`) },
  );
});

test("a file that comes back while the data is saved: a later fault saves it anew", async (t) => {
  const dataDir = temporaryFolder(t);
  const faults: (LastingFault | null)[] = [];
  const logged: string[] = [];
  const copies: { to: string; end: () => void }[] = [];
  let isMoved = false;
  const watch = watchFiles({
    files: {
      look: () => (isMoved ? { file: "toolbooth.sqlite", kind: "moved", movedTo: null } : null),
    } as DatabaseFiles,
    dataDir,
    copy: ({ copyTo }) =>
      new Promise((end) => {
        copies.push({ to: copyTo, end });
      }),
    onFault: (fault) => faults.push(fault),
    onDamage: assert.fail,
    onReplaced: assert.fail,
    log: (sentence) => logged.push(sentence),
    everyMs: 60_000,
    reusedMs: 0,
  });
  const look = (moved: boolean) => {
    isMoved = moved;
    assert.equal(watch.blockedBy(), moved ? "toolbooth.sqlite was moved" : null);
  };
  const saved = () => readdirSync(dataDir).filter((name) => /^toolbooth-rescued-/.test(name));
  look(true);
  look(false);
  copies[0]?.end();
  await eventually("the copy is dropped", async () => saved().length === 0);
  look(true);
  assert.match(faults.at(-1)?.message ?? "", /The server is saving/);
  assert.equal(copies.length, 2);
  look(false);
  look(true);
  copies[1]?.end();
  await eventually("it is copied once more", async () => copies.length === 3);
  assert.match(faults.at(-1)?.message ?? "", /The server is saving/);
  copies[2]?.end();
  await eventually("it says so", async () => /All data is in/.test(faults.at(-1)?.message ?? ""));
  assert.equal(saved().length, 1);
  look(false);
  assert.match(logged.at(-1) ?? "", /^toolbooth-rescued-.+ is outdated, .+ do not restore it\.$/);
  await watch.close();
});

test("a file that is moved away while the server starts is saved", async (t) => {
  const dataDir = temporaryFolder(t);
  const config = readConfig({ DATA_DIR: dataDir });
  const faults: (LastingFault | null)[] = [];
  const logged: string[] = [];
  t.mock.timers.enable({ apis: ["setInterval"] });
  const opening = openNodeStore(
    config,
    { onBatch() {}, onCrash() {}, onFault() {}, onFiles: (fault) => faults.push(fault) },
    { forMs: 0, log: (sentence) => logged.push(sentence) },
  );
  const file = databaseFile(dataDir);
  renameSync(file, `${file}.away`);
  t.mock.timers.tick(250);
  renameSync(`${file}.away`, file);
  await eventually("it is saved", async () => faults.length > 1);
  assert.match(faults[1]?.message ?? "", /All data is in/, logged.join("\n"));
  await (await opening).close();
});
