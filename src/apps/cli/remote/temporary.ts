import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type NodeSqlite, openNodeSqlite } from "#stores/sqlite/node.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * A database in a folder of its own that nobody else may read (mode 0700), for what is on its way from one store to
 * another. Folder and database are gone afterwards, also where the command fails or is stopped.
 */
export async function withTemporaryData<Result>(
  act: (driver: NodeSqlite) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-"));
  const drop = () => rmSync(folder, { recursive: true, force: true });
  const stop = (signal: NodeJS.Signals) => {
    drop();
    for (const each of SIGNALS) process.off(each, stop);
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    const driver = openNodeSqlite(path.join(folder, "transfer.sqlite"));
    try {
      // It is thrown away after a crash as well, so nothing waits for the disk.
      driver.exec("PRAGMA synchronous = OFF");
      return await act(driver);
    } finally {
      driver.close();
    }
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    drop();
  }
}
