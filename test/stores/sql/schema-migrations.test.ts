import assert from "node:assert/strict";
import { test } from "node:test";
import { OBJECT_MIGRATIONS } from "#stores/durable-object/schema.ts";
import { MIGRATIONS } from "#stores/postgres/migrate.ts";
import {
  type AppliedMigration,
  type Migration,
  planMigrations,
  SchemaMismatch,
  SchemaTooNew,
} from "#stores/schema/migrations.ts";
import { SQLITE_MIGRATIONS } from "#stores/sqlite/node.ts";
import { sha256Of } from "../other-version.ts";

/** Releases by their migrations; `readableFrom` is the oldest code that can read the data of each migration. */
const release = (...readableFrom: number[]): Migration[] =>
  readableFrom.map((from, index) => ({
    name: `m${index + 1}`,
    sql: `statement ${index + 1}`,
    readableFrom: from,
  }));
const rowsOf = (migrations: Migration[]): AppliedMigration[] =>
  migrations.map((migration, index) => ({
    version: index + 1,
    name: migration.name,
    sha256: sha256Of(migration),
    readableFrom: migration.readableFrom,
  }));
const versionsMissing = (code: Migration[], data: Migration[]) =>
  planMigrations(code, { applied: rowsOf(data), hasTables: data.length > 0 }).map(
    ({ version }) => version,
  );

test("data gets the migrations that it lacks, in order, with a record of each", () => {
  const code = release(1, 1, 3);
  assert.deepEqual(versionsMissing(code, []), [1, 2, 3]);
  assert.deepEqual(versionsMissing(code, release(1, 1)), [3]);
  assert.deepEqual(versionsMissing(code, code), []);
  const [first] = planMigrations(code, { applied: [], hasTables: false });
  assert.deepEqual(first, { ...code[0], version: 1, sha256: sha256Of(code[0] as Migration) });
});

test("code may use newer data only if each newer migration allows it", () => {
  const tried = (code: number, ...readableFrom: number[]) => {
    const data = release(...readableFrom);
    try {
      return versionsMissing(data.slice(0, code), data);
    } catch (error) {
      return (error as Error).constructor;
    }
  };
  assert.deepEqual(tried(1, 1, 1), []);
  assert.deepEqual(tried(2, 1, 2, 2, 1), []);
  assert.equal(tried(1, 1, 2), SchemaTooNew);
  assert.equal(tried(2, 1, 1, 1, 3), SchemaTooNew);
  // A compatible migration after an incompatible one does not make the data readable again.
  assert.equal(tried(1, 1, 2, 1), SchemaTooNew);
  // The `readableFrom` of a migration that this code knows does not matter.
  assert.deepEqual(tried(3, 1, 2, 3, 3), []);
});

test("a migration that was edited after it ran is reported by name, and so is one without a record", () => {
  const code = release(1, 1, 3);
  const edited = rowsOf(code).map((row) => (row.version === 2 ? { ...row, sha256: "0" } : row));
  const lost = rowsOf(code).filter(({ version }) => version !== 2);
  for (const [applied, sentence] of [
    [edited, /^Migration 2 \(m2\) is not the one that ran .+ checksums differ\./],
    [lost, /^The data has no record of migration 2 \(m2\)/],
    [[], /^The data has tables but no record of migrations: a development version made it\./],
  ] as const) {
    assert.throws(
      () => planMigrations(code, { applied, hasTables: true }),
      (error) => error instanceof SchemaMismatch && sentence.test(error.message),
    );
  }
});

test("the migrations of every engine name a readable version from 1 to their own", () => {
  for (const migrations of [SQLITE_MIGRATIONS, OBJECT_MIGRATIONS, MIGRATIONS]) {
    for (const [index, { name, readableFrom }] of migrations.entries()) {
      assert.ok(readableFrom >= 1 && readableFrom <= index + 1, name);
      assert.match(name, /^[a-z]+(?:-[a-z]+)*$/);
    }
    assert.equal(new Set(migrations.map(({ name }) => name)).size, migrations.length);
  }
});
