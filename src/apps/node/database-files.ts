import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
  statfsSync,
  statSync,
} from "node:fs";
import path from "node:path";

/**
 * Compares the files of a SQLite database in write-ahead mode with those that this process has open. SQLite keeps reading and
 * writing files that were deleted or replaced, and reports success, so commits would go where no later process finds them.
 *
 * SQLite creates and deletes the files beside the database only when the first connection opens and the last one closes. So while
 * this process has a connection, another file in their place is always a fault.
 */
export type FileFault = {
  /** The name of the file, without its folder. */
  file: string;
  kind: "deleted" | "moved" | "replaced" | "truncated" | "overwritten";
  /** Where the file that this process has open is now; null if it has no name that the system reports. */
  movedTo: string | null;
};

export type DatabaseFiles = {
  /** Returns the first fault, or null. A fault of the content stays for good, even if the file grows again. */
  look(): FileFault | null;
  /** Call after every connection was closed: closing any descriptor of a file drops SQLite's locks on it in this process. */
  close(): void;
};

const SUFFIXES = ["", "-wal", "-shm"] as const;
type Suffix = (typeof SUFFIXES)[number];
type Opened = {
  suffix: Suffix;
  name: string;
  file: string;
  fd: number;
  last: Stats;
  /** The file had holes when it was opened, so holes say nothing about it. */
  isSparse: boolean;
};

/** Opens the files of a database to which this process already has a connection. */
export function openDatabaseFiles(database: string): DatabaseFiles {
  const knowsHoles = allocatesWholeFiles(database);
  const opened = SUFFIXES.map((suffix): Opened => {
    const file = database + suffix;
    const fd = openSync(file, "r");
    const last = fstatSync(fd);
    const isSparse = !knowsHoles || hasHoles(fd, last);
    return { suffix, file, name: path.basename(file), fd, last, isSparse };
  });
  const [main, wal, shm] = opened as [Opened, Opened, Opened];
  let before = readHeader(main.fd);
  let lasting: FileFault | null = null;
  /** What the last look found. */
  let latest: FileFault | null = null;

  /** The file was truncated and grew again. */
  const gotHoles = ({ fd, isSparse }: Opened, now: Stats): boolean =>
    !isSparse && hasHoles(fd, now);

  function findDamage(now: Stats): FileFault["kind"] | null {
    const header = readHeader(main.fd);
    const isShorter = now.size < main.last.size;
    if (header === null) return isShorter ? "truncated" : "overwritten";
    // VACUUM shrinks the file too, but to the number of pages in its header. A file that grows may lag behind its header.
    if (isShorter && now.size < header.bytes) return "truncated";
    if (gotHoles(main, now)) return "truncated";
    // SQLite only ever increases these two numbers, and VACUUM increases that of the schema.
    const isVacuumed = header.schema > (before?.schema ?? 0);
    const isOlder =
      header.counter < (before?.counter ?? 0) || header.schema < (before?.schema ?? 0);
    if (isOlder || (isShorter && !isVacuumed)) return "overwritten";
    before = header;
    return null;
  }

  /** The log of commits is shorter than its index says, or its header is gone. */
  function isLogDamaged(now: Stats): boolean {
    if (gotHoles(wal, now)) return true;
    const index = readIndex(shm.fd);
    if (index.frames === 0) return false;
    const { size } = fstatSync(wal.fd);
    const isWhole = size >= index.bytes && readNumber(wal.fd, 0) >>> 1 === WAL_MAGIC >>> 1;
    // A checkpoint that empties the log first resets its index.
    return !isWhole && readIndex(shm.fd).frames === index.frames;
  }

  function findChange(each: Opened): FileFault | null {
    const now = fstatSync(each.fd);
    const place = findPlace(each, now);
    if (place !== null) return place;
    const kind =
      each === main
        ? findDamage(now)
        : each === wal && isLogDamaged(now)
          ? ("truncated" as const)
          : null;
    each.last = now;
    if (kind === null) return null;
    lasting = { file: each.name, kind, movedTo: null };
    return lasting;
  }

  function look(): FileFault | null {
    let isKnown = true;
    for (const each of opened) {
      try {
        const found = findChange(each);
        if (found !== null) return found;
      } catch (error) {
        // On a disk that fails nothing is known about the file. Calls meet the same fault.
        if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
        isKnown = false;
      }
    }
    return isKnown ? null : latest;
  }

  return {
    look() {
      latest = lasting ?? look();
      return latest;
    },
    close() {
      for (const { fd } of opened) closeSync(fd);
    },
  };
}

/** Compares the file at a path with the open one. `fstat` and not a remembered number: some file systems change theirs. */
function findPlace({ file, name, fd }: Opened, now: Stats): FileFault | null {
  const found = statAt(file);
  if (found === "unknown" || (found?.dev === now.dev && found.ino === now.ino)) return null;
  const movedTo = nameOf(fd, now);
  const isElsewhere = movedTo === null ? "deleted" : "moved";
  return { file: name, kind: found === undefined ? isElsewhere : "replaced", movedTo };
}

function statAt(file: string): Stats | undefined | "unknown" {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Without the permission to look, or on a disk that fails, nothing is known about the file.
    return code === "ENOTDIR" ? undefined : "unknown";
  }
}

/** Returns the current name of an open file on Linux; null if it was deleted, and elsewhere. */
function nameOf(fd: number, now: Stats): string | null {
  if (now.nlink === 0) return null;
  try {
    const name = readlinkSync(`/proc/self/fd/${fd}`);
    const found = statSync(name);
    return found.dev === now.dev && found.ino === now.ino ? name : null;
  } catch {
    return null;
  }
}

const BLOCK_BYTES = 512;
const HOLE_TOLERANCE_BYTES = 64 * 1024;
const LOOKS_FOR_HOLES = 5;

/**
 * Whether fewer bytes are allocated than the file has. While ext4 turns delayed blocks into allocated ones, `fstat` counts them
 * neither way for a moment (8,111 of 29 million times under load). So a deficit counts only if it outlasts writing the file to disk.
 */
function hasHoles(fd: number, first: Stats): boolean {
  const isMissingBlocks = ({ blocks, size }: Stats) =>
    blocks * BLOCK_BYTES < size - HOLE_TOLERANCE_BYTES;
  if (!isMissingBlocks(first)) return false;
  for (let looks = 0; looks < LOOKS_FOR_HOLES; looks += 1) {
    fdatasyncSync(fd);
    if (!isMissingBlocks(fstatSync(fd))) return false;
  }
  return true;
}

/** ext2 to 4, XFS and tmpfs: files that were written without holes have none. Others compress or deduplicate. */
const WITHOUT_HOLES = [0xef53, 0x58465342, 0x01021994];

function allocatesWholeFiles(file: string): boolean {
  try {
    return WITHOUT_HOLES.includes(statfsSync(file).type);
  } catch {
    return false;
  }
}

const MAGIC = "SQLite format 3\0";
/** Of the write-ahead log. Its last bit is the byte order of the checksums. */
const WAL_MAGIC = 0x377f0682;
const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const buffer = Buffer.alloc(100);

type Header = { bytes: number; counter: number; schema: number };

/** Reads the file's first 100 bytes (sqlite.org/fileformat2.html#the_database_header); null if they are not a header. */
function readHeader(fd: number): Header | null {
  const size = readSync(fd, buffer, 0, 100, 0);
  if (size < 100 || buffer.toString("latin1", 0, 16) !== MAGIC) return null;
  return {
    bytes: pageBytes(buffer.readUInt16BE(16)) * buffer.readUInt32BE(28),
    counter: buffer.readUInt32BE(24),
    schema: buffer.readUInt32BE(40),
  };
}

/** Reads how many frames are in the log, from its index (sqlite.org/walformat.html#the_wal_index_header), in the machine's byte order. */
function readIndex(fd: number): { frames: number; bytes: number } {
  if (readSync(fd, buffer, 0, 48, 0) < 48) return { frames: 0, bytes: 0 };
  const [pageSize] = new Uint16Array(
    buffer.buffer.slice(buffer.byteOffset + 14, buffer.byteOffset + 16),
  );
  const [frames] = new Uint32Array(
    buffer.buffer.slice(buffer.byteOffset + 16, buffer.byteOffset + 20),
  );
  const frameBytes = FRAME_HEADER_BYTES + pageBytes(pageSize as number);
  return { frames: frames as number, bytes: WAL_HEADER_BYTES + (frames as number) * frameBytes };
}

const readNumber = (fd: number, at: number): number =>
  readSync(fd, buffer, 0, 4, at) < 4 ? 0 : buffer.readUInt32BE(0);

/** 65,536 does not fit into two bytes. */
const pageBytes = (stored: number): number => (stored === 1 ? 65_536 : stored);
