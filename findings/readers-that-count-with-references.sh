#!/usr/bin/env bash
# References of orders, `0012345`, `12e5`, `+49301`, `0x1A` and one of 20 digits, in readers of CSV and XML that make numbers of what looks like one.
# Expected: a number only where writing it gives the same text again, so all five stay texts.
# Seen on 2026-11-29: `0012345` is 12345 and `12e5` is 1200000 for all of them. The cast of csv-parse 7.0.3 makes 0 of `0x1A`, d3-dsv 3.0.2 and fast-xml-parser 5.12.1 (with
# its defaults) 26. csv-parse, d3-dsv and csvtojson 2.0.14 round the 20 digits to another reference; papaparse 5.7.1 and fast-xml-parser keep those.
# fast-xml-parser also makes 10.5 of the amount `10.50`. Two references can become one without an error.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts csv-parse@7.0.3 d3-dsv@3.0.2 csvtojson@2.0.14 papaparse@5.7.1 fast-xml-parser@5.12.1
cat > seen.mjs <<'JS'
import { parse } from "csv-parse/sync";
import csvtojson from "csvtojson";
import { autoType, csvParse } from "d3-dsv";
import { XMLParser } from "fast-xml-parser";
import Papa from "papaparse";
const readers = {
  "csv-parse cast": (csv) => parse(csv, { columns: true, cast: true }),
  "d3-dsv autoType": (csv) => csvParse(csv, autoType),
  "csvtojson checkType": (csv) => csvtojson({ checkType: true }).fromString(csv),
  "papaparse dynamicTyping": (csv) => Papa.parse(csv, { header: true, dynamicTyping: true, skipEmptyLines: true }).data,
  "fast-xml-parser": (csv) => csv.trim().split("\n").slice(1).map((id) => new XMLParser().parse(`<order><id>${id}</id></order>`).order),
};
const ids = ["0012345", "12e5", "+49301", "0x1A", "12345678901234567890"];
for (const [name, read] of Object.entries(readers)) {
  const orders = await read(`id\n${ids.join("\n")}\n`);
  console.log(`${name}: ${orders.map(({ id }) => JSON.stringify(id)).join(" ")}`);
}
console.log(`fast-xml-parser, 10.50: ${JSON.stringify(new XMLParser().parse("<amount>10.50</amount>").amount)}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'csv-parse cast: 12345 1200000 49301 0 12345678901234567000
d3-dsv autoType: 12345 1200000 49301 26 12345678901234567000
csvtojson checkType: 12345 1200000 49301 "0x1A" 12345678901234567000
papaparse dynamicTyping: 12345 1200000 "+49301" "0x1A" "12345678901234567890"
fast-xml-parser: 12345 1200000 49301 26 "12345678901234567890"
fast-xml-parser, 10.50: 10.5' ]
