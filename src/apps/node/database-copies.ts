import { randomBytes } from "node:crypto";
import { closeSync, createReadStream, openSync, readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { AccountError } from "#accounts/accounts.ts";
import type { OperatorContext } from "#operator/context.ts";
import { exportLedger } from "#stores/sql/export-records.ts";
import { type Inspection, SIDECARS } from "#stores/sqlite/backup.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { primaryCodeOf, SQLITE_FULL } from "#stores/sqlite/faults.ts";
import { openNodeSqliteReadOnly } from "#stores/sqlite/node.ts";
import type { DatabaseTask } from "./database-thread.ts";

/**
 * What operators read of a whole SQLite database: its audit, a backup, and an export. Backups and exports are read from a copy, so a slow
 * client keeps no transaction open, in which the write-ahead log would grow. A copy lies beside the database, because the temporary
 * folder of the system may be memory.
 */
export function openDatabaseCopies(
  file: string,
  keptSecrets: OperatorContext["keptSecrets"],
): Pick<OperatorContext, "backup" | "exportRecords"> & {
  check(order: { now: number }): Promise<{ audit: Inspection["audit"]; damage: string[] }>;
} {
  const folder = path.dirname(file);
  // Left behind by a server or a restore that was killed.
  for (const name of readdirSync(folder))
    if (COPY.test(name)) rmSync(path.join(folder, name), { force: true });

  async function copy(task: Omit<DatabaseTask, "file" | "copyTo">) {
    const copyTo = path.join(folder, `copy-${randomBytes(6).toString("hex")}.sqlite`);
    const drop = () => {
      for (const suffix of ["", ...SIDECARS]) rmSync(copyTo + suffix, { force: true });
    };
    try {
      closeSync(openSync(copyTo, "wx", 0o600));
      return { copyTo, drop, inspection: await run({ ...task, file, copyTo }) };
    } catch (error) {
      drop();
      throw isFull(error) ? new AccountError(NO_SPACE) : error;
    }
  }

  return {
    async check({ now: inspectAt }) {
      const inspection = await run({ file, copyTo: null, secret: null, inspectAt });
      return { audit: inspection?.audit ?? null, damage: inspection?.damage ?? [] };
    },
    async backup({ withSecret }) {
      const secrets = withSecret ? await keptSecrets() : null;
      const secret = secrets?.join(",") ?? null;
      const { copyTo, drop, inspection } = await copy({ secret, inspectAt: Date.now() });
      const { audit, damage, schemaVersion, secretIncluded } = inspection as Inspection;
      const bytes = statSync(copyTo).size;
      return {
        ...{ audit, damage, schemaVersion, secretIncluded, bytes },
        pieces: dropAfter(createReadStream(copyTo), drop),
      };
    },
    async *exportRecords() {
      const { copyTo, drop } = await copy({ secret: null, inspectAt: null });
      try {
        const driver = openNodeSqliteReadOnly(copyTo);
        try {
          yield* exportLedger(createSqliteDatabase(driver), "sqlite", () => nextTurn());
        } finally {
          driver.close();
        }
      } finally {
        drop();
      }
      return null;
    },
  };
}

const COPY = /^(?:copy-[0-9a-f]{12}\.sqlite|toolbooth\.sqlite\.[0-9a-f]{12}\.partial)/;

const NO_SPACE =
  "The disk of the data folder has no space for a copy of the database. Nothing was changed. Free some space and try again.";

const isFull = (error: unknown) =>
  primaryCodeOf(error) === SQLITE_FULL || (error as NodeJS.ErrnoException).code === "ENOSPC";

async function* dropAfter(
  pieces: AsyncIterable<Uint8Array>,
  drop: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } finally {
    drop();
  }
}

function run(task: DatabaseTask): Promise<Inspection | null> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL("./database-thread.ts", import.meta.url), {
      workerData: task,
    });
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", (code) => reject(new Error(`The thread exited with code ${code}`)));
  });
}
