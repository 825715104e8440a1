#!/usr/bin/env bash
# The number 2 bound to `7 / ?`, to `json_object('credits', ?)` and to `'call-' || ?`, by four drivers of SQLite for JavaScript.
# Expected: 3, {"credits":2} and call-2, as with 2 in the text of the statement. Seen on 2026-11-29: node:sqlite of Node 24.21.0, better-sqlite3 13.2.0 and
# @libsql/client 0.18.0 bind every number as a real: 3.5, {"credits":2.0} and call-2.0. A column with INTEGER affinity hides it; divisions, JSON
# and keys that are put together do not. sql.js 1.17.0 binds an integer. So must a bigint, 2n, or `CAST(? AS INTEGER)`.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts better-sqlite3@13.2.0 @libsql/client@0.18.0 sql.js@1.17.0 \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { DatabaseSync } from "node:sqlite";
import { createClient } from "@libsql/client";
import Database from "better-sqlite3";
import initSqlJs from "sql.js";
const sql = "SELECT 7 / ? AS quotient, json_object('credits', ?) AS json, 'call-' || ? AS name";
const SqlJs = await initSqlJs();
const drivers = {
  "node:sqlite": (values) => new DatabaseSync(":memory:").prepare(sql).get(...values),
  "better-sqlite3": (values) => new Database(":memory:").prepare(sql).get(...values),
  "@libsql/client": async (args) => (await createClient({ url: ":memory:" }).execute({ sql, args })).rows[0],
  "sql.js": (values) => new SqlJs.Database().prepare(sql, values).getAsObject(values),
};
for (const [name, run] of Object.entries(drivers)) {
  for (const value of [2, 2n]) {
    const { quotient, json, name: key } = await run([value, value, value]);
    console.log(`${name}, a ${typeof value}: ${quotient} ${json} ${key}`);
  }
}
JS
seen=$("$node" --no-warnings seen.mjs)
echo "$seen"
[ "$seen" = 'node:sqlite, a number: 3.5 {"credits":2.0} call-2.0
node:sqlite, a bigint: 3 {"credits":2} call-2
better-sqlite3, a number: 3.5 {"credits":2.0} call-2.0
better-sqlite3, a bigint: 3 {"credits":2} call-2
@libsql/client, a number: 3.5 {"credits":2.0} call-2.0
@libsql/client, a bigint: 3 {"credits":2} call-2
sql.js, a number: 3 {"credits":2} call-2
sql.js, a bigint: 3 {"credits":2} call-2' ]
