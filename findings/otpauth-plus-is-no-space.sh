#!/usr/bin/env bash
# otpauth 9.5.2: reading `otpauth://totp/Acme%20Inc:ann?secret=…&issuer=Acme+Inc`, the form that URLSearchParams writes.
# Expected: the issuer is "Acme Inc". Seen on 2026-11-28: it is "Acme+Inc", because the query is percent-decoded and `+` stays;
# the prefix of the label, "Acme Inc", is overruled. Written with %20 it is right, so writers must not use URLSearchParams here.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts otpauth@9.5.2
cat > seen.mjs <<'JS'
import { URI } from "otpauth";
const issuerOf = (issuer) => URI.parse(`otpauth://totp/Acme%20Inc:ann?secret=JBSWY3DPEHPK3PXP&issuer=${issuer}`).issuer;
console.log(JSON.stringify([issuerOf(String(new URLSearchParams({ "": "Acme Inc" })).slice(1)), issuerOf("Acme%20Inc")]));
JS
seen=$(node seen.mjs)
echo "otpauth 9.5.2: $seen"
[ "$seen" = '["Acme+Inc","Acme Inc"]' ]
