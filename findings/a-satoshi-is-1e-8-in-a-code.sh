#!/usr/bin/env bash
# The text of a QR code that asks for a payment in bitcoin (BIP 21), made by bip21 3.0.0 for one satoshi, 0.00000001, and for 0.1 + 0.2; and one read that is in capitals, as codes are made so that they are
# smaller: `BITCOIN:BC1Q…?AMOUNT=20.3`.
# Expected: amounts are decimal numbers without an exponent, as BIP 21 asks for, with at most eight decimal places or an error; the amount of the code in capitals is 20.3 (BIP 321: keys have no case).
# Seen on 2026-11-30: `amount=1e-8` and `amount=0.30000000000000004`, neither of which is an amount. The code in capitals is read as one without an
# amount: its options have `AMOUNT` as a text.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts bip21@3.0.0
cat > seen.mjs <<'JS'
import { decode, encode } from "bip21";
const address = "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4";
for (const amount of [0.5, 0.00000001, 0.1 + 0.2]) console.log(encode("bc1q", { amount }));
console.log(JSON.stringify(decode(`bitcoin:${address}?amount=20.3`).options));
console.log(JSON.stringify(decode(`BITCOIN:${address}?AMOUNT=20.3`).options));
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'bitcoin:bc1q?amount=0.5
bitcoin:bc1q?amount=1e-8
bitcoin:bc1q?amount=0.30000000000000004
{"amount":20.3}
{"AMOUNT":"20.3"}' ]
