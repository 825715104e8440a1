import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { sqlite0001Ledger } from "#stores/schema/sqlite-0001-ledger.ts";
import { sqlite0002Entries } from "#stores/schema/sqlite-0002-entries.ts";
import { sqlite0005SalesLedger } from "#stores/schema/sqlite-0005-sales-ledger.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { allEntries, assertBooks, DAY, HOUR, START } from "../contract/ledger/scene.ts";

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

test("who had an account before there were notices is told of what comes, not of what is so", async (t) => {
  const now = Date.now();
  const old = new DatabaseSync(":memory:");
  t.after(() => old.close());
  old.exec(`${sqlite0001Ledger}${sqlite0002Entries}
    INSERT INTO account VALUES (1, 'acc_rich', 1, 'open', 'used'), (2, 'acc_low', 1, 'suspended', 'used'),
      (3, 'acc_late', 1, 'open', 'used'), (4, 'acc_empty', 1, 'open', 'open'), (5, 'acc_closed', 1, 'closed', 'used');
    INSERT INTO credit_grant (account_no, id, kind, amount, remaining, granted_at, expires_at) VALUES
      (1, 'far', 'pack', 50, 50, 1, ${now + 100 * DAY}), (1, 'soon', 'pack', 9, 9, 1, ${now + 20 * DAY}),
      (2, 'next', 'pack', 19, 19, 1, ${now + 3 * DAY}), (2, 'never', 'operator', 1, 0, 1, NULL),
      (3, 'past', 'pack', 50, 50, 1, ${now - DAY}), (5, 'kept', 'pack', 50, 0, 1, ${now + 90 * DAY});
    ${sqlite0005SalesLedger}`);
  const levels = old.prepare("SELECT id, told_level, low_balance FROM account ORDER BY no").all();
  assert.deepEqual(
    levels.map((row) => Object.values(row)),
    [
      ["acc_rich", "enough", 20],
      ["acc_low", "low", 20],
      ["acc_late", "gone", 20],
      ["acc_empty", "gone", 20],
      ["acc_closed", "gone", 20],
    ],
  );
  const looks = old.prepare("SELECT id, look_at FROM credit_grant ORDER BY no").all();
  assert.deepEqual(
    looks.map((row) => Object.values(row)),
    [
      ["far", now + 70 * DAY],
      ["soon", now + 13 * DAY],
      ["next", now + 3 * DAY],
      ["never", null],
      ["past", null],
      ["kept", null],
    ],
  );
});
