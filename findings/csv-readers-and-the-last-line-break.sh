#!/usr/bin/env bash
# A file of two rows that ends with a line break, as most programs write it (RFC 4180 leaves it open), read into objects by seven libraries. One field begins and ends with a
# space, one is an order number of 20 digits, one column is named `constructor`.
# Expected: two rows of four texts, as they stand in the file.
# Seen on 2026-11-29: papaparse 5.7.1 returns a third, empty row. json-2-csv 5.6.0 leaves the last line break in the last field, rounds the number and drops the column. csvtojson 2.0.14
# takes the spaces off. csv-parser 3.2.1 drops the column `constructor`. csv-parse 7.0.3, d3-dsv 3.0.2 and fast-csv 5.0.8 return what is in the file.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts papaparse@5.7.1 json-2-csv@5.6.0 csvtojson@2.0.14 csv-parser@3.2.1 csv-parse@7.0.3 d3-dsv@3.0.2 fast-csv@5.0.8
cat > seen.mjs <<'JS'
import { Readable } from "node:stream";
import { parse } from "csv-parse/sync";
import csvParser from "csv-parser";
import csvtojson from "csvtojson";
import { csvParse } from "d3-dsv";
import { parseString } from "fast-csv";
import { csv2json } from "json-2-csv";
import papaparse from "papaparse";
const rows = [
  { id: "12345678901234567890", text: " a ", constructor: "c", note: "x" },
  { id: "12345678901234567891", text: "b", constructor: "d", note: "y" },
];
const file = [Object.keys(rows[0]), ...rows.map(Object.values)].map((fields) => `${fields.join(",")}\n`).join("");
const readers = {
  papaparse: () => papaparse.parse(file, { header: true }).data,
  "json-2-csv": () => csv2json(file),
  csvtojson: () => csvtojson().fromString(file),
  "csv-parser": () => Readable.from([file]).pipe(csvParser()).toArray(),
  "csv-parse": () => parse(file, { columns: true }),
  "d3-dsv": () => csvParse(file),
  "fast-csv": () => parseString(file, { headers: true }).toArray(),
};
for (const [name, read] of Object.entries(readers)) {
  const seen = await read();
  const wrong = Object.keys(rows[0]).filter((column) => rows.some((row, index) => JSON.stringify(seen[index][column]) !== JSON.stringify(row[column])));
  const values = wrong.map((column) => `${column} ${JSON.stringify(seen.map((row) => (Object.hasOwn(row, column) ? row[column] : "missing")))}`);
  console.log(`${name}: ${seen.length} rows${values.map((value) => `, ${value}`).join("")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'papaparse: 3 rows
json-2-csv: 2 rows, id [12345678901234567000,12345678901234567000], constructor ["missing","missing"], note ["x","y\n"]
csvtojson: 2 rows, text ["a","b"]
csv-parser: 2 rows, constructor ["missing","missing"]
csv-parse: 2 rows
d3-dsv: 2 rows
fast-csv: 2 rows' ]
