#!/usr/bin/env bash
# A table whose header has one name twice, `id,price,price`, as exports of joined tables have it, read into objects by six libraries.
# Expected: both columns under two names, or an error, because an object cannot hold both.
# Seen on 2026-11-29: csv-parse 7.0.3, d3-dsv 3.0.2, csv-parser 3.2.1 and csvtojson 2.0.14 keep the last of the two without a word. papaparse 5.7.1 renames the
# second to `price_1`, and fast-csv 5.0.8 throws.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts csv-parse@7.0.3 d3-dsv@3.0.2 csv-parser@3.2.1 csvtojson@2.0.14 papaparse@5.7.1 fast-csv@5.0.8
cat > seen.mjs <<'JS'
import { Readable } from "node:stream";
import { parse } from "csv-parse/sync";
import csvParser from "csv-parser";
import csvtojson from "csvtojson";
import { csvParse } from "d3-dsv";
import { parseString } from "fast-csv";
import Papa from "papaparse";
const readers = {
  "csv-parse": (text) => parse(text, { columns: true }),
  "d3-dsv": (text) => [...csvParse(text)],
  "csv-parser": (text) => Readable.from([text]).pipe(csvParser()).toArray(),
  csvtojson: (text) => csvtojson().fromString(text),
  papaparse: (text) => Papa.parse(text, { header: true, skipEmptyLines: true }).data,
  "fast-csv": (text) => parseString(text, { headers: true }).toArray(),
};
console.warn = () => {};
for (const [name, read] of Object.entries(readers)) {
  const seen = await (async () => JSON.stringify(await read("id,price,price\n1,2,3\n")))().catch(() => "error");
  console.log(`${name}: ${seen}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'csv-parse: [{"id":"1","price":"3"}]
d3-dsv: [{"id":"1","price":"3"}]
csv-parser: [{"id":"1","price":"3"}]
csvtojson: [{"id":"1","price":"3"}]
papaparse: [{"id":"1","price":"2","price_1":"3"}]
fast-csv: error' ]
