#!/usr/bin/env bash
# Rows whose id is not in a list, and the list is empty: a report that leaves out nothing. Four libraries, PostgreSQL 18 (PGlite 0.5.14).
# Expected: all three rows, or an error, since `NOT IN ()` is a syntax error in PostgreSQL.
# Seen on 2026-11-29: postgres 3.4.9 writes an empty list as `(null)`, and nothing is known to be outside of that: no row is found, without an error. kysely 0.29.9 fails with a syntax error, knex 3.3.0 and
# drizzle-orm 0.45.4 return all rows. With postgres `id <> ALL(${ids})` does.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1 postgres@3.4.9 \
  kysely@0.29.9 knex@3.3.0 drizzle-orm@0.45.4
cat > seen.mjs <<'JS'
import { setTimeout as sleep } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { notInArray } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { integer, pgTable } from "drizzle-orm/pg-core";
import knex from "knex";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import postgres from "postgres";
const db = await PGlite.create();
await db.exec("CREATE TABLE call (id integer); INSERT INTO call VALUES (1), (2), (3)");
const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1" });
await server.start();
const address = { host: "127.0.0.1", port: Number(server.getServerConn().split(":").pop()), user: "postgres", database: "postgres" };
const call = pgTable("call", { id: integer() });
const libraries = {
  postgres: () => {
    const sql = postgres({ ...address, max: 1 });
    return [(list) => sql`SELECT id FROM call WHERE id NOT IN ${sql(list)}`, () => sql.end()];
  },
  kysely: () => {
    const kysely = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ ...address, max: 1 }) }) });
    return [(list) => kysely.selectFrom("call").select("id").where("id", "not in", list).execute(), () => kysely.destroy()];
  },
  knex: () => {
    const client = knex({ client: "pg", connection: address, pool: { min: 0, max: 1 } });
    return [async (list) => client("call").whereNotIn("id", list), () => client.destroy()];
  },
  drizzle: () => {
    const pool = new pg.Pool({ ...address, max: 1 });
    return [async (list) => drizzle({ client: pool }).select().from(call).where(notInArray(call.id, list)), () => pool.end()];
  },
};
for (const [name, connect] of Object.entries(libraries)) {
  const [find, end] = connect();
  const seen = [];
  for (const list of [[3], []]) seen.push(await find(list).then((rows) => `${rows.length} rows`, (error) => error.message));
  console.log(`${name}: not in (3) ${seen[0]}, not in () ${seen[1]}`);
  await end();
  // PGlite takes one connection at a time.
  await sleep(300);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'postgres: not in (3) 2 rows, not in () 0 rows
kysely: not in (3) 2 rows, not in () syntax error at or near ")"
knex: not in (3) 2 rows, not in () 3 rows
drizzle: not in (3) 2 rows, not in () 3 rows' ]
