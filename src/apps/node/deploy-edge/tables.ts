import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { D1_MIGRATIONS } from "#stores/schema/d1-migrations.ts";
import type { CloudflareApi } from "./cloudflare-api.ts";
import { DeployError } from "./deploy-error.ts";
import type { RunWrangler } from "./run-wrangler.ts";
import { CONFIG_FILES } from "./worker-configs.ts";

/**
 * The tables of D1. `wrangler d1 migrations apply` sends a file and its record as one query, which D1 cuts at semicolons, also within
 * triggers ("incomplete input"). `wrangler d1 execute --file` imports a file as a whole and undoes it if it fails. So each migration
 * is imported together with its record, in the table that Wrangler uses itself.
 */
type Migration = { name: string; sql: string };

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

/** Returns the migrations that the database lacks, in order. */
export async function findPending(
  api: CloudflareApi,
  accountId: string,
  databaseId: string,
): Promise<readonly Migration[]> {
  const query = async (sql: string) => {
    const path = `/accounts/${accountId}/d1/database/${databaseId}/query`;
    const [result] = await api.post<{ results: { name: string }[] }[]>(path, { sql });
    return (result?.results ?? []).map(({ name }) => name);
  };
  const tables = (await query("SELECT name FROM sqlite_schema WHERE type = 'table'")).filter(
    (name) => !/^(?:sqlite_|_cf_)/.test(name),
  );
  const applied = tables.includes(RECORDS)
    ? await query(`SELECT name FROM "${RECORDS}" ORDER BY id`)
    : [];
  const others = tables.filter((name) => name !== RECORDS);
  if (others.length > 0 && !others.includes(OWN_TABLE)) {
    throw new DeployError(
      `The D1 database has tables of another program (${others.slice(0, 3).join(", ")}).`,
      "Rename that database, or deploy to another account.",
    );
  }
  if (others.length > 0 && applied.length === 0) {
    throw new DeployError(
      "The D1 database has the service's tables, but no record of the migrations that created them.",
      `If they are those of ${D1_MIGRATIONS[0]?.name}, record it: npx wrangler d1 execute DB --remote -c ${CONFIG_FILES.site} --command '${CREATE_RECORDS.replaceAll(/\s+/g, " ")}INSERT INTO ${RECORDS} (name) VALUES (\\'${fileName(D1_MIGRATIONS[0] as Migration)}\\')'`,
    );
  }
  return D1_MIGRATIONS.filter((migration) => !applied.includes(fileName(migration)));
}

export async function applyMigrations(
  run: RunWrangler,
  checkout: string,
  pending: readonly Migration[],
): Promise<void> {
  const parent = path.join(checkout, path.dirname(CONFIG_FILES.site));
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(path.join(parent, "tables-"));
  try {
    for (const migration of pending) {
      const name = fileName(migration);
      const file = path.join(folder, name);
      const record = `INSERT INTO "${RECORDS}" (name) VALUES ('${name}');\n`;
      writeFileSync(file, `${CREATE_RECORDS}${migration.sql}${record}`);
      await run([...TABLES_COMMAND, file]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const TABLES_COMMAND = [
  ...["d1", "execute", "DB", "--remote", "--yes", "--config", CONFIG_FILES.site],
  "--file",
];

const fileName = ({ name }: Migration) => `${name}.sql`;
