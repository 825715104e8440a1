#!/usr/bin/env bash
# A row of usage has `paid: false`, `free: true` and a Date. Seven libraries write it as CSV.
# Expected: false and true in some form that tells them from an empty field, and the date as a date.
# Seen on 2026-11-29: csv-stringify 6.9.0 writes an empty field for false, the same as for null, 1 for true, and milliseconds for the Date. fast-csv 5.0.8, json-2-csv 5.6.0 and
# csv-writer 1.6.0 write `Sun Nov 29 2026 11:00:00 GMT+0100 (…)`, in the time zone and the language of the process. papaparse 5.7.1, @json2csv/plainjs 7.0.8 and
# d3-dsv 3.0.2 write ISO 8601. json-2-csv also writes the word null. `cast: { boolean: String }` helps csv-stringify.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts csv-stringify@6.9.0 papaparse@5.7.1 fast-csv@5.0.8 @json2csv/plainjs@7.0.8 json-2-csv@5.6.0 \
  csv-writer@1.6.0 d3-dsv@3.0.2
cat > seen.mjs <<'JS'
import { Parser } from "@json2csv/plainjs";
import { csvFormatBody } from "d3-dsv";
import { stringify } from "csv-stringify/sync";
import { createObjectCsvStringifier } from "csv-writer";
import { writeToString } from "fast-csv";
import { json2csv } from "json-2-csv";
import papaparse from "papaparse";
const row = { paid: false, free: true, at: new Date("2026-11-29T10:00:00Z"), note: null };
const columns = Object.keys(row);
const writers = {
  "csv-stringify": () => stringify([row], { columns }),
  papaparse: () => papaparse.unparse([row], { header: false }),
  "fast-csv": () => writeToString([row], { headers: false }),
  "@json2csv/plainjs": () => new Parser({ fields: columns, header: false }).parse([row]),
  "json-2-csv": () => json2csv([row], { keys: columns, prependHeader: false }),
  "csv-writer": () => createObjectCsvStringifier({ header: columns }).stringifyRecords([row]),
  "d3-dsv": () => csvFormatBody([row], columns),
};
for (const [name, write] of Object.entries(writers)) console.log(`${name}: ${(await write()).trim()}`);
JS
seen=$(TZ=Europe/Berlin node seen.mjs)
echo "$seen"
[ "$seen" = 'csv-stringify: ,1,1795946400000,
papaparse: false,true,2026-11-29T10:00:00.000Z,
fast-csv: false,true,Sun Nov 29 2026 11:00:00 GMT+0100 (Central European Standard Time),
@json2csv/plainjs: false,true,"2026-11-29T10:00:00.000Z",
json-2-csv: false,true,Sun Nov 29 2026 11:00:00 GMT+0100 (Central European Standard Time),null
csv-writer: false,true,Sun Nov 29 2026 11:00:00 GMT+0100 (Central European Standard Time),
d3-dsv: false,true,2026-11-29T10:00Z,' ]
