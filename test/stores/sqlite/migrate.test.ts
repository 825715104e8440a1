import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { promisify } from "node:util";
import { type Migration, SchemaMismatch, SchemaTooNew } from "#stores/schema/migrations.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openNodeSqlite, SQLITE_MIGRATIONS } from "#stores/sqlite/node.ts";
import { assertTotals, createFixture, START } from "../../contract/ledger/fixture.ts";
import { temporaryFolder } from "../../http/server-process.ts";
import { CHANGED, COMPATIBLE, INCOMPATIBLE, sha256Of, TOO_NEW } from "../other-version.ts";

/** Opens the file for one step, as a release with these migrations does. */
async function asRelease<Result>(
  file: string,
  migrations: readonly Migration[],
  step: (fixture: ReturnType<typeof createFixture>) => Promise<Result>,
): Promise<Result> {
  const driver = openNodeSqlite(file, migrations);
  try {
    return await step(createFixture(openSqliteDirect(driver)));
  } finally {
    driver.close();
  }
}

const fileIn = (folder: string) => path.join(folder, "toolbooth.sqlite");

function rows(file: string, sql: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => Object.values(row));
  } finally {
    database.close();
  }
}

test("migrations are recorded with their checksum and the oldest code that may use the data", async (t) => {
  const file = fileIn(temporaryFolder(t));
  const newer = [...SQLITE_MIGRATIONS, INCOMPATIBLE];
  const before = Date.now();
  openNodeSqlite(file).close();
  openNodeSqlite(file, newer).close();
  const sql = "SELECT version, name, sha256, readable_from FROM schema_migration ORDER BY version";
  assert.deepEqual(
    rows(file, sql),
    newer.map((each, index) => [index + 1, each.name, sha256Of(each), each.readableFrom]),
  );
  const [[earliest]] = rows(file, "SELECT min(applied_at) FROM schema_migration") as [[number]];
  assert.ok(earliest >= before && earliest <= Date.now());
  assert.deepEqual(rows(file, "PRAGMA user_version"), [[0]]);
});

test("after a rollback from a compatible migration, and an upgrade again, calls continue and nothing is lost", async (t) => {
  const file = fileIn(temporaryFolder(t));
  const newer = [...SQLITE_MIGRATIONS, COMPATIBLE];
  const account = await asRelease(file, SQLITE_MIGRATIONS, (fixture) =>
    fixture.account("Ada", { credits: 9 }),
  );
  for (const [turn, release] of [newer, SQLITE_MIGRATIONS, newer, SQLITE_MIGRATIONS].entries()) {
    await asRelease(file, release, async (fixture) => {
      const debited = await fixture.debit(account, { callId: `call_${turn}`, now: START + turn });
      assert.equal(debited.outcome, "debited");
      assert.equal(await fixture.balance(account), 8 - turn);
      await assertTotals(fixture.ledger, START + turn);
    });
  }
  assert.deepEqual(rows(file, "SELECT version FROM schema_migration"), [[1], [2]]);
});

test("data that older code may not use is rejected with a message and left unchanged, and newer code continues with it", async (t) => {
  const file = fileIn(temporaryFolder(t));
  const account = await asRelease(file, SQLITE_MIGRATIONS, async (fixture) => {
    const opened = await fixture.account("Ada", { credits: 9 });
    await fixture.debit(opened);
    return opened;
  });
  openNodeSqlite(file, [...SQLITE_MIGRATIONS, INCOMPATIBLE]).close();
  const bytes = readFileSync(file);
  assert.throws(
    () => openNodeSqlite(file),
    (error) => error instanceof SchemaTooNew && TOO_NEW.test(error.message),
  );
  assert.deepEqual(readFileSync(file), bytes);
  openNodeSqlite(file, [...SQLITE_MIGRATIONS, INCOMPATIBLE]).close();
  assert.deepEqual(
    rows(file, "SELECT a.id, count(g.credits), sum(g.credits) FROM account a, credit_grant g"),
    [[account, 1, 9]],
  );
});

test("a migration that differs from the one that ran is rejected by name", (t) => {
  const file = fileIn(temporaryFolder(t));
  openNodeSqlite(file).close();
  const [initial, ...more] = SQLITE_MIGRATIONS as [Migration, ...Migration[]];
  const edited = { ...initial, sql: `${initial.sql}-- edited` };
  assert.throws(
    () => openNodeSqlite(file, [edited, ...more]),
    (error) => error instanceof SchemaMismatch && CHANGED.test(error.message),
  );
  openNodeSqlite(file).close();
});

test("a file without recorded migrations is rejected and left unchanged", (t) => {
  const file = fileIn(temporaryFolder(t));
  const old = new DatabaseSync(file);
  old.exec("CREATE TABLE account (no INTEGER PRIMARY KEY); PRAGMA user_version = 6");
  old.close();
  const bytes = readFileSync(file);
  assert.throws(() => openNodeSqlite(file), /no record of migrations: a development version/);
  assert.deepEqual(rows(file, "SELECT name FROM sqlite_schema"), [["account"]]);
  assert.deepEqual(rows(file, "PRAGMA user_version"), [[6]]);
  assert.ok(bytes.length > 0);
});

test("a migration that fails leaves the data and the record as they were", (t) => {
  const file = fileIn(temporaryFolder(t));
  openNodeSqlite(file).close();
  const failing = {
    ...COMPATIBLE,
    sql: `${COMPATIBLE.sql}; INSERT INTO no_such_table VALUES (1)`,
  };
  assert.throws(() => openNodeSqlite(file, [...SQLITE_MIGRATIONS, failing]), /no_such_table/);
  assert.deepEqual(rows(file, "SELECT version FROM schema_migration"), [[1]]);
  assert.deepEqual(
    rows(file, "SELECT 1 FROM pragma_table_info('account') WHERE name = 'note'"),
    [],
  );
});

test("of six processes that open a file at once, one migrates it, and all can use it", async (t) => {
  const file = fileIn(temporaryFolder(t));
  const script = `
    const { openNodeSqlite } = await import("#stores/sqlite/node.ts");
    const { SQLITE_MIGRATIONS } = await import("#stores/sqlite/node.ts");
    const more = ${JSON.stringify(COMPATIBLE)};
    const driver = openNodeSqlite(process.argv[1], [...SQLITE_MIGRATIONS, more]);
    console.log(driver.prepare("SELECT count(*) AS n, count(note) AS m FROM account").get()?.n);
    driver.close();`;
  const options = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", script];
  const run = () =>
    promisify(execFile)(process.execPath, [...options, file], {
      cwd: path.join(import.meta.dirname, "../../.."),
      timeout: 300_000,
    });
  const ended = await Promise.all(Array.from({ length: 6 }, run));
  assert.deepEqual(
    ended.map(({ stdout }) => stdout.trim()),
    Array.from({ length: 6 }, () => "0"),
  );
  assert.deepEqual(rows(file, "SELECT version FROM schema_migration"), [[1], [2]]);
});
