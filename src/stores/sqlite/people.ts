import type { Ledger } from "#ledger/port.ts";
import { logAttempt } from "../sql/deliveries.ts";
import { createDirectory } from "../sql/directory.ts";
import { createEmailQueue } from "../sql/emails.ts";
import { createEventStore } from "../sql/events.ts";
import { createJobQueue } from "../sql/jobs.ts";
import { createJournal } from "../sql/journal.ts";
import { createPurchaseStore } from "../sql/purchases.ts";
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
    turns,
    ledger: inTurns(turns, openSqliteDirect(driver).ledger) as Ledger,
    directory: createDirectory(db),
    journal: createJournal(db),
    emailQueue: createEmailQueue(db),
    jobs: createJobQueue(db, logAttempt),
    purchases: createPurchaseStore(db),
    events: createEventStore(db),
    // better-auth hashes passwords in the middle of its transactions; the write lock must not be held meanwhile.
    signInDatabase: {
      dialect: createKyselyDialect(driver, turns),
      type: "sqlite" as const,
      transaction: false,
    },
  };
}
