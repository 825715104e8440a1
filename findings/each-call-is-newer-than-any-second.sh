#!/usr/bin/env bash
# Calls since the first of November are counted in SQLite (node:sqlite of Node 24, better-sqlite3 13.2.0, sql.js 1.17.0): `strftime('%s', at) >= ?` with the second as a number; and those of November, `strftime('%m', at) = 11`. One of three calls is of November.
# Expected: one each time, or an error: the seconds are digits, and a number is compared with them.
# Seen on 2026-11-29: `%s` counts three, and would count them for every second of the next thousand years: strftime returns text, an expression has no affinity, and text is greater than each number. By the month it counts none, as text is equal to
# no number. So a customer is billed for all calls or for none. `unixepoch(at)` is a number, and so is `strftime(…) + 0`.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts better-sqlite3@13.2.0 sql.js@1.17.0
cat > seen.mjs <<'JS'
import { DatabaseSync } from "node:sqlite";
import BetterSqlite from "better-sqlite3";
import initSqlJs from "sql.js";
const schema = "CREATE TABLE call (at TEXT); INSERT INTO call VALUES ('2026-01-15 12:00:00'), ('2026-02-15 12:00:00'), ('2026-11-15 12:00:00')";
const november = Date.UTC(2026, 10, 1) / 1000;
const filters = ["strftime('%s', at) >= ?", "unixepoch(at) >= ?", "strftime('%s', at) + 0 >= ?", "CAST(strftime('%Y', at) AS INTEGER) = 2026 AND ? > 0", "strftime('%m', at) = 11 AND ? > 0"];
const counts = (filter) => `SELECT count(*) AS n FROM call WHERE ${filter}`;
const node = new DatabaseSync(":memory:");
const better = new BetterSqlite(":memory:");
const sqlJs = new (await initSqlJs()).Database();
for (const db of [node, better, sqlJs]) db.exec(schema);
const drivers = {
  "node:sqlite": (filter) => node.prepare(counts(filter)).get(november).n,
  "better-sqlite3": (filter) => better.prepare(counts(filter)).get(november).n,
  "sql.js": (filter) => sqlJs.exec(counts(filter), [november])[0].values[0][0],
};
for (const [name, count] of Object.entries(drivers)) console.log(`${name}: ${filters.map((filter) => `${filter.replaceAll("'", "")}: ${count(filter)}`).join("; ")}`);
JS
seen=$(node --no-warnings seen.mjs)
echo "$seen"
[ "$seen" = 'node:sqlite: strftime(%s, at) >= ?: 3; unixepoch(at) >= ?: 1; strftime(%s, at) + 0 >= ?: 1; CAST(strftime(%Y, at) AS INTEGER) = 2026 AND ? > 0: 3; strftime(%m, at) = 11 AND ? > 0: 0
better-sqlite3: strftime(%s, at) >= ?: 3; unixepoch(at) >= ?: 1; strftime(%s, at) + 0 >= ?: 1; CAST(strftime(%Y, at) AS INTEGER) = 2026 AND ? > 0: 3; strftime(%m, at) = 11 AND ? > 0: 0
sql.js: strftime(%s, at) >= ?: 3; unixepoch(at) >= ?: 1; strftime(%s, at) + 0 >= ?: 1; CAST(strftime(%Y, at) AS INTEGER) = 2026 AND ? > 0: 3; strftime(%m, at) = 11 AND ? > 0: 0' ]
