import { createPostgresDatabase } from "#stores/postgres/database.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { createD1Database } from "#stores/sql/d1-database.ts";
import { createPurchaseStore } from "#stores/sql/purchases.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { purchaseStoreContract } from "../contract/purchase-store.ts";
import { newDatabase } from "./postgres/fixture.ts";
import { openD1 } from "./sql/d1-fixture.ts";

/** The suite of the purchase book, over every database. */
purchaseStoreContract("in SQLite", async (t) => {
  const driver = openNodeSqlite(":memory:");
  t.after(() => driver.close());
  return createPurchaseStore(createSqliteDatabase(driver));
});
purchaseStoreContract("in D1", async () => createPurchaseStore(createD1Database(openD1().d1)));
purchaseStoreContract("in PostgreSQL", async (t) => {
  const pool = openPostgresPool(await newDatabase(), { max: 4 });
  t.after(() => pool.close());
  return createPurchaseStore(createPostgresDatabase(pool));
});
