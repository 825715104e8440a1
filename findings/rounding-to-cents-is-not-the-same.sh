#!/usr/bin/env bash
# Amounts with half a cent, 0.005 to 99.995, are rounded to cents by eleven libraries that round to decimal places. How many of the 10,000 differ from what is right on paper, and by what rule do negative ones go?
# Expected: none, as these functions exist because `toFixed` and `Math.round(x * 100) / 100` are wrong for them; and -1.005 is -1.01, the opposite of 1.005.
# Seen on 2026-11-29: `round` of es-toolkit 1.53.2 and `toFixed` of accounting 0.4.1 are wrong for 572, as the plain multiplication is: 0.145 is 0.14. The same package has a `round` in `es-toolkit/compat` which is right, like
# lodash 4.18.1, remeda 2.62.2, round-to 7.0.0, mathjs 15.2.0, currency.js 2.0.4, numeral 2.0.6, numbro 2.5.0 and Intl of Node 24. All but
# round-to, mathjs and Intl round -1.005 to -1, so a charge and its refund differ by a cent.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts es-toolkit@1.53.2 accounting@0.4.1 lodash@4.18.1 remeda@2.62.2 round-to@7.0.0 mathjs@15.2.0 \
  currency.js@2.0.4 numeral@2.0.6 numbro@2.5.0
cat > seen.mjs <<'JS'
import accounting from "accounting";
import currency from "currency.js";
import { round } from "es-toolkit";
import { round as roundCompat } from "es-toolkit/compat";
import lodash from "lodash";
import { round as roundMath } from "mathjs";
import numbro from "numbro";
import numeral from "numeral";
import * as remeda from "remeda";
import { roundTo } from "round-to";
const intl = new Intl.NumberFormat("en", { maximumFractionDigits: 2, useGrouping: false });
const libraries = {
  "es-toolkit": (amount) => round(amount, 2),
  accounting: (amount) => accounting.toFixed(amount, 2),
  multiplication: (amount) => Math.round(amount * 100) / 100,
  "es-toolkit/compat": (amount) => roundCompat(amount, 2),
  lodash: (amount) => lodash.round(amount, 2),
  remeda: (amount) => remeda.round(amount, 2),
  "currency.js": (amount) => currency(amount).value,
  numeral: (amount) => numeral(amount).format("0.00"),
  numbro: (amount) => numbro(amount).format({ mantissa: 2 }),
  "round-to": (amount) => roundTo(amount, 2),
  mathjs: (amount) => roundMath(amount, 2),
  Intl: (amount) => intl.format(amount),
};
for (const [name, rounded] of Object.entries(libraries)) {
  let wrong = 0;
  for (let cents = 0; cents < 10_000; cents++) {
    const amount = Number(`${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}5`);
    if (Number(rounded(amount)) !== (cents + 1) / 100) wrong += 1;
  }
  console.log(`${name}: ${wrong} wrong, 0.145 is ${Number(rounded(0.145))}, -1.005 is ${Number(rounded(-1.005))}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'es-toolkit: 572 wrong, 0.145 is 0.14, -1.005 is -1
accounting: 572 wrong, 0.145 is 0.14, -1.005 is -1
multiplication: 572 wrong, 0.145 is 0.14, -1.005 is -1
es-toolkit/compat: 0 wrong, 0.145 is 0.15, -1.005 is -1
lodash: 0 wrong, 0.145 is 0.15, -1.005 is -1
remeda: 0 wrong, 0.145 is 0.15, -1.005 is -1
currency.js: 0 wrong, 0.145 is 0.15, -1.005 is -1
numeral: 0 wrong, 0.145 is 0.15, -1.005 is -1
numbro: 0 wrong, 0.145 is 0.15, -1.005 is -1
round-to: 0 wrong, 0.145 is 0.15, -1.005 is -1.01
mathjs: 0 wrong, 0.145 is 0.15, -1.005 is -1.01
Intl: 0 wrong, 0.145 is 0.15, -1.005 is -1.01' ]
