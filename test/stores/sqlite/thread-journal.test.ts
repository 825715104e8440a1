import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { openSqliteThread } from "#stores/sqlite/thread.ts";
import { createFixture, START, tally } from "../../contract/ledger/fixture.ts";
import { blockDrains, fillJournal, unblockDrains } from "../journal-fixture.ts";

test("a journal that cannot be drained is reported once, and again only after a drain has succeeded", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-thread-"));
  const file = path.join(folder, "toolbooth.sqlite");
  const driver = openNodeSqlite(file);
  fillJournal(driver);
  const faults: string[] = [];
  const crashes: Error[] = [];
  const thread = await openSqliteThread({
    file,
    onCrash: (error) => crashes.push(error),
    onFault: ({ message }) => faults.push(message),
  });
  t.after(async () => {
    await thread.close();
    driver.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const fixture = createFixture(thread);
  const account = await fixture.account("Ada", { credits: 10 });
  const rows = () => Number(driver.prepare("SELECT count(*) AS n FROM debit_journal").get()?.["n"]);
  /** A drain follows each batch, and its report comes before the response of the next batch. */
  const drain = async () => {
    assert.deepEqual(tally([await fixture.debit(account)]), { debited: 1 });
    await fixture.ledger.credits({ account, now: START });
  };

  await drain();
  assert.deepEqual(faults, []);
  blockDrains(driver);
  const before = rows();
  await drain();
  await drain();
  assert.deepEqual(faults, ["no room"]);
  assert.equal(rows(), before + 2, "no debit is lost");

  unblockDrains(driver);
  await drain();
  assert.ok(rows() < before, "it is drained again");
  blockDrains(driver);
  await drain();
  assert.deepEqual(faults, ["no room", "no room"]);
  assert.deepEqual(crashes, []);
});
