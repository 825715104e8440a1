#!/usr/bin/env bash
# currency.js 2.0.4 reads amounts that are texts with an exponent, as spreadsheets export them and `String(number)` writes them.
# Expected: the number that JavaScript reads. Seen on 2026-11-29: it removes every character that it does not know and reads the rest: "1.5E+3" is 1.53,
# "2e3" is 23, and "1e-7", which is `String(0.0000001)`, is NaN. `errorOnInvalid` changes nothing, since it asks only whether the value is a
# text or a number. big.js 7.0.1 reads all three right. Numbers that are no text are right in both.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts currency.js@2.0.4 big.js@7.0.1
cat > seen.mjs <<'JS'
import Big from "big.js";
import currency from "currency.js";
const options = { errorOnInvalid: true, precision: 8 };
for (const amount of ["1.5E+3", "2e3", String(0.0000001), 0.0000001]) {
  console.log(`${typeof amount} ${amount}: ${currency(amount, options).value}, big.js ${new Big(amount)}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'string 1.5E+3: 1.53, big.js 1500
string 2e3: 23, big.js 2000
string 1e-7: NaN, big.js 1e-7
number 1e-7: 1e-7, big.js 1e-7' ]
