import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { TransferRecord } from "#ledger/transfer/records.ts";
import { exportPostgres } from "#stores/postgres/imports.ts";
import { createFixture, DAY } from "../../contract/ledger/fixture.ts";
import { openSqliteDirect } from "../../support/sqlite-direct.ts";
import { type Goal, holdTransfers } from "../transfer-contract.ts";
import { fillLedger, importAll, NOW, openEmpty, recordsOf } from "../transfer-fixture.ts";
import { emptyDatabase, newDatabase } from "./fixture.ts";
import { openFresh, openStore } from "./transfer-fixture.ts";

/** The same database each time, without its rows. */
let reused: ReturnType<typeof openStore> | undefined;
after(() => reused?.close());

async function openGoal(): Promise<Goal> {
  reused ??= openStore(await newDatabase());
  await emptyDatabase(reused.pool);
  return reused;
}

holdTransfers("PostgreSQL", openGoal);

test("an export of PostgreSQL shows one moment, whatever is written concurrently, and blocks no writer", async (t) => {
  const store = await openFresh(t);
  await fillLedger(store);
  const before = await store.export();
  const records: TransferRecord[] = [];
  let opened: unknown;
  for await (const page of exportPostgres(store.pool, async () => {})) {
    opened ??= await store.ledger.openAccount({ account: "acc_z", freeCall: "open", now: 1 });
    records.push(...page);
  }
  assert.deepEqual(opened, { opened: true });
  assert.deepEqual(records, before);
  assert.equal((await store.export()).length, before.length + 1);
});

test("an import creates the days of its calls, so that none is in the table that each new day is compared with", async (t) => {
  const [store, from] = [await openFresh(t), openEmpty(t)];
  const { account, debit } = createFixture(openSqliteDirect(from));
  const id = await account("Ada", { credits: 10 });
  for (const days of [0, 2, 45]) await debit(id, { now: NOW - days * DAY });
  await importAll(store, await recordsOf(from));
  const dayOf = (days: number) =>
    `debit_${new Date(NOW - days * DAY).toISOString().slice(0, 10).replaceAll("-", "")}`;
  assert.deepEqual(await store.places(), { [dayOf(2)]: 1, [dayOf(0)]: 1, debit_other: 1 });
});

test("an export that its reader leaves ends its transaction", async (t) => {
  const { pool, ...store } = await openFresh(t);
  await fillLedger(store);
  const pages = exportPostgres(pool, async () => {});
  await pages.next();
  await pages.return(undefined);
  const [row] = await pool.once<{ open: number }>(
    "read",
    "SELECT count(*) AS open FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()",
  );
  assert.equal(Number(row?.open), 0);
});
