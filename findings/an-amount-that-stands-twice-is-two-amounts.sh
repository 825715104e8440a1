#!/usr/bin/env bash
# A body in JSON has one member twice, `{"credits":1,"note":"a","credits":100}`, as a template or a form makes it. A program checks it, keeps the text as it came, and a database counts it. What are the credits for parsers and databases?
# Expected: 100, the last one, as JSON.parse has it, in all, or an error: RFC 8259 leaves it open, and nearly all take the last.
# Seen on 2026-11-30: the SQLite of node:sqlite (Node 24.21.0) and DuckDB 1.5 (@duckdb/node-api 1.5.6-r.1) take the first, so a program sees 100 and the sum in the database has 1. `json_remove` and `json_set` of SQLite change the first
# alone, and the next reader finds the other. `read_json` of DuckDB refuses the whole file for such a line. PostgreSQL 18 (PGlite 0.5.14) takes the last, also as json. jsonc-parser 3.3.1 takes the last in `parse` and the first in
# `findNodeAtLocation`, by which editors change a file. lossless-json 4.3.3 throws.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @duckdb/node-api@1.5.6-r.1 @electric-sql/pglite@0.5.14 jsonc-parser@3.3.1 lossless-json@4.3.3 json5@2.2.3 @streamparser/json@0.0.26
cat > seen.mjs <<'JS'
import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { DuckDBInstance } from "@duckdb/node-api";
import { PGlite } from "@electric-sql/pglite";
import { JSONParser } from "@streamparser/json";
import json5 from "json5";
import jsonc from "jsonc-parser";
import { parse } from "lossless-json";
const text = '{"credits":1,"note":"a","credits":100}';
const lite = (expression) => new DatabaseSync(":memory:").prepare(`SELECT ${expression} AS seen FROM (SELECT ? AS body)`).get(text).seen;
const pg = new PGlite();
const duck = await (await DuckDBInstance.create()).connect();
const readers = {
  "JSON.parse": () => JSON.parse(text).credits,
  json5: () => json5.parse(text).credits,
  "@streamparser/json": () => {
    const parser = new JSONParser();
    let credits;
    parser.onValue = ({ value, stack }) => { if (stack.length === 0) credits = value.credits; };
    parser.write(text);
    return credits;
  },
  "jsonc-parser, parse": () => jsonc.parse(text).credits,
  "jsonc-parser, findNodeAtLocation": () => jsonc.findNodeAtLocation(jsonc.parseTree(text), ["credits"]).value,
  "lossless-json": () => String(parse(text).credits),
  "PostgreSQL, json": async () => (await pg.query("SELECT $1::json ->> 'credits' AS seen", [text])).rows[0].seen,
  "PostgreSQL, jsonb": async () => (await pg.query("SELECT $1::jsonb ->> 'credits' AS seen", [text])).rows[0].seen,
  "SQLite, json_extract": () => lite("json_extract(body, '$.credits')"),
  "SQLite, jsonb": () => lite("jsonb(body) ->> 'credits'"),
  "SQLite, json_set to 7": () => JSON.parse(lite("json_set(body, '$.credits', 7)")).credits,
  "SQLite, json_remove": () => JSON.parse(lite("json_remove(body, '$.credits')")).credits,
  "DuckDB, ->>": async () => (await duck.runAndReadAll(`SELECT '${text}'::JSON ->> 'credits' AS seen`)).getRowObjects()[0].seen,
  "DuckDB, read_json": async () => {
    writeFileSync("calls.json", text);
    return (await duck.runAndReadAll("SELECT credits AS seen FROM read_json('calls.json')")).getRowObjects()[0].seen;
  },
};
for (const [name, read] of Object.entries(readers)) {
  try {
    console.log(`${name}: ${await read()}`);
  } catch {
    console.log(`${name}: an error`);
  }
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'JSON.parse: 100
json5: 100
@streamparser/json: 100
jsonc-parser, parse: 100
jsonc-parser, findNodeAtLocation: 1
lossless-json: an error
PostgreSQL, json: 100
PostgreSQL, jsonb: 100
SQLite, json_extract: 1
SQLite, jsonb: 1
SQLite, json_set to 7: 100
SQLite, json_remove: 100
DuckDB, ->>: 1
DuckDB, read_json: an error' ]
