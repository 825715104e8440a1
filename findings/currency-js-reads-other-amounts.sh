#!/usr/bin/env bash
# currency.js 2.0.4 reads amounts that are texts: from a spreadsheet, from `String(number)`, and as people write them.
# Expected: the number that JavaScript reads, or an error. Seen on 2026-11-29: it removes every character that it does not know and reads the
# rest: "1.5E+3" is 1.53 and "1e3" is 13, "1e-7" is NaN, "12 USD 50" is 1250, "5 of 10" is 510 and "1,5" is 15. With `errorOnInvalid` only
# values that are neither text nor number are an error. big.js 7.0.1 reads the first three right and throws for the others.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts currency.js@2.0.4 big.js@7.0.1
cat > seen.mjs <<'JS'
import Big from "big.js";
import currency from "currency.js";
const read = (reader) => {
  try {
    return String(reader());
  } catch {
    return "error";
  }
};
for (const text of ["1.5E+3", "1e3", String(0.0000001), "12 USD 50", "5 of 10", "1,5"]) {
  console.log(`${text}: ${read(() => currency(text, { errorOnInvalid: true }).value)}, big.js ${read(() => new Big(text))}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '1.5E+3: 1.53, big.js 1500
1e3: 13, big.js 1000
1e-7: NaN, big.js 1e-7
12 USD 50: 1250, big.js error
5 of 10: 510, big.js error
1,5: 15, big.js error' ]
