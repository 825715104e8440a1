#!/usr/bin/env bash
# A call that is repeated is written with `INSERT … ON CONFLICT DO NOTHING`: its key is there, in the row 1, and after that the rows 2 and 3 were written. Which id does the insert report? Six ways to SQLite.
# Expected: none, or 0: nothing was written.
# Seen on 2026-11-29: all report 3, the id of the last row that this connection has written, whoever's it is: `lastInsertRowid` of node:sqlite (Node 24), better-sqlite3 13.2.0, @libsql/client 0.18.0 and drizzle-orm 0.45.4, `insertId` of
# kysely 0.29.9, and knex 3.3.0 returns `[3]` and nothing else, so there it cannot even be seen that nothing was written. A charge that is linked to that id belongs to another call. `RETURNING id`
# returns no row then; the count of changes is 0.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps better-sqlite3@13.2.0 @libsql/client@0.18.0 kysely@0.29.9 knex@3.3.0 \
  drizzle-orm@0.45.4
cat > seen.mjs <<'JS'
import { DatabaseSync } from "node:sqlite";
import { createClient } from "@libsql/client";
import BetterSqlite from "better-sqlite3";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import Knex from "knex";
import { Kysely, SqliteDialect } from "kysely";
const schema = "CREATE TABLE calls (id INTEGER PRIMARY KEY, key TEXT UNIQUE)";
const first = "INSERT INTO calls (key) VALUES ('a')";
const other = "INSERT INTO calls (key) VALUES ('b'), ('c')";
const repeat = `${first} ON CONFLICT DO NOTHING`;
const better = () => new BetterSqlite(":memory:");
const filled = (database) => {
  for (const sql of [schema, first, other]) database.exec(sql);
  return database;
};
const calls = sqliteTable("calls", { id: integer().primaryKey(), key: text() });
const drivers = {
  "node:sqlite": () => filled(new DatabaseSync(":memory:")).prepare(repeat).run().lastInsertRowid,
  "better-sqlite3": () => filled(better()).prepare(repeat).run().lastInsertRowid,
  "@libsql/client": async () => {
    const client = createClient({ url: ":memory:" });
    for (const sql of [schema, first, other]) await client.execute(sql);
    return (await client.execute(repeat)).lastInsertRowid;
  },
  drizzle: () => drizzle(filled(better())).insert(calls).values({ key: "a" }).onConflictDoNothing().run().lastInsertRowid,
  kysely: async () => {
    const db = new Kysely({ dialect: new SqliteDialect({ database: filled(better()) }) });
    return (await db.insertInto("calls").values({ key: "a" }).onConflict((conflict) => conflict.doNothing()).executeTakeFirst()).insertId;
  },
  knex: async () => {
    const db = Knex({ client: "better-sqlite3", connection: ":memory:", useNullAsDefault: true });
    for (const sql of [schema, first, other]) await db.raw(sql);
    return JSON.stringify(await db("calls").insert({ key: "a" }).onConflict("key").ignore());
  },
};
for (const [name, insert] of Object.entries(drivers)) console.log(`${name}: ${await insert()}`);
process.exit();
JS
seen=$(node --no-warnings seen.mjs)
echo "$seen"
[ "$seen" = 'node:sqlite: 3
better-sqlite3: 3
@libsql/client: 3
drizzle: 3
kysely: 3
knex: [3]' ]
