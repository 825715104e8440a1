/**
 * The meaning of SQLite's errors, by their extended result codes (sqlite.org/rescode.html), which `node:sqlite` reports as
 * `errcode`. The low byte of an extended code is the primary code.
 */
export const SQLITE_BUSY = 5;
export const SQLITE_CORRUPT = 11;
export const SQLITE_NOTADB = 26;
const SQLITE_ERROR = 1;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_CONSTRAINT = 19;
const SQLITE_CONSTRAINT_NOTNULL = 1299;
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;
const SQLITE_CONSTRAINT_ROWID = 2579;

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

/** Returns the extended result code; 0 if the error has none. */
export const codeOf = (error: unknown): number =>
  Number((error as { errcode?: unknown })?.errcode ?? 0);

export const primaryCodeOf = (error: unknown): number => codeOf(error) & 0xff;

export const isDiskFault = (error: unknown): boolean => primaryCodeOf(error) === SQLITE_IOERR;

/** Whether one order may have caused the error, so that the others would succeed without it. */
export const mayBeOneOrder = (error: unknown): boolean =>
  !SHARED_FAULTS.includes(primaryCodeOf(error));

/** Whether SQLite cannot read its file, or the file's schema is so damaged that valid statements fail. */
export const isDamage = (error: unknown): boolean =>
  [SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB].includes(primaryCodeOf(error));

export const isUniqueViolation = (error: unknown): boolean => constraintOf(error) === "again";

/**
 * Returns how a record violates a constraint; undefined for any other error. `again`: a unique constraint. `unknown`: a NOT NULL
 * constraint, because a reference was not found.
 */
export function constraintOf(error: unknown): "again" | "unknown" | "contradiction" | undefined {
  // The driver rejects values of a type that no column takes.
  if (error instanceof TypeError) return "contradiction";
  switch (constraintCodeOf(error)) {
    case undefined:
      return undefined;
    case SQLITE_CONSTRAINT_NOTNULL:
      return "unknown";
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_ROWID:
      return "again";
    default:
      return "contradiction";
  }
}

function constraintCodeOf(error: unknown): number | undefined {
  const code = codeOf(error);
  if (code !== 0) return primaryCodeOf(error) === SQLITE_CONSTRAINT ? code : undefined;
  // The storage of a Durable Object reports no codes, only the message that SQLite itself wrote.
  const message = error instanceof Error ? error.message : String(error);
  if (/NOT NULL constraint failed/.test(message)) return SQLITE_CONSTRAINT_NOTNULL;
  if (/UNIQUE constraint failed/.test(message)) return SQLITE_CONSTRAINT_UNIQUE;
  return /constraint failed|cannot store/.test(message) ? SQLITE_CONSTRAINT : undefined;
}
