import { D1_MIGRATIONS } from "./d1-migrations.ts";

/**
 * Which migrations a D1 database has. They are recorded in the table that `wrangler d1 migrations` uses, so that its list is right. Each
 * migration is imported as one file together with its record, because an import is one transaction, and a query is not.
 */
const RECORDS = "d1_migrations";

/** As Wrangler creates it. */
const CREATE_RECORDS = `CREATE TABLE IF NOT EXISTS "${RECORDS}"(
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);
`;

/** A table of the first migration, by which a database is known as ours. */
const OWN_TABLE = "account_index";

const record = (fileName: string) => `INSERT INTO "${RECORDS}" (name) VALUES ('${fileName}');\n`;

/** Each migration by the name of its file, with the statements to import. */
export const D1_IMPORTS: readonly { name: string; fileName: string; sql: string }[] =
  D1_MIGRATIONS.map(({ name, sql }) => ({
    name,
    fileName: `${name}.sql`,
    sql: `${CREATE_RECORDS}${sql}${record(`${name}.sql`)}`,
  }));

export type MigrationState =
  | { kind: "known"; applied: readonly string[] }
  /** Another program's tables. */
  | { kind: "foreign"; tables: readonly string[] }
  /** Our tables without a record; `statements` record the first migration. */
  | { kind: "unrecorded"; statements: string };

/** Reads the state with `query`, which resolves to the column `name` of the rows. */
export async function readMigrationState(
  query: (statement: string) => Promise<readonly string[]>,
): Promise<MigrationState> {
  const tables = (await query("SELECT name FROM sqlite_schema WHERE type = 'table'")).filter(
    (name) => !/^(?:sqlite_|_cf_)/.test(name),
  );
  const applied = tables.includes(RECORDS)
    ? await query(`SELECT name FROM "${RECORDS}" ORDER BY id`)
    : [];
  const others = tables.filter((name) => name !== RECORDS);
  if (others.length === 0 || (others.includes(OWN_TABLE) && applied.length > 0))
    return { kind: "known", applied };
  if (!others.includes(OWN_TABLE)) return { kind: "foreign", tables: others };
  const [first] = D1_IMPORTS;
  return { kind: "unrecorded", statements: `${CREATE_RECORDS}${record(first?.fileName ?? "")}` };
}
