import { createHash } from "node:crypto";
import { appendFileSync, closeSync, ftruncateSync, openSync, readSync, statSync } from "node:fs";

/**
 * The checksum of a backup: a line after its last page, which SQLite does not read. So the file stays a database, and no second
 * file can be lost. `restore` verifies the line and removes it.
 */
export type BackupChecksum = "matches" | "differs" | "missing";

const LINE = /^\ntoolbooth-backup sha256 ([0-9a-f]{64})\n$/;
const LINE_BYTES = "\ntoolbooth-backup sha256 \n".length + 64;
const CHUNK_BYTES = 1024 * 1024;

/** Adds the line. Returns the checksum in hex. */
export function addChecksum(file: string): string {
  const sum = digest(file, statSync(file).size);
  appendFileSync(file, `\ntoolbooth-backup sha256 ${sum}\n`);
  return sum;
}

/** A database is as long as its pages, and the smallest page of SQLite has 512 bytes. */
const PAGE_BYTES_MIN = 512;

/**
 * Verifies the line and removes it. Backups of earlier versions have none. A file with anything else after its last page is a
 * backup whose line is damaged.
 */
export function takeChecksum(file: string): BackupChecksum {
  const { size } = statSync(file);
  const length = size - LINE_BYTES;
  if (length < 0) return "missing";
  const fd = openSync(file, "r+");
  try {
    const bytes = Buffer.alloc(LINE_BYTES);
    readSync(fd, bytes, 0, LINE_BYTES, length);
    const [, sum] = LINE.exec(bytes.toString("latin1")) ?? [];
    if (sum === undefined) return size % PAGE_BYTES_MIN === 0 ? "missing" : "differs";
    const actual = digest(file, length);
    ftruncateSync(fd, length);
    return sum === actual ? "matches" : "differs";
  } finally {
    closeSync(fd);
  }
}

function digest(file: string, length: number): string {
  const hash = createHash("sha256");
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const fd = openSync(file, "r");
  try {
    for (let done = 0; done < length; ) {
      const size = readSync(fd, chunk, 0, Math.min(CHUNK_BYTES, length - done), done);
      if (size === 0) break;
      hash.update(chunk.subarray(0, size));
      done += size;
    }
  } finally {
    closeSync(fd);
  }
  return hash.digest("hex");
}
