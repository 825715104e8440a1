#!/usr/bin/env bash
# speakeasy 2.0.0: `otpauthURL({ secret })` with a secret that is base32 already, as every service shows it.
# Expected: the secret stands in the URL as given. Seen on 2026-11-28: without `encoding: "base32"` the letters are taken for
# ASCII and encoded once more, without an error. The QR code scans, and the codes of the app never fit.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts speakeasy@2.0.0
cat > seen.cjs <<'JS'
const speakeasy = require("speakeasy");
const secretOf = (options) => new URL(speakeasy.otpauthURL({ secret: "JBSWY3DPEHPK3PXP", label: "a", ...options })).searchParams.get("secret");
console.log(secretOf({}), secretOf({ encoding: "base32" }));
JS
seen=$(node seen.cjs)
echo "speakeasy 2.0.0: $seen"
[ "$seen" = 'JJBFGV2ZGNCFARKIKBFTGUCYKA JBSWY3DPEHPK3PXP' ]
