#!/usr/bin/env bash
# `JSON.stringify({ credits: 5 })` as a parameter for a jsonb column, to one PostgreSQL 18 (PGlite 0.5.14) asked directly and through pg 8.23.1 and postgres 3.4.9.
# Expected: an object is stored. Seen on 2026-11-29: PGlite and pg store it; postgres stores a JSON text, `"{\"credits\":5}"`, because it writes every parameter
# of type jsonb as JSON once more. `->>'credits'` is then null, and nothing fails. The text "hello" is the other way round: postgres
# stores it, the others throw. So a query that moves between these libraries changes what it stores.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 postgres@3.4.9 pg@8.23.1
cat > seen.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import pg from "pg";
import postgres from "postgres";
const db = await PGlite.create();
const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1" });
await server.start();
const where = { host: "127.0.0.1", port: Number(server.getServerConn().split(":").pop()), user: "postgres", database: "postgres" };
const sql = postgres({ ...where, max: 1 });
const client = new pg.Client(where);
const text = "SELECT jsonb_typeof($1::jsonb) AS type, $1::jsonb ->> 'credits' AS credits";
const drivers = {
  PGlite: async (value) => (await db.query(text, [value])).rows[0],
  postgres: async (value) => (await sql.unsafe(text, [value]))[0],
  pg: async (value) => (await client.query(text, [value])).rows[0],
};
for (const [name, store] of Object.entries(drivers)) {
  if (name === "pg") await sql.end().then(() => client.connect());
  const seen = [];
  for (const value of [{ credits: 5 }, JSON.stringify({ credits: 5 }), "hello"]) {
    seen.push(await store(value).then(({ type, credits }) => `${type} with credits ${credits}`, () => "throws"));
  }
  console.log(`${name}: ${seen.join("; ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'PGlite: object with credits 5; object with credits 5; throws
postgres: object with credits 5; string with credits null; string with credits null
pg: object with credits 5; object with credits 5; throws' ]
