import type { Ledger } from "#credits/ledger.ts";
import { createDirectory } from "./people-directory.ts";
import { createJournal } from "./people-journal.ts";
import { createLetterQueue } from "./people-letters.ts";
import { createNoticeBook } from "./people-notices.ts";
import { createPurchaseBook } from "./people-purchases.ts";
import { createSqliteDatabase } from "./sqlite-database.ts";
import { openSqliteDirect } from "./sqlite-direct.ts";
import type { SqlDriver } from "./sqlite-driver.ts";
import { createKyselyDialect } from "./sqlite-kysely.ts";
import { createTurns, inTurns } from "./sqlite-turns.ts";

/** All that the people's side of the service keeps, over one connection of its own. */
export function openSqlitePeople(driver: SqlDriver) {
  const turns = createTurns();
  const db = createSqliteDatabase(driver, turns);
  return {
    ledger: inTurns(turns, openSqliteDirect(driver).ledger) as Ledger,
    directory: createDirectory(db),
    journal: createJournal(db),
    letterQueue: createLetterQueue(db),
    purchases: createPurchaseBook(db),
    notices: createNoticeBook(db),
    // better-auth hashes passwords in the middle of its transactions; the write lock must not be held meanwhile.
    signInDatabase: {
      dialect: createKyselyDialect(driver, turns),
      type: "sqlite" as const,
      transaction: false,
    },
  };
}
