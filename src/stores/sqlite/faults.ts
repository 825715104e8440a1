/**
 * The meaning of SQLite's errors, by their extended result codes (sqlite.org/rescode.html), which `node:sqlite` reports as
 * `errcode`. The low byte of an extended code is the primary code.
 */
export const SQLITE_BUSY = 5;
export const SQLITE_CORRUPT = 11;
export const SQLITE_NOTADB = 26;
const SQLITE_ERROR = 1;
export const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
export const SQLITE_FULL = 13;
export const SQLITE_CANTOPEN = 14;
const SQLITE_CONSTRAINT = 19;
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;
const SQLITE_CONSTRAINT_ROWID = 2579;

/**
 * A COMMIT failed. Its `errcode` is that of SQLite's error. Unless `isSure`, the transaction may have been carried out: the commit
 * may be in the WAL, and a process that opens the file after a crash would apply it, although this connection has rolled it back.
 */
export class CommitFailed extends Error {
  readonly errcode: number;
  readonly isSure: boolean;

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.errcode = codeOf(cause);
    this.isSure = SURE_AT_COMMIT.includes(this.errcode & 0xff);
  }
}

/** Faults that every other order would meet as well. */
const SHARED_FAULTS: readonly number[] = [
  SQLITE_BUSY,
  SQLITE_READONLY,
  SQLITE_IOERR,
  SQLITE_CORRUPT,
  SQLITE_FULL,
  SQLITE_CANTOPEN,
  SQLITE_NOTADB,
];

/**
 * The faults of a COMMIT that leave no commit behind: a lock or a constraint stops it before it writes anything, and a full disk in the
 * middle of a frame, whose checksum then does not match. All others may come after the last frame was written, such as a failed
 * fsync, or one of the shared memory that indexes the frames.
 */
const SURE_AT_COMMIT: readonly number[] = [SQLITE_BUSY, SQLITE_FULL, SQLITE_CONSTRAINT];

/** Returns the extended result code; 0 if the error has none. */
export const codeOf = (error: unknown): number =>
  Number((error as { errcode?: unknown })?.errcode ?? 0);

export const primaryCodeOf = (error: unknown): number => codeOf(error) & 0xff;

/** Whether the transaction that failed with this error may have been carried out all the same. */
export const isDoubtful = (error: unknown): boolean =>
  error instanceof CommitFailed && !error.isSure;

/** Whether one order may have caused the error, so that the others would succeed without it. */
export const mayBeOneOrder = (error: unknown): boolean =>
  !SHARED_FAULTS.includes(primaryCodeOf(error));

/** Whether a number was read that JavaScript cannot represent: the ledger has none, so the row is damaged. */
const isOutOfRange = (error: unknown): boolean =>
  (error as { code?: unknown })?.code === "ERR_OUT_OF_RANGE";

/** Whether SQLite cannot read its file, or the file's schema is so damaged that valid statements fail. */
export const isDamage = (error: unknown): boolean =>
  [SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB].includes(primaryCodeOf(error)) ||
  isOutOfRange(error);

export const isUniqueViolation = (error: unknown): boolean => {
  const code = constraintCodeOf(error);
  return code !== null && UNIQUE.includes(code);
};

/** Whether a record violates a constraint, or has a value of a type that no column takes, which the driver rejects. */
export const isContradiction = (error: unknown): boolean =>
  error instanceof TypeError || constraintCodeOf(error) !== null;

const UNIQUE: readonly number[] = [
  SQLITE_CONSTRAINT_PRIMARYKEY,
  SQLITE_CONSTRAINT_UNIQUE,
  SQLITE_CONSTRAINT_ROWID,
];

function constraintCodeOf(error: unknown): number | null {
  const code = codeOf(error);
  if (code !== 0) return primaryCodeOf(error) === SQLITE_CONSTRAINT ? code : null;
  // The storage of a Durable Object reports no codes, only the message that SQLite itself wrote.
  const message = error instanceof Error ? error.message : String(error);
  if (/UNIQUE constraint failed/.test(message)) return SQLITE_CONSTRAINT_UNIQUE;
  return /constraint failed|cannot store/.test(message) ? SQLITE_CONSTRAINT : null;
}
