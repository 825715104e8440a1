import { existsSync } from "node:fs";
import { createOperatorDesk } from "#accounts/operator-desk.ts";
import type { Config } from "#config.ts";
import type { Ledger } from "#credits/ledger.ts";
import { DAY_MS } from "#limits.ts";
import { wayOf } from "#mail/read-mail-settings.ts";
import { createJournal } from "#store/people-journal.ts";
import { createLetterQueue } from "#store/people-letters.ts";
import { checkIntegrity, findSecret } from "#store/sqlite-backup.ts";
import { createSqliteDatabase } from "#store/sqlite-database.ts";
import { openSqliteDirect } from "#store/sqlite-direct.ts";
import type { NodeSqlite } from "#store/sqlite-node.ts";
import { pagesOf } from "#store/sqlite-transfer-rows.ts";
import type { Audited, Books } from "./cli-books.ts";
import { type Call, Refusal } from "./cli-command.ts";
import { DataFolderFault, databaseFile, openDataFolder, readSecrets } from "./data-folder.ts";
import { baseOf } from "./node-addresses.ts";
import { hashKey, random } from "./node-house.ts";

/** The books in the data folder, beside a server that may be running. */
export async function openLocalBooks({ config, now }: Call, create: boolean): Promise<Books> {
  const { dataDir } = config;
  const isNew = !existsSync(databaseFile(dataDir));
  if (isNew && !create) throw new Refusal(noData(dataDir));
  const driver = await openPatiently(dataDir);
  const db = createSqliteDatabase(driver);
  const { ledger, directory } = openSqliteDirect(driver);
  const publicUrl = baseOf(config, config.port);
  return {
    place: dataDir,
    random,
    desk: createOperatorDesk({
      ...{ ledger, directory },
      async desk() {
        const secrets = isNew
          ? readSecrets(driver, config.secrets)
          : await findSecrets(driver, config);
        return { ledger, directory, secrets, random, hashKey };
      },
      tell: {
        ...{ journal: createJournal(db), queue: createLetterQueue(db), random, publicUrl },
        way: wayOf(config.mail),
      },
    }),
    audit: () => audit(ledger, driver, now),
    usage: (from, to) => usageOf(ledger, from, to),
    async *grants() {
      for (const grant of pagesOf(driver, "grant")) yield [grant];
    },
    async exportLines(withSecret, write) {
      // Loaded when it is needed: the checks of the format take as long to load as any other command takes to run.
      const { exportSqlite } = await import("#store/sqlite-transfer.ts");
      return exportSqlite(driver, { withSecret }, write);
    },
    linksLead: config.publicUrl === null ? ` Its links lead to ${publicUrl}: set PUBLIC_URL.` : "",
    close: () => driver.close(),
  };
}

export const noData = (dataDir: string) =>
  `There is no data in ${dataDir}. Start the server once or run account create, or set DATA_DIR to where the data is.`;

async function audit(ledger: Ledger, driver: NodeSqlite, now: number): Promise<Audited> {
  const damage = checkIntegrity(driver);
  try {
    const { accounts, books, faults } = await ledger.audit({ now });
    return { accounts, books, faults, damage };
  } catch (error) {
    // In a damaged database the sums themselves may be unreadable; that is a fault as well, not a crash.
    const faults = [`The books cannot be read: ${(error as Error).message}`];
    return { accounts: 0, books: null, faults, damage };
  }
}

const DAYS_AT_ONCE_MS = 31 * DAY_MS;

/** A month at a time, so that a report on years needs no more memory. */
async function* usageOf({ usage }: Pick<Ledger, "usage">, start: number, end: number) {
  for (let from = start; from < end; from += DAYS_AT_ONCE_MS) {
    yield await usage({ account: null, from, to: Math.min(end, from + DAYS_AT_ONCE_MS) });
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

/**
 * The secrets under which the server that uses this data works. A server without SECRET keeps one with the data as
 * soon as it makes it; so where none is kept the server has SECRET, and a key made under another one would be refused.
 */
async function findSecrets(driver: NodeSqlite, config: Config): Promise<readonly string[]> {
  if (config.secrets !== null) return config.secrets;
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await pause()) {
    const secret = findSecret(driver);
    if (secret !== null) return [secret];
  }
  throw new Refusal(
    `The data in ${config.dataDir} has no secret of its own: its server is given one. Set SECRET to the same value for this command.`,
  );
}
