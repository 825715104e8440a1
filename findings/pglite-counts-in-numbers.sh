#!/usr/bin/env bash
# One PostgreSQL 18 (PGlite 0.5.14), asked directly and through pg 8.23.1 and postgres 3.4.9: tests often use the first, production the others.
# Expected: a program that passes its tests with one gets the same values from another.
# Seen on 2026-11-29: bigint, so also `count(*)` and the sum of integers, is a number in PGlite up to 2^53 and a BigInt above, by the value
# of the row, and always a string in the others: 40 + 2 is 42 in the tests and "402" in production. An array that is bound to a jsonb parameter is
# JSON in PGlite and postgres; pg writes an array of PostgreSQL, and the statement fails.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1 postgres@3.4.9
cat > seen.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import pg from "pg";
import postgres from "postgres";
const db = await PGlite.create();
const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1" });
await server.start();
const address = { host: "127.0.0.1", port: Number(server.getServerConn().split(":").pop()), user: "postgres", database: "postgres" };
await db.exec("CREATE TABLE tags (names jsonb)");
async function look(name, query) {
  const value = async (text) => (await query(text)).rows[0].value;
  const sum = await value("SELECT sum(credits) AS value FROM (VALUES (15), (25)) AS debit (credits)");
  const large = await value("SELECT 9007199254740993 AS value");
  const inserted = query("INSERT INTO tags VALUES ($1) RETURNING names AS value", [["a", "b"]]);
  const array = await inserted.then(({ rows }) => JSON.stringify(rows[0].value), (error) => error.code);
  console.log(`${name}: ${JSON.stringify(sum + 2)}, large ${typeof large}, array ${array}`);
}
await look("PGlite", (text, values) => db.query(text, values));
const client = new pg.Client(address);
await client.connect();
await look("pg", (text, values) => client.query(text, values));
await client.end();
const sql = postgres({ ...address, max: 1 });
await look("postgres", async (text, values) => ({ rows: await sql.unsafe(text, values) }));
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'PGlite: 42, large bigint, array ["a","b"]
pg: "402", large string, array 22P02
postgres: "402", large string, array ["a","b"]' ]
