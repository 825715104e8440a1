import { existsSync } from "node:fs";
import { createEmailQueue } from "#stores/sql/emails.ts";
import { createJobQueue } from "#stores/sql/jobs.ts";
import { createJournal } from "#stores/sql/journal.ts";
import { createPurchaseStore } from "#stores/sql/purchases.ts";
import { checkIntegrity, findSecret } from "#stores/sqlite/backup.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { isDamage } from "#stores/sqlite/faults.ts";
import { createSqliteMoves } from "#stores/sqlite/moves.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { DataFolderError, databaseFile, openDataFolder, readSecrets } from "../node/data-folder.ts";
import { type Call, ProblemDetails } from "./command.ts";
import type { Deployment } from "./deployment.ts";
import { findSecrets, inProcess } from "./in-process.ts";

/** The data folder, beside a server that may be running. */
export async function openDataOf(call: Call, create: boolean): Promise<Deployment> {
  const { dataDir, secrets } = call.config;
  const isNew = !existsSync(databaseFile(dataDir));
  if (isNew && !create) throw new ProblemDetails(noData(dataDir));
  const driver = await openPatiently(dataDir);
  const db = createSqliteDatabase(driver);
  const moves = createSqliteMoves(driver, databaseFile(dataDir));
  return {
    ...inProcess(call, {
      ...{
        place: dataDir,
        database: db,
        ...openSqliteDirect(driver),
        purchases: createPurchaseStore(db),
        moves,
      },
      ...{ journal: createJournal(db), queue: createEmailQueue(db), jobs: createJobQueue(db) },
      findDamage: async () => checkIntegrity(driver),
      isDamage,
      secrets: async () =>
        isNew
          ? readSecrets(driver, secrets)
          : findSecrets(dataDir, secrets, async () => findSecret(driver)),
    }),
    async exportLines(withSecret, write) {
      // Loaded when it is needed: few commands need it.
      const { exportSqlite } = await import("#stores/sqlite/transfer.ts");
      return exportSqlite(driver, { withSecret }, write);
    },
    async close() {
      moves.close();
      driver.close();
    },
  };
}

export const noData = (dataDir: string) =>
  `There is no data in ${dataDir}. Start the server once or run account create, or set DATA_DIR to where the data is.`;

const PATIENCE_MS = 1_000;
const BETWEEN_TRIES_MS = 50;
const pause = () => new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));

/** Opens the database; where another process is just making it, SQLite does not wait for the lock by itself. */
async function openPatiently(dataDir: string): Promise<NodeSqlite> {
  for (const until = performance.now() + PATIENCE_MS; ; await pause()) {
    try {
      return openDataFolder(dataDir);
    } catch (error) {
      const cause = error instanceof DataFolderError ? error.cause : undefined;
      const isLocked = (cause as { errcode?: number } | undefined)?.errcode === 5;
      if (!isLocked || performance.now() > until) throw error;
    }
  }
}
