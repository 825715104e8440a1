/**
 * A data folder whose operator API is served on its socket by this process, without the rest of a server. Tests may use its ledger and
 * its database directly.
 */
import assert from "node:assert/strict";
import path from "node:path";
import { after } from "node:test";
import { createOperatorApp } from "#api/operator/operator-app.ts";
import { databaseFile, openDataFolder } from "#apps/node/data-folder.ts";
import { openDatabaseCopies } from "#apps/node/database-copies.ts";
import { listenForCommands } from "#apps/node/operator-socket.ts";
import { reversalsForOperator } from "#apps/node/reversals.ts";
import { hashKey, random } from "#apps/node/runtime.ts";
import { openSecrets, readSecretFile } from "#apps/node/secret-file.ts";
import { createMail, emailSealer } from "#email/email-queue.ts";
import { operatorJobs } from "#jobs/operator-jobs.ts";
import type { OperatorContext } from "#operator/context.ts";
import { patientReads, withSummedUsage } from "#stores/ledger/store-ledger.ts";
import { createActivityLog } from "#stores/sql/activity-log.ts";
import { createGrantList } from "#stores/sql/credits.ts";
import { accountsOfLedger } from "#stores/sql/directory.ts";
import { createEmailQueue } from "#stores/sql/emails.ts";
import { createJobQueue } from "#stores/sql/jobs.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import { createPurchaseStore } from "#stores/sql/purchases.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { createSqliteImports } from "#stores/sqlite/imports.ts";
import { openSqliteDirect } from "../../support/sqlite-direct.ts";
import { commandLine, temporaryFolder } from "./fixture.ts";

export type FolderService = Awaited<ReturnType<typeof openFolderService>>;

export async function openFolderService({
  dataDir = path.join(temporaryFolder(), "data"),
  changed = {},
}: {
  dataDir?: string;
  changed?: Partial<OperatorContext>;
} = {}) {
  const driver = openDataFolder(dataDir);
  const db = createSqliteDatabase(driver);
  const { ledger, sumUsage, directory } = openSqliteDirect(driver);
  const secrets = openSecrets(driver, { dataDir, secrets: null }, () => {});
  const keptSecrets = async () => readSecretFile(dataDir);
  const file = databaseFile(dataDir);
  const { check, ...copies } = openDatabaseCopies(file, keptSecrets);
  const mail = createMail({
    ...{ queue: createEmailQueue(db), transportKind: "outbox", sealer: emailSealer(secrets) },
    ...{ now: Date.now, random, logError: () => {} },
  });
  const context: OperatorContext = {
    ledger: patientReads(withSummedUsage(ledger, sumUsage)),
    ...{
      directory,
      accountDeps: { ledger, directory, secrets, keyPrefix: "tb_", random, hashKey },
    },
    keyBounds: { tools: ["echo", "hash", "uuid"], callsPerSecond: 100 },
    notify: {
      activityLog: createActivityLog(db),
      mail,
      publicUrl: "https://tools.example",
      name: "Toolbooth",
    },
    ...{ purchases: createPurchaseStore(db), billing: null, requests: null },
    actions: createOperatorActions(db),
    jobs: operatorJobs([createJobQueue(db), reversalsForOperator(dataDir)]),
    index: accountsOfLedger(db),
    imports: createSqliteImports(driver),
    whole: { check, grants: createGrantList(db) },
    ...{ ...copies, keptSecrets },
    pause: async () => {},
    ...changed,
  };
  const errors: unknown[] = [];
  const app = createOperatorApp({
    ...{ token: null, context, now: Date.now, newRequestId: () => "req_1" },
    ...{ waitUntil: () => {}, logAction: () => {} },
    logError: (_, { cause }) => void errors.push(cause),
  });
  const socket = await listenForCommands(
    dataDir,
    (request) => app.fetch(request, { address: null, isLocal: true }),
    assert.fail,
  );
  let isOpen = true;
  /** Ends the service, as a server stops. */
  async function stop(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    await socket.close();
    driver.close();
  }
  after(stop);
  return {
    ...commandLine(dataDir),
    ...{ app, context, ledger, directory, driver, dataDir, database: file, secrets, errors, stop },
  };
}
