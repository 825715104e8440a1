#!/usr/bin/env bash
# prefixed-api-key 1.1.1 makes API keys of a prefix, a short token by which the key is found in a table, and a long one that is kept as a hash. Two keys of `my-company` and two of `my_company`.
# Expected: the short token that generateAPIKey() returned is the one that extractShortToken() reads from the key, or the prefix is refused.
# Seen on 2026-11-30: parts are joined by an underscore and read by their place, so the short token of each key of `my_company` is "company": no key is found by it.
# The long token is read from the end and right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts prefixed-api-key@1.1.1
cat > seen.mjs <<'JS'
import { extractLongToken, extractShortToken, generateAPIKey } from "prefixed-api-key";
for (const keyPrefix of ["my-company", "my_company"]) {
  const keys = [await generateAPIKey({ keyPrefix }), await generateAPIKey({ keyPrefix })];
  const isShort = keys.every(({ token, shortToken }) => extractShortToken(token) === shortToken);
  const isLong = keys.every(({ token, longToken }) => extractLongToken(token) === longToken);
  console.log(`${keyPrefix}: short token ${isShort ? "as made" : keys.map(({ token }) => extractShortToken(token)).join(", ")}; long token ${isLong ? "as made" : "another"}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'my-company: short token as made; long token as made
my_company: short token company, company; long token as made' ]
