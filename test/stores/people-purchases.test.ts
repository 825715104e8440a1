import { createPostgresDatabase } from "#stores/postgres/database.ts";
import { createD1Database } from "#stores/sql/d1-database.ts";
import { createPurchaseBook } from "#stores/sql/purchases.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { purchaseBookContract } from "../contract/purchase-store.ts";
import { openPoolLater } from "./postgres/fixture.ts";
import { openD1 } from "./sql/d1-fixture.ts";

/** The suite of the purchase book, over every database. */
purchaseBookContract("in SQLite", async (t) => {
  const driver = openNodeSqlite(":memory:");
  t.after(() => driver.close());
  return createPurchaseBook(createSqliteDatabase(driver));
});
purchaseBookContract("in D1", async () => createPurchaseBook(createD1Database(openD1().d1)));
purchaseBookContract("in PostgreSQL", async () =>
  createPurchaseBook(createPostgresDatabase(openPoolLater())),
);
