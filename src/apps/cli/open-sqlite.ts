import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { quotedCommand } from "#command-line.ts";
import { createActivityLog } from "#stores/sql/activity-log.ts";
import { createEmailQueue } from "#stores/sql/emails.ts";
import { createJobQueue } from "#stores/sql/jobs.ts";
import { createPurchaseStore } from "#stores/sql/purchases.ts";
import { copySqlite, findDamage } from "#stores/sqlite/backup.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { isDamage, primaryCodeOf, SQLITE_FULL } from "#stores/sqlite/faults.ts";
import { createSqliteMoves } from "#stores/sqlite/moves.ts";
import { type NodeSqlite, openNodeSqliteReadOnly } from "#stores/sqlite/node.ts";
import {
  DataFolderError,
  databaseFile,
  isMissingOrEmpty,
  openDataFolder,
} from "../node/data-folder.ts";
import { openRequestLogFile, requestLogFile } from "../node/request-log.ts";
import { openSecrets, readSecretFile, secretFile } from "../node/secret-file.ts";
import { findServer } from "../node/server-lock.ts";
import { CommandError, type Deployment, type Invocation } from "./command.ts";
import { withTemporaryFolder } from "./files.ts";
import { createLocalDeployment, findSecrets } from "./local.ts";

/** Opens the data folder. While a server runs there, its ledger's thread is the only writer. */
export async function openDataFolderOf(
  invocation: Invocation,
  canCreate: boolean,
): Promise<Deployment> {
  const { dataDir, secrets } = invocation.config;
  const isNew = isMissingOrEmpty(databaseFile(dataDir));
  if (isNew && !canCreate) throw new CommandError(noData(dataDir));
  const server = findServer(dataDir);
  if (server !== null)
    throw new CommandError(
      `A ${server} is running on the data folder ${dataDir}. Use ${quotedCommand("--remote <url>")}, or stop it.`,
    );
  const driver = await openUnlocked(dataDir);
  const db = createSqliteDatabase(driver);
  const moves = createSqliteMoves(driver, databaseFile(dataDir));
  const requests = existsSync(requestLogFile(dataDir))
    ? openRequestLogFile(requestLogFile(dataDir), invocation.config.requestLog)
    : null;
  return {
    ...createLocalDeployment(invocation, {
      place: dataDir,
      database: db,
      ...openSqliteDirect(driver),
      purchases: createPurchaseStore(db),
      moves,
      activityLog: createActivityLog(db),
      queue: createEmailQueue(db),
      jobs: createJobQueue(db),
      findDamage: async () => findDamage(driver),
      isDamage,
      requests: requests?.log ?? null,
      secrets: async () =>
        isNew
          ? openSecrets(driver, invocation.config, invocation.log)
          : findSecrets(secrets, secretFile(dataDir), async () => readSecretFile(dataDir)),
    }),
    async exportLines(withSecret, write) {
      // Imported here because few commands need it.
      const { exportSqlite } = await import("#stores/sqlite/transfer.ts");
      const kept = withSecret ? readSecretFile(dataDir) : null;
      return fromCopy(dataDir, invocation.log, (copy) =>
        exportSqlite(copy ?? driver, { secret: kept?.join(",") ?? null }, write),
      );
    },
    async close() {
      requests?.close();
      moves.close();
      driver.close();
    },
  };
}

/**
 * Runs `read` on a copy of the database as of now. Copying takes a fiftieth of the time of an export, and while a transaction reads, the
 * server's write-ahead log grows with every call. Without space for a copy, `read` gets null.
 */
async function fromCopy<Result>(
  dataDir: string,
  log: Invocation["log"],
  read: (copy: NodeSqlite | null) => Result,
): Promise<Result> {
  return withTemporaryFolder(async (folder) => {
    const file = path.join(folder, "copy.sqlite");
    try {
      copySqlite(databaseFile(dataDir), file, null);
    } catch (error) {
      if (primaryCodeOf(error) !== SQLITE_FULL) throw error;
      log(NO_COPY);
      rmSync(file);
      return read(null);
    }
    const copy = openNodeSqliteReadOnly(file);
    try {
      return read(copy);
    } finally {
      copy.close();
    }
  });
}

const NO_COPY =
  "The temporary folder has no space for a copy of the database, so the export reads the database itself. A server's write-ahead log grows meanwhile. Set TMPDIR to a larger disk to avoid that.";

export const noData = (dataDir: string) =>
  `There is no data in ${dataDir}. Set DATA_DIR to the server's data folder. To create data, start the server or run for example ${quotedCommand("account create", "you@example.com")}.`;

const LOCK_WAIT_MS = 1_000;
const LOCK_RETRY_MS = 50;
const pause = () => new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));

/** Opens the database, and retries while another process creates it: SQLite does not wait for that lock. */
async function openUnlocked(dataDir: string): Promise<NodeSqlite> {
  for (const until = performance.now() + LOCK_WAIT_MS; ; await pause()) {
    try {
      return openDataFolder(dataDir);
    } catch (error) {
      const cause = error instanceof DataFolderError ? error.cause : undefined;
      const isLocked = (cause as { errcode?: number } | undefined)?.errcode === 5;
      if (!isLocked || performance.now() > until) throw error;
    }
  }
}
