import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { D1_IMPORTS, readMigrationState } from "#stores/schema/d1-migration-records.ts";
import type { CloudflareApi } from "./cloudflare-api.ts";
import { DeployError } from "./deploy-error.ts";
import type { RunWrangler } from "./run-wrangler.ts";
import type { ConfigFiles } from "./worker-configs.ts";

/**
 * The tables of D1. `wrangler d1 migrations apply` sends a file and its record as one query, which D1 cuts at semicolons, also within
 * triggers ("incomplete input"). `wrangler d1 execute --file` imports a file as a whole and undoes it if it fails.
 */
type Import = (typeof D1_IMPORTS)[number];

/** Returns the migrations that the database lacks, in order. */
export async function findPending(
  api: CloudflareApi,
  accountId: string,
  databaseId: string,
  files: ConfigFiles,
): Promise<readonly Import[]> {
  const url = `/accounts/${accountId}/d1/database/${databaseId}/query`;
  const state = await readMigrationState(async (sql) => {
    const [result] = await api.send<{ results: { name: string }[] }[]>(url, { sql });
    return (result?.results ?? []).map(({ name }) => name);
  });
  if (state.kind === "foreign") {
    throw new DeployError(
      `The D1 database has tables of another program (${state.tables.slice(0, 3).join(", ")}).`,
      "Rename that database, or deploy to another account.",
    );
  }
  if (state.kind === "unrecorded") {
    throw new DeployError(
      "The D1 database has the service's tables, but no record of the migration that created them.",
      `If they were created by hand from ${D1_IMPORTS[0]?.fileName}, write these lines to a file and import it with \`npx wrangler d1 execute DB --remote -c ${files.site} --file <file>\`:\n${state.statements.trim()}`,
    );
  }
  return D1_IMPORTS.filter(({ fileName }) => !state.applied.includes(fileName));
}

export async function applyMigrations(
  run: RunWrangler,
  checkout: string,
  files: ConfigFiles,
  pending: readonly Import[],
): Promise<void> {
  const parent = path.join(checkout, path.dirname(files.site));
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(path.join(parent, "tables-"));
  try {
    for (const { fileName, sql } of pending) {
      const file = path.join(folder, fileName);
      writeFileSync(file, sql);
      await run([...tablesCommand(files), file]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The arguments of Wrangler that import a file, which follows. */
export const tablesCommand = ({ site }: ConfigFiles): string[] => [
  ...["d1", "execute", "DB", "--remote", "--yes", "--config", site],
  "--file",
];
