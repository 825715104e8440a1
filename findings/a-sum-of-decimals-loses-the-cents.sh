#!/usr/bin/env bash
# A cent is added to 12345678901234567890.12, and 123456789.123456 is multiplied by 1234567.1234567, in seven libraries for exact decimals.
# Expected: every digit, since sums and products of decimals have an end; only a division has to be cut somewhere.
# Seen on 2026-11-29: decimal.js 10.6.0 and decimal.js-light 2.5.1 cut every result to 20 digits, sums too, so the cents are gone, those that were there as well; a number that is only read or negated keeps all. decimal.js-light gets the
# last of the 20 digits of the product wrong too. The places that their
# relatives bignumber.js 11.1.5 and big.js 7.0.1 cut are those of a division alone. js-big-decimal 2.2.0, fraction.js 5.3.4 and mathjs 15.2.0, which uses decimal.js with 64 digits, are exact here.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts decimal.js@10.6.0 decimal.js-light@2.5.1 bignumber.js@11.1.5 big.js@7.0.1 js-big-decimal@2.2.0 \
  fraction.js@5.3.4 mathjs@15.2.0
cat > seen.mjs <<'JS'
import Big from "big.js";
import { BigNumber } from "bignumber.js";
import { Decimal } from "decimal.js";
import Light from "decimal.js-light";
import Fraction from "fraction.js";
import bigDecimal from "js-big-decimal";
import { all, create } from "mathjs";
const math = create(all, { number: "BigNumber" });
const ExactDecimal = bigDecimal.default ?? bigDecimal;
const libraries = {
  "decimal.js": [(a, b) => new Decimal(a).plus(b).toFixed(), (a, b) => new Decimal(a).times(b).toFixed()],
  "decimal.js-light": [(a, b) => new Light(a).plus(b).toFixed(), (a, b) => new Light(a).times(b).toFixed()],
  "bignumber.js": [(a, b) => new BigNumber(a).plus(b).toFixed(), (a, b) => new BigNumber(a).times(b).toFixed()],
  "big.js": [(a, b) => new Big(a).plus(b).toFixed(), (a, b) => new Big(a).times(b).toFixed()],
  "js-big-decimal": [ExactDecimal.add, ExactDecimal.multiply],
  "fraction.js": [(a, b) => new Fraction(a).add(b).toString(), (a, b) => new Fraction(a).mul(b).toString()],
  mathjs: [(a, b) => math.format(math.add(math.bignumber(a), math.bignumber(b)), { notation: "fixed" }), (a, b) => math.format(math.multiply(math.bignumber(a), math.bignumber(b)), { notation: "fixed" })],
};
for (const [name, [sum, product]] of Object.entries(libraries))
  console.log(`${name}: ${sum("12345678901234567890.12", "0.01")} ${product("123456789.123456", "1234567.1234567")}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'decimal.js: 12345678901234567890 152415693019345.48133
decimal.js-light: 12345678901234567890 152415693019345.48132
bignumber.js: 12345678901234567890.13 152415693019345.4813297703552
big.js: 12345678901234567890.13 152415693019345.4813297703552
js-big-decimal: 12345678901234567890.13 152415693019345.4813297703552
fraction.js: 12345678901234567890.13 152415693019345.4813297703552
mathjs: 12345678901234567890.13 152415693019345.4813297703552' ]
