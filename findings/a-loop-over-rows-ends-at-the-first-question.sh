#!/usr/bin/env bash
# A prepared statement that reads the charges of an account is used in a loop, `for (const charge of statement.iterate("a"))`, and in the loop again for another account, as happens when a function with the statement is called there. The
# account has charges of 5, 6 and 7.
# Expected: 18, or an error, since a statement of SQLite has one position.
# Seen on 2026-11-29: node-sqlite3-wasm 0.8.60 and sql.js 1.17.0 end the loop after the first row without an error when the other account has no charges: the sum is 5. node:sqlite of Node 24 and better-sqlite3 13.2.0 throw.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts better-sqlite3@13.2.0 sql.js@1.17.0 node-sqlite3-wasm@0.8.60
cat > seen.mjs <<'JS'
import { DatabaseSync } from "node:sqlite";
import BetterSqlite from "better-sqlite3";
import wasm from "node-sqlite3-wasm";
import initSqlJs from "sql.js";
const SQL = await initSqlJs();
const schema = "CREATE TABLE charge (account TEXT, credits INTEGER); INSERT INTO charge VALUES ('a', 5), ('a', 6), ('a', 7)";
const query = "SELECT credits FROM charge WHERE account = ?";
const open = (database) => {
  database.exec(schema);
  return database.prepare(query);
};
const drivers = {
  "node:sqlite": () => {
    const statement = open(new DatabaseSync(":memory:"));
    return { iterate: (account) => statement.iterate(account), all: (account) => statement.all(account) };
  },
  "better-sqlite3": () => {
    const statement = open(new BetterSqlite(":memory:"));
    return { iterate: (account) => statement.iterate(account), all: (account) => statement.all(account) };
  },
  "node-sqlite3-wasm": () => {
    const statement = open(new wasm.Database(":memory:"));
    return { iterate: (account) => statement.iterate([account]), all: (account) => statement.all([account]) };
  },
  "sql.js": () => {
    const statement = open(new SQL.Database());
    function* iterate(account) {
      statement.bind([account]);
      while (statement.step()) yield statement.getAsObject();
    }
    return { iterate, all: (account) => [...iterate(account)] };
  },
};
for (const [name, prepare] of Object.entries(drivers)) {
  const { iterate, all } = prepare();
  let sum = 0;
  try {
    for (const { credits } of iterate("a")) {
      sum += credits;
      all("nobody");
    }
    console.log(`${name}: ${sum}`);
  } catch (error) {
    console.log(`${name}: ${error.message}`);
  }
}
JS
seen=$(node --no-warnings seen.mjs)
echo "$seen"
[ "$seen" = 'node:sqlite: iterator was invalidated
better-sqlite3: This statement is busy executing a query
node-sqlite3-wasm: 5
sql.js: 5' ]
