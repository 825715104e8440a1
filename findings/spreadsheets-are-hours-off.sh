#!/usr/bin/env bash
# A Date, midnight UTC on 1 November, in a spreadsheet (.xlsx) that one library writes and another reads, in a process in Berlin and in one in New York.
# Expected: the same instant, or at least the same day, since cells have no time zone and every library for JavaScript faces the same choice.
# Seen on 2026-11-29: exceljs 4.4.0 takes the cell for UTC, xlsx 0.18.5 (the version on npm) for the local time of the process. What xlsx writes in New York exceljs reads as
# 31 October; what exceljs writes xlsx reads in Berlin as 31 October, 23:00 UTC. Each library reads its own files right, so tests with one of them show nothing.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts exceljs@4.4.0 xlsx@0.18.5
cat > seen.mjs <<'JS'
import Excel from "exceljs";
import xlsx from "xlsx";
const date = new Date("2026-11-01T00:00:00Z");
const book = new Excel.Workbook();
book.addWorksheet("usage").addRow([date]);
const sheets = xlsx.utils.book_new();
xlsx.utils.book_append_sheet(sheets, xlsx.utils.aoa_to_sheet([[date]]), "usage");
const files = {
  exceljs: Buffer.from(await book.xlsx.writeBuffer()),
  xlsx: xlsx.write(sheets, { type: "buffer", bookType: "xlsx" }),
};
const readers = {
  exceljs: async (file) => {
    const read = new Excel.Workbook();
    await read.xlsx.load(file);
    return read.worksheets[0].getCell("A1").value;
  },
  xlsx: async (file) => xlsx.read(file, { cellDates: true }).Sheets.usage.A1.v,
};
const rounded = (value) => new Date(Math.round(value / 60_000) * 60_000).toISOString().slice(0, 16);
for (const [writer, file] of Object.entries(files)) {
  for (const [reader, read] of Object.entries(readers)) console.log(`${process.env.TZ}: ${writer} to ${reader} ${rounded(await read(file))}`);
}
JS
seen=$(for zone in Europe/Berlin America/New_York; do TZ="$zone" node seen.mjs; done)
echo "$seen"
[ "$seen" = 'Europe/Berlin: exceljs to exceljs 2026-11-01T00:00
Europe/Berlin: exceljs to xlsx 2026-10-31T23:00
Europe/Berlin: xlsx to exceljs 2026-11-01T01:00
Europe/Berlin: xlsx to xlsx 2026-11-01T00:00
America/New_York: exceljs to exceljs 2026-11-01T00:00
America/New_York: exceljs to xlsx 2026-11-01T04:00
America/New_York: xlsx to exceljs 2026-10-31T20:00
America/New_York: xlsx to xlsx 2026-11-01T00:00' ]
