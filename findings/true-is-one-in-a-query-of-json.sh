#!/usr/bin/env bash
# A record of a call is kept as JSON, `{"free":true,"price":1.10,"id":12345678901234567890,"rate":1e2}`, and a query takes its members with `->>`, which SQLite, PostgreSQL 18 (PGlite 0.5.14) and DuckDB have with the
# same words: "as text".
# Expected: the same texts.
# Seen on 2026-11-30: SQLite 3 of node:sqlite returns no texts but values of SQL: true is 1, the price 1.1 and the id of twenty digits a real that ends in
# other digits. `WHERE call ->> 'free' = 'true'` finds the call in PostgreSQL and DuckDB, and nothing in SQLite. PostgreSQL keeps 1.10, DuckDB writes 1.1 and 100.0.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @electric-sql/pglite@0.5.14 @duckdb/node-api@1.5.6-r.1
cat > seen.mjs <<'JS'
import { DatabaseSync } from "node:sqlite";
import { DuckDBInstance } from "@duckdb/node-api";
import { PGlite } from "@electric-sql/pglite";
const document = `'{"free":true,"price":1.10,"id":12345678901234567890,"rate":1e2}'`;
const members = (json) => `SELECT ${["free", "price", "id", "rate"].map((name) => `${json} ->> '${name}' AS ${name}`).join(", ")}, (SELECT count(*) FROM (SELECT 1) AS one WHERE ${json} ->> 'free' = 'true') AS found`;
const duck = await (await DuckDBInstance.create(":memory:")).connect();
const pg = await PGlite.create();
const rows = {
  SQLite: new DatabaseSync(":memory:").prepare(members(document)).get(),
  PostgreSQL: (await pg.query(members(`${document}::json`))).rows[0],
  DuckDB: (await duck.runAndReadAll(members(`${document}::JSON`))).getRowObjectsJson()[0],
};
for (const [name, { free, price, id, rate, found }] of Object.entries(rows)) console.log(`${name}: ${JSON.stringify([free, price, id, rate])}, found ${found}`);
process.exit();
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = 'SQLite: [1,1.1,12345678901234567000,100], found 0
PostgreSQL: ["true","1.10","12345678901234567890","1e2"], found 1
DuckDB: ["true","1.1","12345678901234567890","100.0"], found 1' ]
