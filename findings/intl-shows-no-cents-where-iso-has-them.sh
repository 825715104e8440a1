#!/usr/bin/env bash
# How many decimals have the amounts of a currency? `Intl.NumberFormat` of Node 24.21.0, currency-codes 2.2.0 (the list of ISO 4217) and dinero.js 2.0.2.
# Expected: the same from all, so that 12345 minor units, as payment providers count, are shown and read back as one amount.
# Seen on 2026-11-29: Intl has 0 decimals for 16 currencies where ISO 4217 has 2 or 3, among them HUF, COP, IDR and PKR: its data say what is
# customary in shops. An amount of 1.99 is shown as 2, and code that takes the factor of minor units from `maximumFractionDigits`
# is wrong by a hundred. dinero.js differs from ISO for MGA and MRU (1 instead of 2; their parts are fifths).
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts currency-codes@2.2.0 dinero.js@2.0.2 \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import currencyCodes from "currency-codes";
import * as dinero from "dinero.js";
const money = (currency) => new Intl.NumberFormat("en", { style: "currency", currency });
const differ = { Intl: [], "dinero.js": [] };
for (const { code, digits } of currencyCodes.data) {
  const known = Intl.supportedValuesOf("currency").includes(code) && !code.startsWith("X");
  if (known && money(code).resolvedOptions().maximumFractionDigits !== digits) differ.Intl.push(code);
  if (dinero[code]?.exponent !== undefined && dinero[code].exponent !== digits) differ["dinero.js"].push(code);
}
for (const [name, codes] of Object.entries(differ)) console.log(`${name} differs from ISO 4217: ${codes.join(" ")}`);
console.log(`HUF 1.99 is shown as ${money("HUF").format(1.99).replace("\u00a0", " ")}`);
JS
seen=$("$node" seen.mjs)
echo "$seen"
[ "$seen" = 'Intl differs from ISO 4217: AFN ALL COP HUF IDR IQD IRR KPW LAK LBP MGA MMK PKR SOS SYP YER
dinero.js differs from ISO 4217: MGA MRU
HUF 1.99 is shown as HUF 2' ]
