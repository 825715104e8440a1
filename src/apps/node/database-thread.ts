import { parentPort, workerData } from "node:worker_threads";
import { copySqlite, type Inspection, inspectSqlite } from "#stores/sqlite/backup.ts";

/** What takes long on a whole database file, on a thread of its own: no call and no page waits for it. */
export type DatabaseTask = {
  file: string;
  /** An empty file, to which the database is copied; null to inspect the database itself. */
  copyTo: string | null;
  /** Added to the copy. */
  secret: string | null;
  /** The time of the audit; null for a copy that is not inspected. */
  inspectAt: number | null;
};

/** The database itself is only read. */
const { file, copyTo, secret, inspectAt } = workerData as DatabaseTask;
if (copyTo !== null) copySqlite(file, copyTo, secret);
const inspection: Inspection | null =
  inspectAt === null ? null : inspectSqlite(copyTo ?? file, inspectAt, false);
parentPort?.postMessage(inspection);
