import { randomBytes } from "node:crypto";
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
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
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Config } from "#config/config.ts";
import { CommandError } from "./command-error.ts";

/** Files that are written completely or not at all, and lines. */

/** Creates an empty file beside `target`, with mode 0600 because it will contain hashes and addresses. */
export function createPartialFile(target: string): string {
  const file = `${target}.${randomBytes(6).toString("hex")}.partial`;
  closeSync(openSync(file, "wx", 0o600));
  return file;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Writes the pieces to a file, completely or not at all: under another name, which the file gets when its content is on the disk. */
export async function writeFile(
  target: string,
  force: boolean,
  config: Pick<Config, "dataDir">,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  const partial = createPartialFile(target);
  const drop = () => rmSync(partial, { force: true });
  const stop = (signal: NodeJS.Signals) => {
    drop();
    for (const each of SIGNALS) process.off(each, stop);
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    const fd = openSync(partial, "w");
    try {
      for await (const piece of pieces)
        for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    // Checked again, because the file may have been created meanwhile.
    checkOutputFile(target, force, config);
    renameSync(partial, target);
    syncFolder(path.dirname(target));
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    drop();
  }
}

/** The name is on the disk, too. Windows has no such thing. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export const writeStdout = (pieces: AsyncIterable<Uint8Array>): Promise<void> =>
  pipeline(Readable.from(pieces), process.stdout, { end: false });

/** Undefined for standard input or output, which `-` is in most programs. */
export const fileNamed = (file: string | undefined) => (file === "-" ? undefined : file);

/**
 * Throws `CommandError` if `target` cannot be written, or exists and `force` is not set. A file of the data folder is never replaced: it
 * may be the ledger.
 */
export function checkOutputFile(
  target: string,
  force: boolean,
  { dataDir }: Pick<Config, "dataDir">,
): void {
  if (target === "-")
    throw new CommandError(
      "This cannot be written to standard output (-). Choose a file; ./- is one with that name.",
    );
  const folder = path.dirname(target);
  const above = statSync(folder, { throwIfNoEntry: false });
  if (above === undefined)
    throw new CommandError(`The folder ${folder} does not exist. Create it first.`);
  if (!above.isDirectory())
    throw new CommandError(`${folder} is not a folder. Choose a file in a folder.`);
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
function isOfDataFolder(target: string, dataDir: string): boolean {
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
const RESERVED =
  /^(?:toolbooth|requests|reversals|secret|server|operator|copy|outbox|pages)(?:[./\\-]|$)/i;

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

/** Yields the lines of a stream with their line feeds. */
export async function* linesIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    let bytes = Buffer.concat([rest, chunk]);
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
      yield bytes.subarray(0, end + 1);
      bytes = bytes.subarray(end + 1);
    }
    rest = bytes;
  }
  if (rest.length > 0) yield rest;
}

/** Opens a file so that it can be read twice. What can be read only once (a pipe, standard input) is copied to a file without a name. */
export async function openToReadTwice(file: string | undefined): Promise<number> {
  if (file !== undefined && statSync(file).isFile()) return openSync(file, "r");
  const copy = path.join(tmpdir(), `toolbooth-${randomBytes(6).toString("hex")}`);
  const fd = openSync(copy, "wx+", 0o600);
  rmSync(copy);
  const source = file === undefined ? process.stdin : createReadStream(file);
  for await (const chunk of source) writeSync(fd, chunk as Buffer);
  return fd;
}

/** Yields the lines of a file without their line feeds, from its beginning. */
export function* linesOf(fd: number): Generator<Uint8Array> {
  let rest = Buffer.alloc(0);
  for (let at = 0; ; ) {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const size = readSync(fd, chunk, 0, CHUNK_BYTES, at);
    if (size === 0) break;
    at += size;
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

/** Says what an error of the system means; null for any other error. */
export function explainSystem(error: unknown): string | null {
  const { code = "", path: file = "The path" } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ENOENT":
      return `${file} does not exist.`;
    case "EACCES":
    case "EPERM":
      return `Permission denied: ${file}.`;
    case "EROFS":
      return `The file system is read-only: ${file}.`;
    case "EISDIR":
    case "ENOTDIR":
      return `${file} is not a file.`;
    case "ENOSPC":
    case "EDQUOT":
      return "The disk is full. Free some space and run the command again; no file was written.";
    case "EIO":
      return `The disk does not work (I/O error): ${file}. Check the disk and the log of the system.`;
    case "EPIPE":
      return "The program that reads standard output stopped before the end.";
  }
  return null;
}
