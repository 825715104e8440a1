import type { Directory } from "#accounts/directory.ts";
import type { Journal } from "#accounts/journal.ts";
import type { Ledger } from "#credits/ledger.ts";
import type { LetterQueue } from "#mail/letter-queue.ts";
import { openSqliteDirect } from "./sqlite-direct.ts";
import type { SqlDriver } from "./sqlite-driver.ts";
import { createSqliteJournal } from "./sqlite-journal.ts";
import { createKyselyDialect } from "./sqlite-kysely.ts";
import { createSqliteLetters } from "./sqlite-letters.ts";
import { createTurns, inTurns } from "./sqlite-turns.ts";

/** All that the people's side of the service keeps, over one connection of its own. */
export function openSqlitePeople(driver: SqlDriver) {
  const turns = createTurns();
  const { ledger, directory } = openSqliteDirect(driver);
  const journal = Object.fromEntries(
    Object.entries(createSqliteJournal(driver)).map(([name, operation]) => [
      name,
      (order: never) => driver.transaction("write", () => operation(order)),
    ]),
  );
  return {
    ledger: inTurns(turns, ledger) as Ledger,
    directory: inTurns(turns, directory) as Directory,
    journal: inTurns(turns, journal) as Journal,
    letterQueue: inTurns(turns, createSqliteLetters(driver)) as LetterQueue,
    // better-auth hashes passwords in the middle of its transactions; the write lock must not be held meanwhile.
    signInDatabase: {
      dialect: createKyselyDialect(driver, turns),
      type: "sqlite" as const,
      transaction: false,
    },
  };
}
