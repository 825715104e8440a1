import { closeSync, openSync, renameSync } from "node:fs";
import path from "node:path";
import { quotedCommand } from "#command-line.ts";
import type { CopyOrder } from "#stores/sqlite/backup.ts";
import { dropFile, giveToFolderOwner, makeFolder, syncPath } from "./data-folder.ts";
import type { DatabaseFiles, FileFault } from "./database-files.ts";
import type { LastingFault } from "./lasting-faults.ts";

/**
 * Watches the database files while the server runs. If one of them is deleted, moved, replaced or truncated, no order is carried out
 * any more, and what this process still has open is saved to another file in the folder. If the same files come back, service
 * resumes.
 */
export type FilesWatch = {
  /** Why no order may be carried out; null if they may. Looks at the files if the last look was a moment ago. */
  blockedBy(): string | null;
  /** The same as a flag for other threads; see `isBlocked`. */
  shared: SharedArrayBuffer;
  /** Ends the watch. If the data is not saved yet, tries once more. */
  close(): Promise<void>;
};

export type FilesWatchOptions = {
  files: DatabaseFiles;
  dataDir: string;
  /** Copies the database that this process has open. */
  copy(order: CopyOrder): Promise<void>;
  /** Called when a fault begins or changes, and with null when it is over. */
  onFault(fault: LastingFault | null): void;
  /** Called when the content of the database was changed, with what happened. */
  onDamage(what: string): void;
  /** Called when there is another database at the path, with what happened. */
  onReplaced(what: string): void;
  /** Logs what `/readyz` must not show, such as folders. */
  log(sentence: string): void;
  now?: () => number;
  /** How often to look while no order arrives. */
  everyMs?: number;
  /** How long a look counts while orders arrive. */
  reusedMs?: number;
  retryMs?: number;
};

const EVERY_MS = 250;
/** A look takes about 40 µs of CPU, so this bounds it to 0.1 % of a core. */
const REUSED_MS = 50;
/** After the data could not be saved. */
const RETRY_MS = 30_000;

/** Whether the watch refuses orders, for threads that it gave its flag. */
export const isBlocked = (shared: SharedArrayBuffer | undefined): boolean =>
  shared !== undefined && Atomics.load(new Int32Array(shared), 0) !== 0;

export function watchFiles(options: FilesWatchOptions): FilesWatch {
  const { files, dataDir, onFault, log, now = Date.now } = options;
  const { everyMs = EVERY_MS, reusedMs = REUSED_MS, retryMs = RETRY_MS } = options;
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const flag = new Int32Array(shared);
  let looked = performance.now();
  let fault: FileFault | null = null;
  /** The name of the file with the data, once it is saved. */
  let saved: string | null = null;
  /** How often a fault was over. What was saved before that is not all that is there now. */
  let resumed = 0;
  let saving: Promise<void> | null = null;
  let retry: NodeJS.Timeout | undefined;

  function look(): void {
    looked = performance.now();
    const found = files.look();
    if (found?.file === fault?.file && found?.kind === fault?.kind) return;
    fault = found;
    Atomics.store(flag, 0, fault === null ? 0 : 1);
    clearTimeout(retry);
    if (fault === null) {
      onFault(null);
      resumed += 1;
      if (saved !== null) log(outdated(saved));
      saved = null;
      return;
    }
    if (fault.movedTo !== null) log(`The open ${fault.file} is now ${fault.movedTo}.`);
    const what = `${fault.file} was ${fault.kind}`;
    if (isLost(fault.kind)) options.onDamage(what);
    // The database beside a log that was replaced is whole, because saving empties the log first.
    if (fault.kind === "replaced" && !/-(wal|shm)$/.test(fault.file)) options.onReplaced(what);
    report(saved === null ? SAVING : "");
    void save();
  }

  function report(next: string): void {
    if (fault === null) return;
    const [what, after] = describe(fault, saved, dataDir);
    const message = [what, "No calls are accepted.", next || after].join(" ");
    onFault({ message, stopsCalls: true });
  }

  /** One attempt at a time. The data of a file that was moved is complete where the file is now. */
  function save(): Promise<void> {
    saving ??= trySave().finally(() => {
      saving = null;
    });
    return saving;
  }

  async function trySave(): Promise<void> {
    if (fault === null || saved !== null) return;
    const { kind } = fault;
    const before = resumed;
    const name = `toolbooth-rescued-${new Date(now()).toISOString().replaceAll(/[:.]/g, "-")}.sqlite`;
    const target = path.join(dataDir, name);
    const partial = `${target}.partial`;
    try {
      makeFolder(path.resolve(dataDir));
      // It will contain hashes and addresses.
      closeSync(openSync(partial, "wx", 0o600));
      await options.copy({
        copyTo: partial,
        // A log that stays beside another database would damage it. But a truncated file has lost pages that only the log may have.
        emptiesLog: kind !== "truncated" && kind !== "overwritten",
      });
      giveToFolderOwner(partial);
      if (before !== resumed) {
        dropFile(partial);
        return trySave();
      }
      syncPath(partial);
      renameSync(partial, target);
      syncPath(dataDir);
      saved = name;
      report("");
    } catch (error) {
      dropFile(partial);
      if (before !== resumed) return trySave();
      const { message } = error as Error;
      report(isLost(kind) ? LOST : NOT_SAVED);
      log(`Saving the data to ${target} failed: ${message}`);
      if (!isLost(kind)) retry = setTimeout(() => void save(), retryMs).unref();
    }
  }

  const timer = setInterval(look, everyMs).unref();
  return {
    blockedBy() {
      if (performance.now() - looked >= reusedMs) look();
      return fault === null ? null : `${fault.file} was ${fault.kind}`;
    },
    shared,
    async close() {
      clearInterval(timer);
      clearTimeout(retry);
      // A batch since the last look may have been committed to files that are no longer there.
      look();
      if (fault === null) return;
      await save();
      if (saved === null && !isLost(fault.kind)) await save();
    },
  };
}

const SAVING = "The server is saving the data that it still has open.";
const NOT_SAVED =
  "The data exists only in this process: saving it failed (see the log). Do not stop the server. Make sure that DATA_DIR is writable and has free space; the server tries again every 30 seconds.";
const LOST =
  "Not all data could be read. Stop the server, keep a copy of all files in DATA_DIR, and restore the latest backup.";

const outdated = (saved: string) =>
  `${saved} is outdated, because the service continues with the database itself. Delete it, and do not restore it.`;

/** Whether the content itself has changed, so that it cannot come back and another attempt to save it is in vain. */
const isLost = (kind: FileFault["kind"]): boolean => kind === "truncated" || kind === "overwritten";

/** Returns what happened, and what to do once the data is saved. */
function describe(
  { file, kind }: FileFault,
  saved: string | null,
  dataDir: string,
): [string, string] {
  const restore = `All data is in ${saved}: stop the server, run ${quotedCommand("restore", path.join(dataDir, saved ?? ""))}, and start the server again.`;
  const back = `Or move ${file} back, and the server continues.`;
  switch (kind) {
    case "deleted":
      return [`${file} was deleted while the server was running.`, restore];
    case "moved":
      return [
        `${file} was moved away while the server was running.`,
        `${back.slice(3).replace("move", "Move")} ${restore}`,
      ];
    case "replaced":
      return [`${file} was replaced by another file while the server was running.`, restore];
    case "truncated":
      return [`${file} was truncated while the server was running.`, restore];
    case "overwritten":
      return [`The content of ${file} was overwritten while the server was running.`, restore];
  }
}
