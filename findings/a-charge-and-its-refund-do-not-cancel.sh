#!/usr/bin/env bash
# A charge of 0.125 and its refund of -0.125, each rounded to cents.
# Expected: they cancel in every library for money, whatever they do with halves.
# Seen on 2026-11-29: in dinero.js 2.0.2 they do not: `transformScale` without a third argument rounds towards minus infinity, 0.12 and -0.13, so that
# each refund, also that of 0.121, is a cent more than its charge; `halfUp`, the rounding of most price lists, makes 0.13 and
# -0.12. currency.js 2.0.4 makes 0.13 and -0.12 too. big.js 7.0.1, decimal.js 10.6.0, Intl.NumberFormat and dinero's `halfAwayFromZero` cancel.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts dinero.js@2.0.2 currency.js@2.0.4 big.js@7.0.1 decimal.js@10.6.0
cat > seen.mjs <<'JS'
import Big from "big.js";
import currency from "currency.js";
import Decimal from "decimal.js";
import { dinero, halfAwayFromZero, halfUp, toDecimal, transformScale, USD } from "dinero.js";
const rounded = (...how) => (amount) => toDecimal(transformScale(dinero({ amount, currency: USD, scale: 3 }), 2, ...how));
const libraries = {
  "dinero.js": rounded(),
  "dinero.js halfUp": rounded(halfUp),
  "dinero.js halfAwayFromZero": rounded(halfAwayFromZero),
  "currency.js": (amount) => currency(amount / 1_000).toString(),
  "big.js": (amount) => new Big(amount).div(1_000).toFixed(2),
  "decimal.js": (amount) => new Decimal(amount).div(1_000).toFixed(2),
  Intl: (amount) => new Intl.NumberFormat("en", { maximumFractionDigits: 2 }).format(amount / 1_000),
};
for (const [name, cents] of Object.entries(libraries)) console.log(`${name}: ${[125, -125, 121, -121].map(cents).join(" ")}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'dinero.js: 0.12 -0.13 0.12 -0.13
dinero.js halfUp: 0.13 -0.12 0.12 -0.12
dinero.js halfAwayFromZero: 0.13 -0.13 0.12 -0.12
currency.js: 0.13 -0.12 0.12 -0.12
big.js: 0.13 -0.13 0.12 -0.12
decimal.js: 0.13 -0.13 0.12 -0.12
Intl: 0.13 -0.13 0.12 -0.12' ]
