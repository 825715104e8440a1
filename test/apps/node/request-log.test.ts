import assert from "node:assert/strict";
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { NotCarriedOut } from "#ledger/port.ts";
import { openNodeRequestLog, requestLogFile } from "../../../src/apps/node/request-log.ts";
import { anEntry, chunkOf, NOON } from "../../contract/request-log.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const ACCOUNT = "acc_000000000001";

function open(t: TestContext) {
  const dataDir = temporaryFolder(t);
  const loggedErrors: string[] = [];
  const start = (keptDays = 7) =>
    openNodeRequestLog(
      { dataDir },
      {
        bounds: { keptDays, keptMax: 1_000 },
        now: () => NOON,
        tidyEveryMs: 20,
        logError: (message) => loggedErrors.push(message),
      },
    );
  return { dataDir, file: requestLogFile(dataDir), start, loggedErrors };
}

const chunks = [chunkOf(ACCOUNT, [anEntry()])];
const list = { account: ACCOUNT, filter: {}, max: 10 };

test("the log is a file of its own that only its owner may read, and survives a restart with its counts", async (t) => {
  const { file, start, loggedErrors } = open(t);
  const first = start();
  assert.ok(!existsSync(file), "it is made at its first use");
  assert.equal(await first.append(chunks), "logged");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await first.close();
  const second = start();
  assert.equal((await second.log.list(list)).requests.length, 1);
  assert.equal((await second.log.counts({ account: ACCOUNT, from: NOON }))[0]?.requests, 1);
  await second.close();
  assert.deepEqual(loggedErrors, []);
});

test("a file that is damaged is replaced, and requests that could not be written are kept for later", async (t) => {
  const { file, start, loggedErrors } = open(t);
  writeFileSync(
    file,
    "this is no database, but it is long enough for the header of one".repeat(200),
  );
  const log = start();
  assert.equal(await log.append(chunks), "again");
  assert.equal(await log.append(chunks), "logged");
  assert.equal((await log.log.list(list)).requests.length, 1);
  await log.close();
  assert.deepEqual(loggedErrors, ["Requests were not written to the request log"]);
});

test("a file that is deleted while the server runs is made again, and only what it had is lost", async (t) => {
  const { file, start, loggedErrors } = open(t);
  const log = start();
  const reader = start();
  await log.append(chunks);
  assert.equal((await reader.log.list(list)).requests.length, 1);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
  assert.equal(await log.append(chunks), "logged");
  assert.equal((await reader.log.list(list)).requests.length, 1, "the reader follows");
  await reader.close();
  await log.close();
  const after = start();
  assert.equal((await after.log.list(list)).requests.length, 1, "what was written is in the file");
  await after.close();
  assert.deepEqual(loggedErrors, []);
});

test("a log that is switched off is deleted", async (t) => {
  const { file, start, loggedErrors } = open(t);
  const on = start();
  await on.append(chunks);
  await on.close();
  const off = start(0);
  assert.ok(!existsSync(file) && !existsSync(`${file}-wal`));
  await off.close();
  assert.ok(!existsSync(file));
  assert.deepEqual(loggedErrors, []);
});

test("a locked file keeps nobody waiting: what is read or written fails, and is written once the lock is gone", async (t) => {
  const { file, start, loggedErrors } = open(t);
  const before = start();
  await before.append(chunks);
  await before.close();
  const other = new DatabaseSync(file);
  // Whoever holds it like this keeps readers out as well.
  other.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
  const log = start();
  assert.equal(await log.append(chunks), "again");
  await assert.rejects(log.log.list(list), NotCarriedOut);
  await assert.rejects(log.log.counts({ account: ACCOUNT, from: NOON }), /locked/);
  await log.close();
  other.exec("COMMIT");
  other.close();
  const after = start();
  assert.equal(await after.append(chunks), "logged");
  assert.equal((await after.log.list(list)).requests.length, 2);
  await after.close();
  assert.deepEqual(loggedErrors, ["Requests were not written to the request log"]);
});

test("requests of a closed account that could not be deleted because of a lock are deleted later", async (t) => {
  const { file, start } = open(t);
  const log = start();
  await log.append(chunks);
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  await assert.rejects(log.log.forget({ account: ACCOUNT, now: NOON }), NotCarriedOut);
  assert.equal(await log.append(chunks), "again");
  other.exec("COMMIT");
  other.close();
  const left = () => log.log.list(list).then(({ requests }) => requests.length);
  while ((await left().catch(() => 1)) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await log.close();
});
