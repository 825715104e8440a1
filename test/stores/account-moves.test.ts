import { createPostgresMoves } from "#stores/postgres/moves.ts";
import { createPurchaseStore } from "#stores/sql/purchases.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { createSqliteMoves } from "#stores/sqlite/moves.ts";
import { type OpenedMoves, testAccountMoves } from "../contract/account-moves.ts";
import { borrowDatabase } from "./postgres/fixture.ts";
import { openStore } from "./postgres/transfer-fixture.ts";
import { openDriver, temporaryFile } from "./sqlite/fixture.ts";

testAccountMoves("SQLite", async (t) => {
  const file = temporaryFile(t);
  const openOne = () => {
    const driver = openDriver(t, file);
    const moves = createSqliteMoves(driver, file);
    t.after(() => moves.close());
    const purchases = createPurchaseStore(createSqliteDatabase(driver));
    return { ...openSqliteDirect(driver), purchases, moves };
  };
  const { ledger, directory, purchases, moves } = openOne();
  const fill = (fillLedger: Parameters<OpenedMoves["fill"]>[0]) =>
    fillLedger({ ledger, directory, purchases });
  return { ledger, moves, fill, another: openOne() };
});

testAccountMoves("PostgreSQL", async (t) => {
  const url = await borrowDatabase(t);
  const openOne = () => {
    const store = openStore(url);
    const moves = createPostgresMoves(store.pool);
    t.after(async () => {
      await moves.close();
      await store.close();
    });
    return { ...store, moves };
  };
  const { ledger, directory, purchases, moves } = openOne();
  const fill = (fillLedger: Parameters<OpenedMoves["fill"]>[0]) =>
    fillLedger({ ledger, directory, purchases });
  return { ledger, moves, fill, another: openOne() };
});
