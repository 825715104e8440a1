#!/usr/bin/env bash
# Values of JavaScript are parameters of an insert into a column of type jsonb, PostgreSQL 18 (PGlite 0.5.14): the empty list of scopes, a list with one, the texts "5" and "null", true. Three clients; kysely
# and others hand their values to the first.
# Expected: the value that was given, in all three, or an error.
# Seen on 2026-11-30: pg 8.23.1 writes lists as arrays of PostgreSQL: `[]` is stored as `{}`, an object, and a list with a text is an error, so that the mistake shows only once a list is not empty. pg and
# PGlite take a text for JSON: "5" is stored as a number and "null" as JSON's null. postgres 3.4.9 stores both texts, and refuses true.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1 postgres@3.4.9
cat > seen.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import pg from "pg";
import postgres from "postgres";
const db = await PGlite.create();
await db.exec("CREATE TABLE key (scopes jsonb)");
const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1" });
await server.start();
const address = { host: "127.0.0.1", port: Number(server.getServerConn().split(":").pop()), user: "postgres", database: "postgres" };
const values = [[], ["read"], "5", "null", true];
const insertAll = async (insert) => {
  const seen = [];
  for (const value of values) {
    const answer = await insert(value).then(([row]) => row.stored, () => "an error");
    seen.push(`${JSON.stringify(value)} ${answer}`);
  }
  return seen.join(", ");
};
const sql = "INSERT INTO key VALUES ($1) RETURNING jsonb_typeof(scopes) AS stored";
console.log(`PGlite: ${await insertAll(async (value) => (await db.query(sql, [value])).rows)}`);
const client = new pg.Client(address);
await client.connect();
console.log(`pg: ${await insertAll(async (value) => (await client.query(sql, [value])).rows)}`);
await client.end();
await new Promise((resolve) => setTimeout(resolve, 200));
const tagged = postgres({ ...address, max: 1 });
console.log(`postgres: ${await insertAll((value) => tagged`INSERT INTO key VALUES (${value}) RETURNING jsonb_typeof(scopes) AS stored`)}`);
process.exit();
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = 'PGlite: [] array, ["read"] array, "5" number, "null" null, true boolean
pg: [] object, ["read"] an error, "5" number, "null" null, true boolean
postgres: [] array, ["read"] array, "5" string, "null" string, true an error' ]
