import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";

/**
 * Finds damage inside of the write-ahead log (sqlite.org/fileformat2.html#the_write_ahead_log). SQLite reads it up to the first frame
 * whose checksum does not match, as if the log ended there. A log that was partly copied into the file can then have the last
 * commit and lack earlier ones, which the mark of the last commit does not show.
 *
 * Frames of the same log after that place prove that it did not end there. If a single commit follows, a power cut may have
 * interrupted it, and nobody was told of it. Before a second one, the first was synced.
 */
export function hasDroppedCommits(file: string): boolean {
  const found = findDropped(file);
  // A running server may have been writing just then.
  return found !== null && found === findDropped(file);
}

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const PAGE_BYTES = 4_096;
const FRAME_BYTES = FRAME_HEADER_BYTES + PAGE_BYTES;
/** A larger log is not read: a reader has kept it from being emptied. */
const LOG_BYTES_MAX = 256 * 1024 * 1024;

/** Names the place of the damage; null if nothing that was committed is missing. */
function findDropped(file: string): string | null {
  const size = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (size < HEADER_BYTES + 2 * FRAME_BYTES || size > LOG_BYTES_MAX) return null;
  const log = readFileSync(`${file}-wal`);
  const frames = Math.floor((log.length - HEADER_BYTES) / FRAME_BYTES);
  const valid = validFrames(log, frames);
  const last = lastCommitOfLog(log, frames, valid);
  if (last <= valid) return null;
  const commits = framesBetween(valid, last).filter((frame) => isCommit(log, frame));
  if (commits.length < 2) return null;
  const committed = framesBetween(0, valid).findLast((frame) => isCommit(log, frame)) ?? -1;
  const isMissing = hasOlderPage(file, log, committed, last, valid);
  return isMissing ? `${log.toString("hex", 0, HEADER_BYTES)} ${valid} ${last}` : null;
}

const framesBetween = (from: number, to: number) =>
  Array.from({ length: Math.max(to - from, 0) }, (_, index) => from + index);

const startOf = (frame: number) => HEADER_BYTES + frame * FRAME_BYTES;
const isCommit = (log: Buffer, frame: number) => log.readUInt32BE(startOf(frame) + 4) !== 0;
const saltsOf = (log: Buffer, at: number) => log.readBigUInt64BE(at);

/** Returns the number of frames that SQLite reads: those before the first one that does not match. */
function validFrames(log: Buffer, frames: number): number {
  const isBigEndian = (log.readUInt32BE(0) & 1) === 1;
  let [one, two] = [0, 0];
  const add = (from: number, bytes: number) => {
    for (let at = from; at < from + bytes; at += 8) {
      const [left, right] = isBigEndian
        ? [log.readUInt32BE(at), log.readUInt32BE(at + 4)]
        : [log.readUInt32LE(at), log.readUInt32LE(at + 4)];
      one = (one + left + two) | 0;
      two = (two + right + one) | 0;
    }
  };
  const matches = (at: number) => log.readInt32BE(at) === one && log.readInt32BE(at + 4) === two;
  add(0, 24);
  if (!matches(24) || log.readUInt32BE(0) >>> 1 !== 0x377f0682 >>> 1) return 0;
  for (let frame = 0; frame < frames; frame++) {
    const at = startOf(frame);
    if (saltsOf(log, at + 8) !== saltsOf(log, 16)) return frame;
    add(at, 8);
    add(at + FRAME_HEADER_BYTES, PAGE_BYTES);
    if (!matches(at + 16)) return frame;
  }
  return frames;
}

/** Returns the end of the last commit of this log. What follows has the salts of an earlier one, but for the damaged frame. */
function lastCommitOfLog(log: Buffer, frames: number, damaged: number): number {
  const salts = (frame: number) => saltsOf(log, startOf(frame) + 8);
  const own = salts(0) === salts(1) ? salts(0) : saltsOf(log, 16);
  let end = 0;
  for (let frame = 0; frame < frames; frame++) {
    if (salts(frame) !== own && frame !== damaged) break;
    if (isCommit(log, frame)) end = frame + 1;
  }
  return end;
}

/** Whether a page is now older than its last frame: neither among the frames that SQLite reads nor copied into the file. */
function hasOlderPage(
  file: string,
  log: Buffer,
  committed: number,
  last: number,
  damaged: number,
): boolean {
  const newest = new Map<number, number>();
  const read = new Map<number, number>();
  for (const frame of framesBetween(0, last)) {
    if (frame === damaged) continue;
    const page = log.readUInt32BE(startOf(frame));
    newest.set(page, frame);
    if (frame <= committed) read.set(page, frame);
  }
  const contentOf = (frame: number) =>
    log.subarray(startOf(frame) + FRAME_HEADER_BYTES, startOf(frame) + FRAME_BYTES);
  const fd = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(PAGE_BYTES);
    for (const [page, frame] of newest) {
      const now = read.get(page);
      if (now === undefined) readSync(fd, bytes, 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
      if (!contentOf(frame).equals(now === undefined ? bytes : contentOf(now))) return true;
    }
    return false;
  } finally {
    closeSync(fd);
  }
}
