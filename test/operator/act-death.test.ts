/** If the process dies during an operator action, the action stays recorded as started. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { Ledger } from "#ledger/port.ts";
import { createPostgresDatabase } from "#stores/postgres/database.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import type { SqlDatabase } from "#stores/sql/sql-database.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { temporaryFolder } from "../apps/cli/fixture.ts";
import { newDatabase, openNode } from "../stores/postgres/fixture.ts";
import { bareEnvironment } from "../support/bare-environment.ts";
import { openSqliteDirect } from "../support/sqlite-direct.ts";

const ADA = "acc_Ada000000000";
const NOW = Date.now();

async function die(place: string, moment: "before" | "after"): Promise<void> {
  const file = path.join(import.meta.dirname, "dies-in-an-action.ts");
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", file, place, moment],
    { env: bareEnvironment(), stdio: ["ignore", "ignore", "inherit"] },
  );
  assert.deepEqual(await once(child, "exit"), [null, "SIGKILL"]);
}

async function testDeaths(place: string, ledger: Ledger, database: SqlDatabase): Promise<void> {
  await ledger.openAccount({ account: ADA, freeCall: "open", now: NOW });
  for (const [moment, state] of [
    ["before", "open"],
    ["after", "suspended"],
  ] as const) {
    await die(place, moment);
    const { actions } = await createOperatorActions(database).list({ after: null, max: 1 });
    assert.deepEqual(
      actions.map(({ by, action, subject, outcome }) => [by, action, subject, outcome]),
      [["ada", "account suspend", ADA, "started"]],
    );
    assert.equal((await ledger.findAccount({ account: ADA, now: NOW }))?.state, state);
  }
}

test("an action is recorded as started on SQLite if the process dies", async (t: TestContext) => {
  const file = path.join(temporaryFolder(), "ledger.sqlite");
  const driver = openNodeSqlite(file);
  t.after(() => driver.close());
  await testDeaths(file, openSqliteDirect(driver).ledger, createSqliteDatabase(driver));
});

test("an action is recorded as started on PostgreSQL if the process dies", async (t: TestContext) => {
  const url = await newDatabase();
  const { ledger, pool, close } = await openNode(url);
  t.after(close);
  await testDeaths(url, ledger, createPostgresDatabase(pool));
});
