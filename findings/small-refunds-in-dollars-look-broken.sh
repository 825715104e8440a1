#!/usr/bin/env bash
# Amounts of money as pages show them, with two decimal places: a refund of a tenth of a cent (-0.001), a price of 1e-7 for a token, and 1e21, in seven libraries and in Node 24.
# Expected: $0.00 for the first two, without a sign, and a number with 22 digits.
# Seen on 2026-11-29: -0.001 is `-$0.00` in Intl of Node, `$-0.00` in accounting 0.4.1, `-$.00` in numbro 2.5.0 and `0$.00` in numeral 2.0.6, in the same format that shows 0.001 as $0.00; a minus in front of nothing is no rare thing
# where small refunds are rounded. numeral shows NaN for 1e-7 and for 1e21. currency.js 2.0.4 and d3-format 3.1.3 show $0.00, and $1e+21. `signDisplay: "negative"` is the option of Intl that leaves the sign out.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts accounting@0.4.1 numbro@2.5.0 numeral@2.0.6 currency.js@2.0.4 d3-format@3.1.3
cat > seen.mjs <<'JS'
import accounting from "accounting";
import currency from "currency.js";
import { format } from "d3-format";
import numbro from "numbro";
import numeral from "numeral";
const intl = (options) => new Intl.NumberFormat("en", { style: "currency", currency: "USD", ...options });
const libraries = {
  Intl: (amount) => intl({}).format(amount),
  "Intl without a sign": (amount) => intl({ signDisplay: "negative" }).format(amount),
  accounting: (amount) => accounting.formatMoney(amount),
  numbro: (amount) => numbro(amount).formatCurrency({ mantissa: 2, thousandSeparated: true }),
  numeral: (amount) => numeral(amount).format("$0,0.00"),
  "currency.js": (amount) => currency(amount).format(),
  "d3-format": (amount) => format("$,.2f")(amount),
};
for (const [name, show] of Object.entries(libraries)) console.log(`${name}: ${[0.001, -0.001, 1e-7, 1e21].map(show).join(" ")}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'Intl: $0.00 -$0.00 $0.00 $1,000,000,000,000,000,000,000.00
Intl without a sign: $0.00 $0.00 $0.00 $1,000,000,000,000,000,000,000.00
accounting: $0.00 $-0.00 $0.00 $999,999,999,999,999,900,000.00
numbro: $0.00 -$.00 $0.00 $1,000,000,000,000,000,000,000.00
numeral: $0.00 0$.00 $NaN $NaN
currency.js: $0.00 $0.00 $0.00 $1e+21
d3-format: $0.00 $0.00 $0.00 $1e+21' ]
