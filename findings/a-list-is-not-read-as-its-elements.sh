#!/usr/bin/env bash
# Values of PostgreSQL 18 (PGlite 0.5.14), each read once alone and once as the element of an array: a scope of an enum type, an exact price, no value at all. Three clients.
# Expected: the element is what the value alone is, in a list of JavaScript's.
# Seen on 2026-11-29: pg 8.23.1 and PGlite return an array of an enum type as the text `{read,write}`, on which `includes("read")` works and finds "read" in `{read_all}` as well. pg reads `numeric`
# as text and the elements of `numeric[]` as numbers, so exact amounts are rounded in lists alone. postgres 3.4.9 reads NULL in a list of texts as the text "NULL", which cannot be told from that text.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1 postgres@3.4.9
cat > seen.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import pg from "pg";
import postgres from "postgres";
const db = await PGlite.create();
await db.exec("CREATE TYPE scope AS ENUM ('read', 'write')");
const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1" });
await server.start();
const address = { host: "127.0.0.1", port: Number(server.getServerConn().split(":").pop()), user: "postgres", database: "postgres" };
const text = `SELECT 'read'::scope AS scope, ARRAY['read', 'write']::scope[] AS scopes, 12345678901234567.80::numeric AS price, ARRAY[12345678901234567.80] AS prices,
  NULL::text AS note, ARRAY[NULL, 'NULL', 'paid']::text[] AS notes WHERE $1 = 1`;
const clients = {
  PGlite: async () => (await db.query(text, [1])).rows[0],
  pg: async () => {
    const client = new pg.Client(address);
    await client.connect();
    return client.query(text, [1]).then(({ rows }) => rows[0]).finally(() => client.end());
  },
  postgres: async () => {
    const sql = postgres({ ...address, max: 1 });
    return sql.unsafe(text, [1]).then((rows) => rows[0]).finally(() => sql.end());
  },
};
for (const [name, read] of Object.entries(clients)) {
  const row = await read();
  for (const one of ["scope", "price", "note"]) console.log(`${name}: ${JSON.stringify(row[one])}, ${JSON.stringify(row[`${one}s`])}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'PGlite: "read", "{read,write}"
PGlite: "12345678901234567.80", ["12345678901234567.80"]
PGlite: null, [null,"NULL","paid"]
pg: "read", "{read,write}"
pg: "12345678901234567.80", [12345678901234568]
pg: null, [null,"NULL","paid"]
postgres: "read", ["read","write"]
postgres: "12345678901234567.80", ["12345678901234567.80"]
postgres: null, ["NULL","NULL","paid"]' ]
