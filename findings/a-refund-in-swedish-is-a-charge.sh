#!/usr/bin/env bash
# `Intl.NumberFormat` of Node 24 writes -5 credits in Swedish, and five libraries read the text: from a page, from a file that was written with it.
# Expected: -5, or NaN.
# Seen on 2026-11-29: in ten of 37 languages Intl writes U+2212, the minus of typography, and no hyphen, or a mark of direction before it. currency.js 2.0.4, numeral 2.0.6 and accounting 0.4.1 take it for a sign of currency and leave it out: a refund of 5 is a
# charge of 5. numbro 2.5.0 returns undefined, Number and parseFloat NaN. @internationalized/number 3.6.9 reads it if it is told the language.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts currency.js@2.0.4 numeral@2.0.6 numbro@2.5.0 accounting@0.4.1 \
  @internationalized/number@3.6.9 mathjs@15.2.0 big.js@7.0.1
cat > seen.mjs <<'JS'
import { NumberParser } from "@internationalized/number";
import accounting from "accounting";
import currency from "currency.js";
import numbro from "numbro";
import numeral from "numeral";
const locales = "ar bg cs da de el en es et fa fi fr he hi hr hu is it ja ko lt lv nb nl pl pt ro ru sk sl sr sv th tr uk vi zh".split(" ");
const others = locales.filter((locale) => !new Intl.NumberFormat(locale, { numberingSystem: "latn" }).format(-5).startsWith("-"));
console.log(`not the minus of ASCII: ${others.join(", ")}`);
const text = new Intl.NumberFormat("sv").format(-5);
const readers = {
  "currency.js": () => currency(text).value,
  numeral: () => numeral(text).value(),
  accounting: () => accounting.unformat(text),
  numbro: () => numbro.unformat(text),
  Number: () => Number(text),
  parseFloat: () => parseFloat(text),
  "@internationalized/number in English": () => new NumberParser("en").parse(text),
  "@internationalized/number in Swedish": () => new NumberParser("sv").parse(text),
};
for (const [name, read] of Object.entries(readers)) console.log(`${name}: ${read()}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'not the minus of ASCII: ar, et, fa, fi, he, hr, lt, nb, sl, sv
currency.js: 5
numeral: 5
accounting: 5
numbro: undefined
Number: NaN
parseFloat: NaN
@internationalized/number in English: NaN
@internationalized/number in Swedish: -5' ]
