#!/usr/bin/env bash
# node:sqlite of Node 24.21.0 and better-sqlite3 13.2.0: two statements in one text, a parameter that is missing, and a Date as parameter.
# Expected: an error from both, as such calls are mistakes. Seen on 2026-11-29: better-sqlite3 throws each time. node:sqlite runs the first statement and
# leaves the second out; takes NULL for a missing parameter, by position and by name; and takes a Date that is the first parameter for
# a set of named ones, of which it has none, so that NULL is stored (as the second it throws). Nothing is said in any case.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts better-sqlite3@13.2.0 \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { DatabaseSync } from "node:sqlite";
import Database from "better-sqlite3";
const date = new Date("2026-11-29T00:00:00Z");
const cases = {
  "two statements": (db) => {
    db.prepare("INSERT INTO payment (id) VALUES (8); INSERT INTO payment (id) VALUES (9)").run();
    return db.prepare("SELECT group_concat(id) AS ids FROM payment").get();
  },
  "a missing parameter": (db) => db.prepare("SELECT ? AS account, ? AS credits").get("ann"),
  "a missing name": (db) => db.prepare("SELECT $account AS account, $credits AS credits").get({ account: "ann" }),
  "a Date first": (db) => db.prepare("SELECT ? AS paid").get(date),
  "a Date second": (db) => db.prepare("SELECT ? AS account, ? AS paid").get("ann", date),
};
for (const [name, run] of Object.entries(cases)) {
  const seen = [new DatabaseSync(":memory:"), new Database(":memory:")].map((db) => {
    db.exec("CREATE TABLE payment (id INTEGER)");
    try {
      return JSON.stringify(run(db));
    } catch {
      return "throws";
    }
  });
  console.log(`${name}: node:sqlite ${seen[0]}, better-sqlite3 ${seen[1]}`);
}
JS
seen=$("$node" --no-warnings seen.mjs)
echo "$seen"
[ "$seen" = 'two statements: node:sqlite {"ids":"8"}, better-sqlite3 throws
a missing parameter: node:sqlite {"account":"ann","credits":null}, better-sqlite3 throws
a missing name: node:sqlite {"account":"ann","credits":null}, better-sqlite3 throws
a Date first: node:sqlite {"paid":null}, better-sqlite3 throws
a Date second: node:sqlite throws, better-sqlite3 throws' ]
