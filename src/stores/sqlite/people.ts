import type { Ledger } from "#ledger/port.ts";
import { logAttempt } from "#stores/sql/deliveries.ts";
import { createDirectory } from "#stores/sql/directory.ts";
import { createLetterQueue } from "#stores/sql/emails.ts";
import { createJobQueue } from "#stores/sql/jobs.ts";
import { createJournal } from "#stores/sql/journal.ts";
import { createNoticeBook } from "#stores/sql/notices.ts";
import { createPurchaseBook } from "#stores/sql/purchases.ts";
import { createSqliteDatabase } from "./database.ts";
import { openSqliteDirect } from "./direct.ts";
import type { SqlDriver } from "./driver.ts";
import { createKyselyDialect } from "./kysely.ts";
import { createTurns, inTurns } from "./turns.ts";

/** All that the people's side of the service keeps, over one connection of its own. */
export function openSqlitePeople(driver: SqlDriver) {
  const turns = createTurns();
  const db = createSqliteDatabase(driver, turns);
  return {
    database: db,
    ledger: inTurns(turns, openSqliteDirect(driver).ledger) as Ledger,
    directory: createDirectory(db),
    journal: createJournal(db),
    letterQueue: createLetterQueue(db),
    jobs: createJobQueue(db, logAttempt),
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
