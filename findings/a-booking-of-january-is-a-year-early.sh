#!/usr/bin/env bash
# A bank's statement (MT940) has a fee with the value date 31 December 2026, booked on 2 January: `:61:2612310102D12,5…`. The booking date has no
# year of its own. And an entry of 2 January 2027 that was booked on 31 December: `:61:2701021231C1,00…`. Two readers.
# Expected: the year next to the value date, so 2 January 2027 and 31 December 2026.
# Seen on 2026-11-30: mt940js 1.3.5 and mt940-js 1.0.0 take the year of the value date: the fee was booked on 2 January 2026, almost a year before, and the
# other entry a year after.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts mt940js@1.3.5 mt940-js@1.0.0 tslib@2.9.1
cat > seen.mjs <<'JS'
import { read } from "mt940-js";
import { Parser } from "mt940js";
const statement = [
  ":20:START", ":25:10010010/1111111111", ":28C:00001/001", ":60F:C261230EUR100,00", ":61:2612310102D12,5NTRFNONREF//1", ":86:fee",
  ":61:2701021231C1,00NTRFNONREF//2", ":86:interest", ":62F:C270102EUR88,50", "-", "",
].join("\r\n");
const day = (date) => new Date(date).toISOString().slice(0, 10);
const readers = {
  mt940js: new Parser().parse(statement)[0].transactions.map(({ date, entryDate }) => [date, entryDate]),
  "mt940-js": (await read(Buffer.from(statement)))[0].transactions.map(({ valueDate, entryDate }) => [valueDate, entryDate]),
};
for (const [name, entries] of Object.entries(readers))
  console.log(`${name}: ${entries.map(([value, entry]) => `value ${day(value)}, booked ${day(entry)}`).join("; ")}`);
JS
seen=$(TZ=UTC node seen.mjs)
echo "$seen"
[ "$seen" = 'mt940js: value 2026-12-31, booked 2026-01-02; value 2027-01-02, booked 2027-12-31
mt940-js: value 2026-12-31, booked 2026-01-02; value 2027-01-02, booked 2027-12-31' ]
