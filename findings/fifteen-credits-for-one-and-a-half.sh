#!/usr/bin/env bash
# Amounts as people from elsewhere type them, and as they stand in files, read by five libraries with their defaults (English): a comma for the decimals, both separators, an exponent, thousands as `5k`, a minus at the end, no number at all.
# Expected: 1.5 and 0.99, or NaN or an error: "1,5" is no English number, as a comma has three digits behind it.
# Seen on 2026-11-29: all five, currency.js 2.0.4, numeral 2.0.6, numbro 2.5.0, accounting 0.4.1 and @internationalized/number 3.6.9 (React Aria), drop the comma: 1,5 is 15 and 0,99 is 99. "1.234,56" is 1.23 in all. currency.js, numeral and accounting
# read 1e3 as 13, and currency.js and accounting 5k as 5 and "free" as 0. numeral reads "5 - 3" as -53. accounting loses the minus at the end.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts currency.js@2.0.4 numeral@2.0.6 numbro@2.5.0 accounting@0.4.1 \
  @internationalized/number@3.6.9
cat > seen.mjs <<'JS'
import { NumberParser } from "@internationalized/number";
import accounting from "accounting";
import currency from "currency.js";
import numbro from "numbro";
import numeral from "numeral";
const readers = {
  "currency.js": (text) => currency(text).value,
  numeral: (text) => numeral(text).value(),
  numbro: (text) => numbro.unformat(text),
  accounting: (text) => accounting.unformat(text),
  "@internationalized/number": (text) => new NumberParser("en-US").parse(text),
};
const texts = ["1,5", "0,99", "1.234,56", "1e3", "5k", "12.50-", "5 - 3", "free"];
for (const [name, read] of Object.entries(readers)) console.log(`${name}: ${texts.map((text) => `${text} is ${read(text)}`).join(", ")}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'currency.js: 1,5 is 15, 0,99 is 99, 1.234,56 is 1.23, 1e3 is 13, 5k is 5, 12.50- is NaN, 5 - 3 is NaN, free is 0
numeral: 1,5 is 15, 0,99 is 99, 1.234,56 is 1.23456, 1e3 is 13, 5k is 5000, 12.50- is -12.5, 5 - 3 is -53, free is null
numbro: 1,5 is 15, 0,99 is 99, 1.234,56 is 1.23456, 1e3 is 1000, 5k is 5000, 12.50- is undefined, 5 - 3 is undefined, free is undefined
accounting: 1,5 is 15, 0,99 is 99, 1.234,56 is 1.23456, 1e3 is 13, 5k is 5, 12.50- is 12.5, 5 - 3 is 5, free is 0
@internationalized/number: 1,5 is 15, 0,99 is 99, 1.234,56 is 1.23456, 1e3 is 1000, 5k is NaN, 12.50- is NaN, 5 - 3 is NaN, free is NaN' ]
