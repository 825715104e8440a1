#!/usr/bin/env bash
# A payment of 10.00 and refunds of 5.00 and 1.00, as texts, which is how clients of PostgreSQL hand out `numeric`, are written as CSV with the option that keeps formulas out, and opened as a sheet (xlsx 0.18.5). What is the sum of the column?
# Expected: 4: a text that is a number is no formula.
# Seen on 2026-11-29: 10 with papaparse 5.7.1 `escapeFormulae` and csv-stringify 6.9.0 `escape_formulas`: they write an apostrophe before each text that begins with a minus, so refunds are texts in the sheet, payments are numbers, and a sum
# takes what it can add. Numbers of JavaScript are let through. json-2-csv 5.6.0 `preventCsvInjection` leaves the amounts, but takes the signs off `- refund` and off a telephone number. (The apostrophe is shown as ` below.)
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts papaparse@5.7.1 csv-stringify@6.9.0 json-2-csv@5.6.0 xlsx@0.18.5
cat > seen.mjs <<'JS'
import { stringify } from "csv-stringify/sync";
import { json2csv } from "json-2-csv";
import Papa from "papaparse";
import xlsx from "xlsx";
const rows = [{ note: "paid", amount: "10.00" }, { note: "- refund", amount: "-5.00" }, { note: "+49 30", amount: "-1.00" }];
const writers = {
  papaparse: () => Papa.unparse(rows, { escapeFormulae: true }),
  "csv-stringify": () => stringify(rows, { header: true, escape_formulas: true }),
  "json-2-csv": () => json2csv(rows, { preventCsvInjection: true }),
};
for (const [name, write] of Object.entries(writers)) {
  const csv = write();
  const sheet = Object.values(xlsx.read(csv, { type: "string" }).Sheets)[0];
  const cells = xlsx.utils.sheet_to_json(sheet);
  const sum = cells.map(({ amount }) => amount).filter((amount) => typeof amount === "number").reduce((a, b) => a + b);
  console.log(`${name}: sum ${sum}, ${csv.trim().split(/\r?\n/).slice(1).join(" | ").replaceAll("'", "`")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'papaparse: sum 10, paid,10.00 | "`- refund","`-5.00" | "`+49 30","`-1.00"
csv-stringify: sum 10, paid,10.00 | `- refund,`-5.00 | `+49 30,`-1.00
json-2-csv: sum 4, paid,10.00 |  refund,-5.00 | 49 30,-1.00' ]
