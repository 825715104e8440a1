import { randomBytes } from "node:crypto";
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { SIDECARS } from "#stores/sqlite/backup.ts";
import { ProblemDetails } from "./command.ts";

/** Files that are written whole or not at all, and lines read and written without holding them all. */

/** An empty file beside the one that it is to become, for this user alone: what comes into it holds hashes and addresses. */
export function beginFile(target: string): string {
  const file = `${target}.${randomBytes(6).toString("hex")}.partial`;
  closeSync(openSync(file, "wx", 0o600));
  return file;
}

/** Gives a file to the owner of its folder: what root puts in place must not lock the server's user out. */
export function giveToFolderOwner(file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(path.dirname(file));
  chownSync(file, uid, gid);
}

/** Makes a file that was begun the target, on the disk before it has the name. */
export function finishFile(begun: string, target: string): void {
  syncPath(begun);
  renameSync(begun, target);
  syncPath(path.dirname(target));
}

/** Removes what is left of a file that was begun, with what SQLite may have put beside it. */
export function dropFile(begun: string): void {
  for (const suffix of ["", ...SIDECARS]) rmSync(begun + suffix, { force: true });
}

/** Has what was written to a file, or the names in a folder, on the disk before it returns. */
export function syncPath(file: string): void {
  const fd = openSync(file, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export function checkTarget(target: string, force: boolean): void {
  const folder = path.dirname(target);
  if (!existsSync(folder)) throw new ProblemDetails(`There is no folder ${folder}. Make it first.`);
  if (!existsSync(target)) return;
  if (!statSync(target).isFile()) throw new ProblemDetails(`${target} is not a file. Name a file.`);
  if (!force)
    throw new ProblemDetails(
      `${target} exists already. Name another file, or add --force to replace it.`,
    );
}

export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

const CHUNK_BYTES = 64 * 1024;
/** No record comes near it; a file of another kind is found out before it fills the memory. */
const LINE_BYTES_MAX = 1024 * 1024;

/** Gathers what is written into chunks; `end` writes the rest. */
export function createSink(fd: number): { write(bytes: Uint8Array): void; end(): void } {
  let chunks: Uint8Array[] = [];
  let size = 0;
  function end(): void {
    const bytes = Buffer.concat(chunks);
    chunks = [];
    size = 0;
    for (let done = 0; done < bytes.length; ) done += patiently(() => writeSync(fd, bytes, done));
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

/** The lines of a file or of a pipe, without their line feeds. */
export function* linesOf(fd: number): Generator<Uint8Array> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest = Buffer.alloc(0);
  for (;;) {
    const size = patiently(() => readSync(fd, chunk));
    if (size === 0) break;
    let bytes = Buffer.concat([rest, chunk.subarray(0, size)]);
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
      yield bytes.subarray(0, end);
      bytes = bytes.subarray(end + 1);
    }
    if (bytes.length > LINE_BYTES_MAX)
      throw new ProblemDetails(
        "A line is longer than any record: this is no export. Nothing was imported.",
      );
    rest = bytes;
  }
  if (rest.length > 0) yield rest;
}

const clock = new Int32Array(new SharedArrayBuffer(4));

/** A pipe whose other end made it non-blocking says EAGAIN where another one would wait. */
function patiently(act: () => number): number {
  for (;;) {
    try {
      return act();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(clock, 0, 0, 5);
    }
  }
}
