import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/**
 * Which migrations a database needs, and whether this code may use it: decided here for every engine, from the rows of
 * `schema_migration`. A schema's version is the number of its migrations.
 */
export type Migration = {
  name: string;
  sql: string;
  /**
   * The lowest schema version of code that can read and write the data after this migration. One that only adds what older
   * code leaves alone names an older version, so that the release before can be rolled back to; one that removes or
   * reinterprets something names its own version.
   */
  readableFrom: number;
};

/** A row of `schema_migration`. */
export type AppliedMigration = {
  version: number;
  name: string;
  /** Of the migration's SQL, in hex. */
  sha256: string;
  readableFrom: number;
};

/** What is known of a database before anything is changed. */
export type SchemaState = {
  /** In the order of their versions; empty where there is no table `schema_migration`. */
  applied: readonly AppliedMigration[];
  /** Whether there is a table `account`, which the first migration makes. */
  hasTables: boolean;
};

/** A newer version of the service wrote the data, and this code would misread it. */
export class SchemaTooNew extends Error {}

/** The record of migrations does not fit this code, although the data is not newer. */
export class SchemaMismatch extends Error {}

/**
 * The migrations that have yet to run, as the rows that record them. Throws `SchemaTooNew` for data that this code may not
 * use, and `SchemaMismatch` for a migration that was edited after it ran, or is not recorded.
 */
export function planMigrations(
  migrations: readonly Migration[],
  { applied, hasTables }: SchemaState,
): (AppliedMigration & Pick<Migration, "sql">)[] {
  const known = migrations.length;
  const found = applied.at(-1)?.version ?? 0;
  if (found === 0 && hasTables) throw new SchemaMismatch(UNRECORDED);
  if (applied.some(({ version, readableFrom }) => version > known && readableFrom > known)) {
    throw new SchemaTooNew(
      `The data has schema version ${found}, but this version of Toolbooth knows only up to ${known}. ` +
        "Run the newer version, or restore a backup made by this one.",
    );
  }
  const all = migrations.map(recordOf);
  for (const migration of all.slice(0, found)) requireRecord(migration, applied);
  return all.slice(found);
}

/** Kept for the process, because an isolate at the edge opens many objects. */
const hashes = new WeakMap<Migration, string>();

function recordOf(migration: Migration, index: number) {
  const hash = hashes.get(migration) ?? bytesToHex(sha256(utf8.encode(migration.sql)));
  hashes.set(migration, hash);
  return { ...migration, version: index + 1, sha256: hash };
}

function requireRecord(
  { version, name, sha256: expected }: AppliedMigration,
  applied: readonly AppliedMigration[],
): void {
  const row = applied.find((each) => each.version === version);
  if (row === undefined) {
    throw new SchemaMismatch(
      `The data has no record of migration ${version} (${name}), although later ones are recorded. ${RESTORE}`,
    );
  }
  if (row.sha256 !== expected) {
    throw new SchemaMismatch(
      `Migration ${version} (${name}) is not the one that ran on this data (${row.name}): their checksums differ. ${RESTORE}`,
    );
  }
}

const RESTORE = "Run the version of Toolbooth that made the data, or restore a backup.";
const UNRECORDED =
  "The data has tables but no record of migrations: a development version made it. " +
  "Export it with that version and import it with this one.";

const utf8 = new TextEncoder();

/** One text for every engine, so without STRICT, which knows no bigint. */
export const SCHEMA_MIGRATION_TABLE = `CREATE TABLE IF NOT EXISTS schema_migration (
  version integer PRIMARY KEY,
  name text NOT NULL,
  sha256 text NOT NULL,
  readable_from integer NOT NULL,
  applied_at bigint NOT NULL
)`;

export const READ_APPLIED = `SELECT version, name, sha256, readable_from AS "readableFrom"
  FROM schema_migration ORDER BY version`;
