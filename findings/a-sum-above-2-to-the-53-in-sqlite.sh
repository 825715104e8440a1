#!/usr/bin/env bash
# A sum of integers in SQLite passes 2^53: 9007199254740991 and 2 more. Five drivers read it with their defaults, and once the value 9007199254740993 as it is.
# Expected: a BigInt or an error, since all of them can hand out BigInt and know that the number is not exact.
# Seen on 2026-11-29: better-sqlite3 13.2.0 and sql.js 1.17.0 return 9007199254740992, a number that was never there, without a word. node:sqlite of Node 24.21.0 and @libsql/client 0.18.0 throw, and
# node-sqlite3-wasm 0.8.60 returns a BigInt above the limit and a number below, by the value of the row. So tests with one driver say nothing about another. `safeIntegers()` of better-sqlite3 is right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts better-sqlite3@13.2.0 sql.js@1.17.0 @libsql/client@0.18.0 node-sqlite3-wasm@0.8.60 \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { DatabaseSync } from "node:sqlite";
import { createClient } from "@libsql/client";
import BetterSqlite from "better-sqlite3";
import wasm from "node-sqlite3-wasm";
import initSqlJs from "sql.js";
const better = new BetterSqlite(":memory:");
const sqlJs = new (await initSqlJs()).Database();
const node = new DatabaseSync(":memory:");
const libsql = createClient({ url: ":memory:" });
const webAssembly = new wasm.Database();
const drivers = {
  "better-sqlite3": (text) => better.prepare(text).pluck().get(),
  "better-sqlite3 safeIntegers": (text) => better.prepare(text).pluck().safeIntegers().get(),
  "sql.js": (text) => sqlJs.exec(text)[0].values[0][0],
  "node:sqlite": (text) => node.prepare(text).get().value,
  "@libsql/client": async (text) => (await libsql.execute(text)).rows[0].value,
  "node-sqlite3-wasm": (text) => webAssembly.get(text).value,
};
const texts = ["SELECT sum(column1) AS value FROM (VALUES (9007199254740991), (2))", "SELECT 9007199254740993 AS value", "SELECT 3 AS value"];
for (const [name, read] of Object.entries(drivers)) {
  const seen = [];
  for (const text of texts) seen.push(await Promise.resolve(text).then(read).then((value) => `${typeof value} ${value}`, () => "an error"));
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$("$node" --no-warnings seen.mjs)
echo "$seen"
[ "$seen" = 'better-sqlite3: number 9007199254740992, number 9007199254740992, number 3
better-sqlite3 safeIntegers: bigint 9007199254740993, bigint 9007199254740993, bigint 3
sql.js: number 9007199254740992, number 9007199254740992, number 3
node:sqlite: an error, an error, number 3
@libsql/client: an error, an error, number 3
node-sqlite3-wasm: bigint 9007199254740993, bigint 9007199254740993, number 3' ]
