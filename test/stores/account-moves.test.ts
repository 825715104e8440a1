import { createPostgresImports } from "#stores/postgres/imports.ts";
import { createSqliteImports } from "#stores/sqlite/imports.ts";
import { testAccountMoves } from "../contract/account-moves.ts";
import { openSqliteDirect } from "../support/sqlite-direct.ts";
import { borrowDatabase } from "./postgres/fixture.ts";
import { openStore } from "./postgres/transfer-fixture.ts";
import { openDriver, temporaryFile } from "./sqlite/fixture.ts";
import { recordsOf } from "./transfer-fixture.ts";

testAccountMoves("SQLite", async (t) => {
  const file = temporaryFile(t);
  const openOne = () => {
    const driver = openDriver(t, file);
    const { ledger } = openSqliteDirect(driver);
    return { ledger, moves: createSqliteImports(driver), records: () => recordsOf(driver) };
  };
  return { ...openOne(), another: openOne() };
});

testAccountMoves("PostgreSQL", async (t) => {
  const url = await borrowDatabase(t);
  const openOne = () => {
    const { ledger, pool, export: records, close } = openStore(url);
    t.after(close);
    return { ledger, moves: createPostgresImports(pool), records };
  };
  return { ...openOne(), another: openOne() };
});
