import { existsSync } from "node:fs";
import { createLetterQueue } from "#stores/sql/emails.ts";
import { createJournal } from "#stores/sql/journal.ts";
import { createPurchaseBook } from "#stores/sql/purchases.ts";
import { checkIntegrity, findSecret } from "#stores/sqlite/backup.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { pagesOf } from "#stores/sqlite/transfer-rows.ts";
import type { Audited, Books } from "./cli-books.ts";
import { type Call, Refusal } from "./cli-command.ts";
import { booksOver, findSecrets } from "./cli-ledger-books.ts";
import { DataFolderFault, databaseFile, openDataFolder, readSecrets } from "./data-folder.ts";

/** The books in the data folder, beside a server that may be running. */
export async function openLocalBooks(call: Call, create: boolean): Promise<Books> {
  const { dataDir, secrets } = call.config;
  const isNew = !existsSync(databaseFile(dataDir));
  if (isNew && !create) throw new Refusal(noData(dataDir));
  const driver = await openPatiently(dataDir);
  const db = createSqliteDatabase(driver);
  const { ledger, directory } = openSqliteDirect(driver);
  const over = booksOver(call, {
    ...{ place: dataDir, ledger, directory, purchases: createPurchaseBook(db) },
    ...{ journal: createJournal(db), queue: createLetterQueue(db) },
    async *grants() {
      for (const grant of pagesOf(driver, "grant")) yield [grant];
    },
    secrets: async () =>
      isNew
        ? readSecrets(driver, secrets)
        : findSecrets(dataDir, secrets, async () => findSecret(driver)),
  });
  return {
    ...over,
    audit: () => audit(over, driver),
    async exportLines(withSecret, write) {
      // Loaded when it is needed: the checks of the format take as long to load as any other command takes to run.
      const { exportSqlite } = await import("#stores/sqlite/transfer.ts");
      return exportSqlite(driver, { withSecret }, write);
    },
    close: async () => driver.close(),
  };
}

export const noData = (dataDir: string) =>
  `There is no data in ${dataDir}. Start the server once or run account create, or set DATA_DIR to where the data is.`;

async function audit({ sums }: Pick<Books, "sums">, driver: NodeSqlite): Promise<Audited> {
  const damage = checkIntegrity(driver);
  try {
    return { ...(await sums()), damage };
  } catch (error) {
    // In a damaged database the sums themselves may be unreadable; that is a fault as well, not a crash.
    const faults = [`The books cannot be read: ${(error as Error).message}`];
    return { accounts: 0, books: null, faults, damage };
  }
}

const PATIENCE_MS = 1_000;
const BETWEEN_TRIES_MS = 50;
const pause = () => new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));

/** Opens the database; where another process is just making it, SQLite does not wait for the lock by itself. */
async function openPatiently(dataDir: string): Promise<NodeSqlite> {
  for (const until = performance.now() + PATIENCE_MS; ; await pause()) {
    try {
      return openDataFolder(dataDir);
    } catch (error) {
      const cause = error instanceof DataFolderFault ? error.cause : undefined;
      const isLocked = (cause as { errcode?: number } | undefined)?.errcode === 5;
      if (!isLocked || performance.now() > until) throw error;
    }
  }
}
