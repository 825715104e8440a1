#!/usr/bin/env bash
# When is a plan renewed that began on 31 January, where does the month before 31 March begin, when a year after 29 February 2024, a quarter after 31 August? Asked in SQL, of three databases.
# Expected: 28 February, 28 February, 28 February 2025, 30 November: the last day of a month that has no such day, as most libraries for dates have it.
# Seen on 2026-11-29: PostgreSQL 18 (PGlite 0.5.14) and DuckDB 1.5 (@duckdb/node-api 1.5.6-r.1) say so. SQLite 3.54 (sql.js 1.17.0) makes 31 February of it and goes on to 3 March: the period is three days longer, the next one begins on the 3rd for
# good, and the month before 31 March is March. The modifier `floor`, new in 3.46, does what the others do. So a service that runs on both charges on different days.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @electric-sql/pglite@0.5.14 @duckdb/node-api@1.5.6-r.1 sql.js@1.17.0
cat > seen.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { DuckDBInstance } from "@duckdb/node-api";
import initSqlJs from "sql.js";
const sqlite = new (await initSqlJs()).Database();
const pg = await PGlite.create();
const duck = await (await DuckDBInstance.create(":memory:")).connect();
const first = (text) => sqlite.exec(`SELECT ${text}`)[0].values[0][0];
const databases = {
  [`SQLite ${first("sqlite_version()")}`]: (day, count, unit) => first(`date('${day}', '${count} ${unit}')`),
  "SQLite with floor": (day, count, unit) => first(`date('${day}', '${count} ${unit}', 'floor')`),
  PostgreSQL: async (day, count, unit) => (await pg.query(`SELECT (date '${day}' + interval '${count} ${unit}')::date::text AS day`)).rows[0].day,
  DuckDB: async (day, count, unit) => (await duck.runAndReadAll(`SELECT CAST(DATE '${day}' + INTERVAL '${count} ${unit}' AS DATE)::VARCHAR`)).getRows()[0][0],
};
const sums = [["2026-01-31", "1", "month"], ["2026-03-31", "-1", "month"], ["2024-02-29", "1", "year"], ["2026-08-31", "3", "month"]];
for (const [name, add] of Object.entries(databases)) {
  const days = [];
  for (const sum of sums) days.push(await add(...sum));
  console.log(`${name}: ${days.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'SQLite 3.54.1: 2026-03-03, 2026-03-03, 2025-03-01, 2026-12-01
SQLite with floor: 2026-02-28, 2026-02-28, 2025-02-28, 2026-11-30
PostgreSQL: 2026-02-28, 2026-02-28, 2025-02-28, 2026-11-30
DuckDB: 2026-02-28, 2026-02-28, 2025-02-28, 2026-11-30' ]
