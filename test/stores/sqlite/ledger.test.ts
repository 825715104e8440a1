import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { openSqliteThread } from "#stores/sqlite/thread.ts";
import { directoryContract, directoryDurability } from "../../contract/directory.ts";
import type { OpenLedger } from "../../contract/ledger/fixture.ts";
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
// The thread passes orders on unchanged, and the contract ran without it.
ledgerContract("in SQLite on its thread", openThread, 3);
ledgerDurability("in SQLite", openDirect);
ledgerDurability("in SQLite on its thread", openThread);
directoryContract("in SQLite", openDirectory);
directoryDurability("in SQLite", openDirectory);
