#!/usr/bin/env bash
# Amounts are rounded, cut, divided and added in SQL, in three databases: a service runs on SQLite or PostgreSQL, and its reports on DuckDB.
# Expected: the same from each, as the words are the same: halves go up, a whole number is rounded or cut, a division by zero is an error.
# Seen on 2026-11-29: 0.285 is 0.28 in SQLite 3.54 (sql.js 1.17.0), which knows binary fractions alone, and 0.29 in PostgreSQL 18 (PGlite 0.5.14) and DuckDB 1.5 (@duckdb/node-api 1.5.6-r.1). 2.5 as double precision is 2 in PostgreSQL, which rounds halves
# of that type to even, and 3 in the others. As an integer 2.7 is 2 in SQLite and 3 in the others. 7 / 2 is 3.5 in DuckDB, and 5 / 0 is NULL in SQLite, infinite in DuckDB and an error in PostgreSQL alone.
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
const databases = {
  SQLite: (text) => String(sqlite.exec(`SELECT ${text}`)[0].values[0][0]),
  PostgreSQL: async (text) => (await pg.query(`SELECT (${text})::text AS value`)).rows[0].value,
  DuckDB: async (text) => (await duck.runAndReadAll(`SELECT (${text})::VARCHAR`)).getRows()[0][0],
};
const terms = ["round(0.285, 2)", "round(1.005, 2)", "round(CAST(2.5 AS double precision))", "CAST(2.5 AS integer)", "CAST(2.7 AS integer)", "7 / 2", "5 / 0", "0.1 + 0.2"];
for (const term of terms) {
  const seen = [];
  for (const [name, value] of Object.entries(databases)) seen.push(`${name} ${await Promise.resolve().then(() => value(term)).catch((error) => `"${error.message}"`)}`);
  console.log(`${term}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'round(0.285, 2): SQLite 0.28, PostgreSQL 0.29, DuckDB 0.29
round(1.005, 2): SQLite 1, PostgreSQL 1.01, DuckDB 1.01
round(CAST(2.5 AS double precision)): SQLite 3, PostgreSQL 2, DuckDB 3.0
CAST(2.5 AS integer): SQLite 2, PostgreSQL 3, DuckDB 3
CAST(2.7 AS integer): SQLite 2, PostgreSQL 3, DuckDB 3
7 / 2: SQLite 3, PostgreSQL 3, DuckDB 3.5
5 / 0: SQLite null, PostgreSQL "division by zero", DuckDB inf
0.1 + 0.2: SQLite 0.30000000000000004, PostgreSQL 0.3, DuckDB 0.3' ]
