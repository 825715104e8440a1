#!/usr/bin/env bash
# A tool has a price in dollars and is paid by x402, in the smallest units of a stablecoin, of which a dollar has a million. Two libraries turn the price into units.
# Expected: a whole number of units, since nothing else can be paid; an error for a price below one unit or in no such form, or at least one unit.
# Seen on 2026-11-30: `processPriceToAtomicAmount` of x402 1.2.0 multiplies binary fractions, so a price of 1.005 asks for 1004999.9999999999 units and 0.1 + 0.2 for 300000.00000000006, from which BigInt, and so
# each client, throws. It reads `1,5` as 15 dollars. `parsePrice` of ExactEvmScheme in @x402/evm 2.27.0 has whole numbers and refuses the comma, but cuts: a price of $0.0000005, as
# a token costs, asks for 0 units and is given away, and $0.0000019 asks for 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps x402@1.2.0 @x402/evm@2.27.0 @x402/core@2.27.0 viem@2.57.20
cat > seen.mjs <<'JS'
import { ExactEvmScheme } from "@x402/evm/exact/server";
import { processPriceToAtomicAmount } from "x402/shared";
const libraries = {
  x402: (price) => {
    const { error, maxAmountRequired } = processPriceToAtomicAmount(price, "base");
    return error ? "an error" : maxAmountRequired;
  },
  "@x402/evm": (price) => new ExactEvmScheme().parsePrice(price, "eip155:8453").then(({ amount }) => amount, () => "an error"),
};
for (const [name, units] of Object.entries(libraries)) {
  const seen = [];
  for (const price of [0.29, 1.005, 0.1 + 0.2, "$5.0000009", "1,5", "$0.0000005", "$0.0000019"]) seen.push(`${price} ${await units(price)}`);
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'x402: 0.29 290000, 1.005 1004999.9999999999, 0.30000000000000004 300000.00000000006, $5.0000009 5000000.899999999, 1,5 15000000, $0.0000005 an error, $0.0000019 an error
@x402/evm: 0.29 290000, 1.005 1005000, 0.30000000000000004 300000, $5.0000009 5000000, 1,5 an error, $0.0000005 0, $0.0000019 1' ]
