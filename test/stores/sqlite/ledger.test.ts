import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { openSqliteThread } from "#stores/sqlite/thread.ts";
import { directoryContract, directoryDurability } from "../../contract/directory.ts";
import { describeConcurrency } from "../../contract/ledger/concurrency.ts";
import { describeDebits } from "../../contract/ledger/debits.ts";
import type { OpenLedger } from "../../contract/ledger/fixture.ts";
import { describeIdempotency } from "../../contract/ledger/idempotency.ts";
import { describeReversals } from "../../contract/ledger/reversals.ts";
import { ledgerContract, ledgerDurability } from "../../contract/ledger.ts";
import { ledgerModel } from "../../contract/ledger-model.ts";

/** A new folder for a database, removed after the test. */
function temporaryFile(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, "toolbooth.sqlite");
}

async function openDirect(t: TestContext) {
  const file = temporaryFile(t);
  let driver = openNodeSqlite(file);
  t.after(() => driver.close());
  return {
    ledger: openSqliteDirect(driver).ledger,
    async reopen() {
      driver.close();
      driver = openNodeSqlite(file);
      return openSqliteDirect(driver).ledger;
    },
  };
}

async function openThread(t: TestContext) {
  const file = temporaryFile(t);
  let thread = await openSqliteThread({ file });
  t.after(() => thread.close());
  return {
    ledger: thread.ledger,
    async reopen() {
      await thread.close();
      thread = await openSqliteThread({ file });
      return thread.ledger;
    },
  };
}

async function openDirectory(t: TestContext) {
  const file = temporaryFile(t);
  let driver = openNodeSqlite(file);
  t.after(() => driver.close());
  return {
    directory: openSqliteDirect(driver).directory,
    async reopen() {
      driver.close();
      driver = openNodeSqlite(file);
      return openSqliteDirect(driver).directory;
    },
  };
}
const openInMemory: OpenLedger = async (t) => {
  const driver = openNodeSqlite(":memory:");
  t.after(() => driver.close());
  return openSqliteDirect(driver);
};
ledgerContract("in SQLite", openDirect);
ledgerModel("in SQLite", openInMemory);
if (process.env["TEST_STORES"] === "all") ledgerContract("in SQLite on its thread", openThread);
else {
  // Runs the contract without the thread, which passes orders on unchanged.
  describe("the ledger, in SQLite on its thread", () => {
    const skip = "a sample of four of the eighteen parts; TEST_STORES=all takes all";
    test("the other parts of the contract", { skip });
    describe("debits", () => describeDebits(openThread));
    describe("idempotency", () => describeIdempotency(openThread));
    describe("reversals", () => describeReversals(openThread));
    describe("concurrency", () => describeConcurrency(openThread));
  });
}
ledgerDurability("in SQLite", openDirect);
ledgerDurability("in SQLite on its thread", openThread);
directoryContract("in SQLite", openDirectory);
directoryDurability("in SQLite", openDirectory);
