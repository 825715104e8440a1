#!/usr/bin/env bash
# node:sqlite of Node 24 records changes of a database with `createSession()` and hands them out with `changeset()`, to be applied to a copy. Rows are written into four tables: with an
# integer key, without a primary key, with a unique id instead, and with a key of two columns of which one is NULL.
# Expected: the changes, or an error for a table that it cannot record.
# Seen on 2026-11-30 with Node 24.21.0: only the table with the integer key is in the changeset. The others are left out without a word, and an error comes neither from createSession, with
# such a table by name, nor from applyChangeset: the copy lacks the rows.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { DatabaseSync } from "node:sqlite";
const tables = {
  key: "(id INTEGER PRIMARY KEY, credits INTEGER)", log: "(id INTEGER, credits INTEGER)",
  call: "(id INTEGER NOT NULL UNIQUE, credits INTEGER)", rate: "(id INTEGER, credits INTEGER, note TEXT, PRIMARY KEY (id, note))",
};
for (const [table, columns] of Object.entries(tables)) {
  const [source, copy] = [new DatabaseSync(":memory:"), new DatabaseSync(":memory:")];
  for (const database of [source, copy]) database.exec(`CREATE TABLE ${table} ${columns}`);
  const session = source.createSession({ table });
  source.exec(`INSERT INTO ${table} (id, credits) VALUES (1, 5)`);
  const isApplied = copy.applyChangeset(session.changeset());
  console.log(`${table}: applied ${isApplied}, rows ${copy.prepare(`SELECT count(*) AS rows FROM ${table}`).get().rows}`);
}
JS
seen=$("$node" seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = "key: applied true, rows 1
log: applied true, rows 0
call: applied true, rows 0
rate: applied true, rows 0" ]
