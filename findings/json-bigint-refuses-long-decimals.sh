#!/usr/bin/env bash
# json-bigint 1.0.0 with `useNativeBigInt`, to read JSON whose integers may be above 2^53: ids, sums of credits.
# Expected: large integers become BigInt, all other numbers stay what JSON.parse makes of them.
# Seen on 2026-11-29: a number of more than 15 characters is given to BigInt whatever it is, so `0.30000000000000004`, which JSON.stringify writes for 0.1 + 0.2,
# is a SyntaxError and the document cannot be read; JSON.stringify writes such numbers for most averages. lossless-json 4.3.3
# leaves the choice to a function of the caller.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts json-bigint@1.0.0 lossless-json@4.3.3
cat > seen.mjs <<'JS'
import JSONbig from "json-bigint";
import { parse, parseNumberAndBigInt } from "lossless-json";
const readers = { "json-bigint": JSONbig({ useNativeBigInt: true }).parse, "lossless-json": (text) => parse(text, null, parseNumberAndBigInt) };
for (const text of ["9007199254740993", "0.25", JSON.stringify(0.1 + 0.2), JSON.stringify(1000 / 7)]) {
  for (const [name, read] of Object.entries(readers)) {
    try {
      const value = read(`{"credits":${text}}`).credits;
      console.log(`${text}, ${name}: ${typeof value} ${value}`);
    } catch (error) {
      console.log(`${text}, ${name}: ${error.name}`);
    }
  }
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '9007199254740993, json-bigint: bigint 9007199254740993
9007199254740993, lossless-json: bigint 9007199254740993
0.25, json-bigint: number 0.25
0.25, lossless-json: number 0.25
0.30000000000000004, json-bigint: SyntaxError
0.30000000000000004, lossless-json: number 0.30000000000000004
142.85714285714286, json-bigint: SyntaxError
142.85714285714286, lossless-json: number 142.85714285714286' ]
