#!/usr/bin/env bash
# PostgreSQL 18 (PGlite 0.5.14) has `infinity` for timestamps, for keys and plans that never expire. What do four clients read?
# Expected: Infinity, the text or an error.
# Seen on 2026-11-29: PGlite, postgres 3.4.9 and drizzle-orm 0.45.4 make an invalid Date of it, without an error: each comparison with now is false, so a key that never expires counts as expired,
# and in JSON it is null. pg 8.23.1 returns the number Infinity, which compares as meant, is null in JSON as well, and has no `toISOString`.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1 postgres@3.4.9 \
  drizzle-orm@0.45.4
cat > seen.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { drizzle } from "drizzle-orm/node-postgres";
import { pgTable, timestamp } from "drizzle-orm/pg-core";
import pg from "pg";
import postgres from "postgres";
const db = await PGlite.create();
await db.exec("CREATE TABLE key (expires timestamptz); INSERT INTO key VALUES ('infinity')");
const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1" });
await server.start();
const address = { host: "127.0.0.1", port: Number(server.getServerConn().split(":").pop()), user: "postgres", database: "postgres" };
const text = "SELECT expires FROM key";
const key = pgTable("key", { expires: timestamp({ withTimezone: true }) });
const clients = {
  PGlite: async () => (await db.query(text)).rows,
  pg: async () => {
    const client = new pg.Client(address);
    await client.connect();
    return client.query(text).then(({ rows }) => rows).finally(() => client.end());
  },
  postgres: async () => {
    const sql = postgres({ ...address, max: 1 });
    return sql.unsafe(text).finally(() => sql.end());
  },
  "drizzle-orm with pg": async () => {
    const pool = new pg.Pool({ ...address, max: 1 });
    return drizzle({ client: pool }).select().from(key).then((rows) => rows).finally(() => pool.end());
  },
};
for (const [name, read] of Object.entries(clients)) {
  const [{ expires }] = await read();
  console.log(`${name}: ${expires instanceof Date ? "Date" : typeof expires} ${expires}, still valid ${expires > new Date()}, as JSON ${JSON.stringify(expires)}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'PGlite: Date Invalid Date, still valid false, as JSON null
pg: number Infinity, still valid true, as JSON null
postgres: Date Invalid Date, still valid false, as JSON null
drizzle-orm with pg: Date Invalid Date, still valid false, as JSON null' ]
