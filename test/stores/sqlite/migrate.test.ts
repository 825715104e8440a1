import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { promisify } from "node:util";
import { openNodeSqlite, SQLITE_MIGRATIONS } from "#stores/sqlite/node.ts";
import { openSqliteDirect } from "../../support/sqlite-direct.ts";
import { COMPATIBLE } from "../other-version.ts";
import { schemaContract } from "../schema-contract.ts";
import { temporaryFile } from "./fixture.ts";

function rowsOf(file: string, sql: string): unknown[][] {
  const database = new DatabaseSync(file);
  try {
    const rows = database.prepare(sql).all();
    return rows.map((row) => Object.values(row));
  } finally {
    database.close();
  }
}

schemaContract("SQLite", async (t) => {
  const file = temporaryFile(t);
  return {
    migrations: SQLITE_MIGRATIONS,
    async migrate(migrations) {
      openNodeSqlite(file, migrations).close();
    },
    async open(migrations) {
      const driver = openNodeSqlite(file, migrations);
      return { ...openSqliteDirect(driver), close: driver.close };
    },
    rows: async (sql) => rowsOf(file, sql),
    write: async (sql) => rowsOf(file, sql),
  };
});

test("of six processes that open a file at once, one migrates it, and all can use it", async (t) => {
  const file = temporaryFile(t);
  const script = `
    const { openNodeSqlite, SQLITE_MIGRATIONS } = await import("#stores/sqlite/node.ts");
    const more = ${JSON.stringify(COMPATIBLE)};
    const driver = openNodeSqlite(process.argv[1], [...SQLITE_MIGRATIONS, more]);
    console.log(driver.prepare("SELECT count(*) AS n, count(note) AS m FROM account").get()?.n);
    driver.close();`;
  const options = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", script];
  const cwd = path.join(import.meta.dirname, "../../..");
  const run = () => promisify(execFile)(process.execPath, [...options, file], { cwd });
  const ended = await Promise.all(Array.from({ length: 6 }, run));
  assert.deepEqual(
    ended.map(({ stdout }) => stdout.trim()),
    Array.from({ length: 6 }, () => "0"),
  );
  const versions = rowsOf(file, "SELECT version FROM schema_migration");
  assert.deepEqual(
    versions,
    [...SQLITE_MIGRATIONS, COMPATIBLE].map((_, at) => [at + 1]),
  );
});
