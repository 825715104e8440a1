#!/usr/bin/env bash
# Two rows, of which only the second has a note, written with one insert through two libraries to PostgreSQL 18 (PGlite).
# Expected: the note is written, or an error says that the rows differ. Seen on 2026-11-29: postgres 3.4.9 `sql(rows)` takes the columns of the first
# row for all; the note is lost without an error (the other way round, where a later row lacks a value, it throws). kysely 0.29.9
# writes all columns, and `default` where a row lacks one.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 postgres@3.4.9 kysely@0.29.9
cat > seen.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { DummyDriver, Kysely, PostgresAdapter, PostgresQueryCompiler } from "kysely";
import postgres from "postgres";
const db = await PGlite.create();
const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1" });
await server.start();
const port = Number(server.getServerConn().split(":").pop());
const sql = postgres({ host: "127.0.0.1", port, user: "postgres", database: "postgres", max: 1 });
const kysely = new Kysely({
  dialect: { createAdapter: () => new PostgresAdapter(), createDriver: () => new DummyDriver(), createQueryCompiler: () => new PostgresQueryCompiler() },
});
await sql`CREATE TABLE payment (id int, note text)`;
const rows = [{ id: 1 }, { id: 2, note: "refund" }];
const notes = async (write) => {
  await sql`DELETE FROM payment`;
  try {
    await write();
  } catch (error) {
    return error.code;
  }
  return JSON.stringify((await sql`SELECT note FROM payment ORDER BY id`).map((row) => row.note));
};
console.log(`postgres: ${await notes(() => sql`INSERT INTO payment ${sql(rows)}`)}`);
console.log(`postgres, other order: ${await notes(() => sql`INSERT INTO payment ${sql([rows[1], rows[0]])}`)}`);
const query = kysely.insertInto("payment").values(rows).compile();
console.log(`kysely: ${await notes(() => sql.unsafe(query.sql, query.parameters))}`);
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'postgres: [null,null]
postgres, other order: UNDEFINED_VALUE
kysely: [null,"refund"]' ]
