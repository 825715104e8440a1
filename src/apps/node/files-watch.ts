import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import path from "node:path";
import { quotedCommand } from "#command-line.ts";
import type { LastingFault } from "./lasting-faults.ts";

/**
 * Looks once a second whether the files of the ledger that this process has open are still those at their paths. SQLite keeps reading
 * and writing files that were deleted or replaced, and reports success, so commits would go where no later process finds them. While
 * they are not, no order is carried out. If the same files come back, service resumes.
 */
export type FilesWatch = {
  /** Why no order may be carried out; null if they may. */
  blockedBy(): string | null;
  /** The same as a flag for other threads; see `isBlocked`. */
  shared: SharedArrayBuffer;
  /** Stops looking. Call before connections are closed: the last of them deletes the files of the write-ahead log. */
  stop(): void;
  /** Call after every connection was closed: closing any descriptor of a file drops SQLite's locks on it in this process. */
  close(): void;
};

const EVERY_MS = 1_000;
const SUFFIXES = ["", "-wal", "-shm"];

/** Whether the watch refuses orders, for threads that it gave its flag. */
export const isBlocked = (shared: SharedArrayBuffer | undefined): boolean =>
  shared !== undefined && Atomics.load(new Int32Array(shared), 0) !== 0;

/**
 * Watches the files of a database to which this process has a connection. `onFault` gets a fault when it begins or changes, and null
 * when it is over.
 */
export function watchFiles(
  database: string,
  onFault: (fault: LastingFault | null) => void,
): FilesWatch {
  // `fstat` of open descriptors is compared and not a remembered number, because some file systems change theirs.
  const opened = SUFFIXES.map((suffix) => {
    const file = database + suffix;
    return { file, fd: openSync(file, "r") };
  });
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const flag = new Int32Array(shared);
  let size = 0;
  let isTruncated = false;
  let fault: string | null = null;

  /** VACUUM makes the file shorter too, but not shorter than its header says. A file that grows may lag behind its header for a moment. */
  function checkSize(fd: number, now: number): void {
    if (now < size && now < bytesInHeader(fd)) isTruncated = true;
    size = now;
  }

  function find(): string | null {
    for (const { file, fd } of opened) {
      const open = fstatSync(fd);
      const found = statSync(file, { throwIfNoEntry: false });
      if (found === undefined) return describe(file, "deleted or moved away");
      if (found.dev !== open.dev || found.ino !== open.ino)
        return describe(file, "replaced by another file");
      if (file === database) checkSize(fd, open.size);
    }
    return isTruncated ? describe(database, "truncated") : null;
  }

  function look(): void {
    let found: string | null;
    try {
      found = find();
    } catch {
      // Without the permission to look, or on a disk that fails, nothing is known about the files. Calls meet the same fault.
      return;
    }
    if (found === fault) return;
    fault = found;
    Atomics.store(flag, 0, fault === null ? 0 : 1);
    onFault(fault === null ? null : { message: fault, stopsCalls: true });
  }

  look();
  const timer = setInterval(look, EVERY_MS).unref();
  return {
    blockedBy: () => fault,
    shared,
    stop: () => clearInterval(timer),
    close() {
      clearInterval(timer);
      for (const { fd } of opened) closeSync(fd);
    },
  };
}

/** The size of the database by its header (sqlite.org/fileformat2.html#the_database_header). A file without a header has lost it. */
function bytesInHeader(fd: number): number {
  const header = Buffer.alloc(100);
  if (readSync(fd, header, 0, header.length, 0) < header.length) return Number.POSITIVE_INFINITY;
  return header.readUInt16BE(16) * header.readUInt32BE(28);
}

/** Says what happened and what to do. `/readyz` may show it to anyone, so it names files without their folders. */
function describe(file: string, what: string): string {
  const name = path.basename(file);
  return `${name} was ${what} while the server was running. No calls are accepted. ${nextStep(name, what)}`;
}

function nextStep(name: string, what: string): string {
  if (!name.endsWith(".sqlite"))
    return "Stop the server, which writes all commits into the database, and start it again.";
  if (what === "truncated")
    return `Stop the server, copy all files of DATA_DIR to another disk, and run ${quotedCommand("restore <file>")} with the latest backup.`;
  return "Move the earlier file back, and the server continues. If you no longer have it, do not stop the server: docs/runbooks.md says how to copy the file that it still has open.";
}
