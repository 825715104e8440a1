import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Config } from "#config/config.ts";
import { SIDECARS } from "#stores/sqlite/backup.ts";
import { type NodeSqlite, openNodeSqlite } from "#stores/sqlite/node.ts";
import { syncPath } from "../node/data-folder.ts";
import { CommandError } from "./command.ts";

/** Files that are written completely or not at all, temporary databases, and lines that are streamed. */

/** Creates an empty file beside `target`, with mode 0600 because it will contain hashes and addresses. */
export function createPartialFile(target: string): string {
  const file = `${target}.${randomBytes(6).toString("hex")}.partial`;
  closeSync(openSync(file, "wx", 0o600));
  return file;
}

/** Renames a partial file to `target` after its content is on disk. */
export function commitFile(partial: string, target: string): void {
  syncPath(partial);
  renameSync(partial, target);
  syncPath(path.dirname(target));
}

/** Removes a partial file, if it is still there, and SQLite's files beside it. */
export function dropPartialFile(partial: string): void {
  for (const suffix of ["", ...SIDECARS]) rmSync(partial + suffix, { force: true });
}

/**
 * Throws `CommandError` if `target` cannot be written, or exists and `force` is not set. A file of the data folder is never replaced: it
 * may be the ledger.
 */
export function checkOutputFile(
  target: string,
  force: boolean,
  { dataDir }: Pick<Config, "dataDir">,
): void {
  const folder = path.dirname(target);
  if (!existsSync(folder))
    throw new CommandError(`The folder ${folder} does not exist. Create it first.`);
  if (isOfDataFolder(target, dataDir))
    throw new CommandError(
      `${target} is a file of the data folder ${dataDir}, which the service uses. Choose a file outside of it.`,
    );
  if (!existsSync(target)) return;
  if (!statSync(target).isFile())
    throw new CommandError(`${target} is not a file. Choose a file name.`);
  if (!force)
    throw new CommandError(
      `${target} already exists. Choose another name, or add --force to replace it.`,
    );
}

/**
 * Whether writing this file would change the data folder, whatever its name: through `..`, a link to a folder or to a file, or another
 * name of the same file (a hard link). Names that the service will use, such as that of a log that SQLite has removed, count too.
 */
export function isOfDataFolder(target: string, dataDir: string): boolean {
  if (!existsSync(dataDir)) return false;
  const place = realpathSync(dataDir);
  const names = new Set([path.join(realpathSync(path.dirname(target)), path.basename(target))]);
  if (existsSync(target)) names.add(realpathSync(target));
  for (const name of names) {
    const inside = path.relative(place, name);
    const isInside = inside !== "" && !inside.startsWith("..") && !path.isAbsolute(inside);
    if (isInside && (existsSync(name) || RESERVED.test(inside))) return true;
  }
  return existsSync(target) && filesIn(place).some((file) => isSameFile(target, file));
}

/** The files of the service, and its folders. */
const RESERVED = /^(?:toolbooth|requests|reversals|secret|server|outbox|pages)(?:[./\\-]|$)/i;

/** The files of a folder and of its folders. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

const CHUNK_BYTES = 64 * 1024;
/** Longer than any record. The limit detects other kinds of files before they fill the memory. */
const LINE_BYTES_MAX = 1024 * 1024;

/** Buffers writes into chunks. `end` writes the rest. */
export function createSink(fd: number): { write(bytes: Uint8Array): void; end(): void } {
  let chunks: Uint8Array[] = [];
  let size = 0;
  function end(): void {
    const bytes = Buffer.concat(chunks);
    chunks = [];
    size = 0;
    for (let done = 0; done < bytes.length; ) done += retryEagain(() => writeSync(fd, bytes, done));
  }
  return {
    write(bytes) {
      chunks.push(bytes);
      size += bytes.length;
      if (size >= CHUNK_BYTES) end();
    },
    end,
  };
}

/** Yields the lines of a file or pipe without their line feeds. */
export function* linesOf(fd: number): Generator<Uint8Array> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest = Buffer.alloc(0);
  for (;;) {
    const size = retryEagain(() => readSync(fd, chunk));
    if (size === 0) break;
    let bytes = Buffer.concat([rest, chunk.subarray(0, size)]);
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
      yield bytes.subarray(0, end);
      bytes = bytes.subarray(end + 1);
    }
    if (bytes.length > LINE_BYTES_MAX)
      throw new CommandError(
        "The input is not an export of Toolbooth: a line is longer than any record. Nothing was imported.",
      );
    rest = bytes;
  }
  if (rest.length > 0) yield rest;
}

const clock = new Int32Array(new SharedArrayBuffer(4));

/** Retries on EAGAIN, which a pipe returns instead of waiting if its other end made it non-blocking. */
function retryEagain(run: () => number): number {
  for (;;) {
    try {
      return run();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(clock, 0, 0, 5);
    }
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs `run` with a temporary folder of mode 0700, which is removed afterwards, even if the command fails or a signal stops it. */
export async function withTemporaryFolder<Result>(
  run: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  const stop = (signal: NodeJS.Signals) => {
    removeFolder();
    for (const each of SIGNALS) process.off(each, stop);
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await run(folder);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    removeFolder();
  }
}

/** Opens a temporary database for data on its way from one store to another. */
export const withTemporaryDatabase = <Result>(
  run: (driver: NodeSqlite, folder: string) => Promise<Result>,
): Promise<Result> =>
  withTemporaryFolder(async (folder) => {
    const driver = openNodeSqlite(path.join(folder, "transfer.sqlite"));
    try {
      // The database is not needed after a crash, so writes do not wait for the disk.
      driver.exec("PRAGMA synchronous = OFF");
      return await run(driver, folder);
    } finally {
      driver.close();
    }
  });

/**
 * Fills a temporary file first and then copies it to `to`. A slow reader of `to` would otherwise keep the snapshot of the database open,
 * and with it the write-ahead log or the old versions of rows.
 */
export const spoolTo = <Result>(
  to: number,
  fill: (fd: number) => Promise<Result>,
): Promise<Result> =>
  withTemporaryFolder(async (folder) => {
    const fd = openSync(path.join(folder, "lines"), "wx+", 0o600);
    try {
      const result = await fill(fd);
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const sink = createSink(to);
      for (let at = 0, size: number; ; at += size) {
        size = readSync(fd, chunk, 0, chunk.length, at);
        if (size === 0) break;
        sink.write(Uint8Array.from(chunk.subarray(0, size)));
      }
      sink.end();
      return result;
    } finally {
      closeSync(fd);
    }
  });
