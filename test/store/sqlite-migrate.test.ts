import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { sqlite0001Ledger } from "#store/migrations/sqlite-0001-ledger.ts";
import { openSqliteDirect } from "#store/sqlite-direct.ts";
import { openNodeSqlite } from "#store/sqlite-node.ts";
import { allEntries, assertBooks, HOUR, START } from "../contract/ledger/scene.ts";

test("the books of the first schema become entries that add up, with all that is known of them", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-migrate-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "toolbooth.sqlite");
  const old = new DatabaseSync(file);
  old.exec(`${sqlite0001Ledger}
    INSERT INTO account VALUES (1, 'acc_open', 1, 'open', 'used'), (2, 'acc_closed', 1, 'closed', 'withheld');
    INSERT INTO api_key VALUES (1, 1, 'key_1', 'a', 'tb_', 'one', 1, NULL, NULL),
      (2, 2, 'key_2', 'b', 'tb_', 'two', 1, NULL, NULL);
    INSERT INTO credit_grant VALUES (1, 1, 'g', 'pack', 9, 7, 0, ${START}, NULL),
      (2, 2, 'g', 'starter', 9, 0, 8, ${START}, NULL);
    -- A free call and two paid ones; one paid call is given back. Earlier, one was given back and folded.
    INSERT INTO debit VALUES (1, ${START}, 'c1', 1, 'hash', 0, NULL, NULL),
      (1, ${START} + 1, 'c2', 1, 'hash', 1, 1, NULL),
      (1, ${START} + 2, 'c3', 1, 'uuid', 1, 1, ${START} + 3),
      (2, ${START} + ${HOUR}, 'c4', 2, 'hash', 1, 2, NULL);
    INSERT INTO usage_hour VALUES (1, ${START - HOUR}, 1, 'hash', 1, 1);
    INSERT INTO reversal VALUES (1, ${START} + 2, 'c3', ${START} + 3, 1, 1),
      (1, ${START - HOUR}, 'c0', ${START - HOUR}, 1, 0);
    PRAGMA user_version = 1;`);
  old.close();

  const driver = openNodeSqlite(file);
  t.after(() => driver.close());
  const { ledger } = openSqliteDirect(driver);
  await assertBooks(ledger, START);
  const linesOf = async (account: string) =>
    (await allEntries(ledger, account, START)).map(
      ({ kind, at, credits, grant, tool, key }) =>
        `${kind} ${at - START} ${credits} ${grant?.id} ${tool} ${key}`,
    );
  assert.deepEqual(await linesOf("acc_open"), [
    "reversal 3 1 g uuid key_1",
    "debit 2 -1 g uuid key_1",
    "debit 1 -1 g hash key_1",
    "debit 0 0 undefined hash key_1",
    "grant 0 9 g null null",
    `reversal ${-HOUR} 1 undefined null null`,
    `debit ${-HOUR} -1 undefined null null`,
    `usage ${-HOUR} -1 undefined hash key_1`,
  ]);
  // Nobody noted when it was closed: not before the last that is known of it.
  assert.deepEqual(await linesOf("acc_closed"), [
    `void ${HOUR} -8 g null null`,
    `debit ${HOUR} -1 g hash key_2`,
    "grant 0 9 g null null",
  ]);
});
