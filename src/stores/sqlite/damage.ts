/** Whether an error means that SQLite cannot make sense of its file, or that a damaged schema spoils good statements. */
export const isDamage = (error: unknown): boolean =>
  [SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB].includes(
    Number((error as { errcode?: number }).errcode) & 0xff,
  );

const SQLITE_ERROR = 1;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
