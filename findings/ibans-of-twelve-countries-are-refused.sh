#!/usr/bin/env bash
# The example IBANs that the registry of SWIFT has for its newer members, from Libya and Sudan to Honduras and Yemen, in four validators.
# Expected: accepted by all, as the examples of older members are.
# Seen on 2026-11-30: ibantools 4.5.4 and fast-iban 1.2.0 accept all (of the last seven fast-iban looks at the check digits alone). iban 0.0.14 and validator 13.15.35 refuse the IBANs of twelve countries: a
# customer there cannot enter an account. They accept Germany, Egypt and El Salvador.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts ibantools@4.5.4 iban@0.0.14 validator@13.15.35 fast-iban@1.2.0
cat > seen.mjs <<'JS'
import fast from "fast-iban";
import iban from "iban";
import { isValidIBAN } from "ibantools";
import validator from "validator";
const examples = [
  "DE89370400440532013000", "EG380019000500000000263180002", "SV62CENR00000000000000700025", "LY83002048000020100120361", "SD2129010501234001",
  "BI4210000100010000332045181", "DJ2100010000000154000100186", "SO211000001001000100141", "RU0304452522540817810538091310419",
  "NI45BAPR00000013000003558124", "MN121234123456789123", "FK88SC123456789012", "OM810180000001299123456", "YE15CBYE0001018861234567891234",
  "HN88CABF00000000000250005469",
];
const validators = {
  ibantools: isValidIBAN,
  iban: (text) => iban.isValid(text),
  validator: (text) => validator.isIBAN(text),
  "fast-iban": fast.validateIBAN,
};
for (const [name, isValid] of Object.entries(validators))
  console.log(`${name} accepts ${examples.filter(isValid).map((text) => text.slice(0, 2)).join(" ")}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'ibantools accepts DE EG SV LY SD BI DJ SO RU NI MN FK OM YE HN
iban accepts DE EG SV
validator accepts DE EG SV
fast-iban accepts DE EG SV LY SD BI DJ SO RU NI MN FK OM YE HN' ]
