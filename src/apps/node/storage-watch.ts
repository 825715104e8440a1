import { statfs } from "node:fs/promises";
import type { WalState } from "#stores/sqlite/checkpoints.ts";
import type { LastingFault, LastingFaults } from "./lasting-faults.ts";

/**
 * Watches what fills up or falls behind before calls fail: the free space on the disk of DATA_DIR, and the write-ahead log of the
 * ledger. Sets the faults "disk" and "checkpoint".
 */
export type StorageWatch = {
  /** Takes the report of the ledger's connection, which comes about once a second. */
  onWal(state: WalState): void;
  /** Null until the first look at the disk succeeded. */
  freeBytes(): number | null;
  /** The last report, and the age of the last checkpoint now; null if there was none. */
  wal(): { bytes: number; checkpointAgeMs: number; failures: number } | null;
  /** Looks at the disk. */
  look(): Promise<void>;
  stop(): void;
};

type Disk = { freeBytes: number; totalBytes: number };

const LOOK_EVERY_MS = 5_000;
/** Less free space is a fault. On small disks, a tenth of them. */
const FREE_BYTES_MIN = 512 * 1024 * 1024;
const FREE_PART_MIN = 0.1;
/** The fault ends when there is this much more, so that it does not come and go. */
const FREE_AGAIN = 1.2;
/** While all is well, the log stays below 8 MB. */
const WAL_LARGE_BYTES = 16 * 1024 * 1024;
const STUCK_MS = 10_000;
/** If the database file cannot be written for so long, the node reports that it is not ready, before the log has filled the disk. */
const WAL_HOPELESS_BYTES = 1024 * 1024 * 1024;

type Options = {
  faults: LastingFaults;
  /** Looks at the disk of DATA_DIR. */
  disk: () => Promise<Disk>;
  now(): number;
};

export const diskOf = (folder: string) => async (): Promise<Disk> => {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
};

export function startStorageWatch({ faults, disk, now }: Options): StorageWatch {
  let free: number | null = null;
  let isLow = false;
  /** The least space while it is low, in a power of two, so that the message changes rarely. */
  let leastBytes = Number.POSITIVE_INFINITY;
  let wal: { at: number; state: WalState } | null = null;
  let failures = 0;
  let heldSince: string | null = null;
  let greatestBytes = 0;

  async function look(): Promise<void> {
    const { freeBytes, totalBytes } = await disk();
    free = freeBytes;
    const bound = Math.min(FREE_BYTES_MIN, totalBytes * FREE_PART_MIN);
    isLow = freeBytes < (isLow ? bound * FREE_AGAIN : bound);
    leastBytes = isLow ? Math.min(leastBytes, powerOfTwoAbove(freeBytes)) : Infinity;
    if (isLow) faults.set("disk", { message: diskIsLow(leastBytes), stopsCalls: false });
    else faults.clear("disk");
  }

  function walFault({ bytes, stuckMs, error }: WalState): LastingFault | null {
    const isHeld = stuckMs >= STUCK_MS && bytes >= WAL_LARGE_BYTES;
    if (!isHeld || error !== null) heldSince = null;
    if (!isHeld && error === null) {
      greatestBytes = 0;
      return null;
    }
    greatestBytes = Math.max(greatestBytes, powerOfTwoBelow(bytes));
    if (error !== null)
      return {
        message: checkpointsFail(error, greatestBytes),
        stopsCalls: bytes >= WAL_HOPELESS_BYTES,
      };
    heldSince ??= new Date(now() - stuckMs).toISOString().slice(0, 19);
    return { message: logIsHeld(heldSince, greatestBytes), stopsCalls: false };
  }

  const lookAgain = () => void look().catch(() => {});
  lookAgain();
  const timer = setInterval(lookAgain, LOOK_EVERY_MS).unref();
  return {
    onWal(state) {
      // The count starts again with a new connection, after the ledger's thread died.
      const before = wal?.state.failures ?? 0;
      failures += state.failures >= before ? state.failures - before : state.failures;
      wal = { at: now(), state };
      const fault = walFault(state);
      if (fault === null) faults.clear("checkpoint");
      else faults.set("checkpoint", fault);
    },
    freeBytes: () => free,
    wal: () =>
      wal === null
        ? null
        : {
            bytes: wal.state.bytes,
            checkpointAgeMs: Math.max(0, now() - wal.at) + wal.state.stuckMs,
            failures,
          },
    look,
    stop: () => clearInterval(timer),
  };
}

const MB = 1024 * 1024;
const powerOfTwoBelow = (bytes: number) => 2 ** Math.floor(Math.log2(Math.max(bytes, MB)));
const powerOfTwoAbove = (bytes: number) => 2 ** Math.ceil(Math.log2(Math.max(bytes, MB)));

const diskIsLow = (bytes: number) =>
  `Less than ${bytes / MB} MB are free on the disk of DATA_DIR. Free some space: calls get 503 when the disk is full.`;
const checkpointsFail = (error: string, bytes: number) =>
  `The database file cannot be written (${error}), so its write-ahead log grows with every call${sizeOf(bytes)}. Check the disk of DATA_DIR; calls get 503 when the log has filled it.`;
const logIsHeld = (since: string, bytes: number) =>
  `Another connection has been reading the database since ${since} UTC, so the write-ahead log cannot be emptied${sizeOf(bytes)}. End it if it is a database shell or a tool with an open transaction; a backup or an export ends by itself.`;
const sizeOf = (bytes: number) =>
  bytes >= WAL_LARGE_BYTES ? `; it is larger than ${bytes / MB} MB` : "";
