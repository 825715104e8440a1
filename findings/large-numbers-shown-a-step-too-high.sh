#!/usr/bin/env bash
# Large numbers in short form, in six libraries and in `Intl.NumberFormat`: 999,499, what comes before a million on either side of zero, a billion bytes.
# Expected: 999.5 thousand with one decimal, a million (1,000 thousand is written as one million), and a gigabyte.
# Seen on 2026-11-29: numbro 2.5.0 shows 1.0m for 999,499. numeral 2.0.6 shows 1m for 999,999 and -1000k for -999,999. bytes 3.1.2 shows 1024KB for one byte less than a
# megabyte. Intl shows 1BB for a billion bytes, the "billion" of numbers before the "byte". millify 6.1.0, pretty-bytes 7.2.0 and filesize 11.0.30 are right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts numbro@2.5.0 numeral@2.0.6 bytes@3.1.2 millify@6.1.0 pretty-bytes@7.2.0 filesize@11.0.30
cat > seen.mjs <<'JS'
import bytes from "bytes";
import { filesize } from "filesize";
import * as millify from "millify";
import numbro from "numbro";
import numeral from "numeral";
import prettyBytes from "pretty-bytes";
const short = millify.millify ?? millify.default.millify ?? millify.default;
const counts = {
  numbro: (count) => numbro(count).format({ average: true, mantissa: 1 }),
  numeral: (count) => numeral(count).format("0.0a"),
  "numeral 0a": (count) => numeral(count).format("0a"),
  millify: (count) => short(count),
  Intl: (count) => new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(count),
};
for (const [name, show] of Object.entries(counts)) console.log(`${name}: ${[999_499, 999_999, -999_999].map(show).join(" ")}`);
const sizes = {
  bytes: (size) => bytes(size),
  "pretty-bytes": (size) => prettyBytes(size),
  filesize: (size) => filesize(size),
  Intl: (size) => new Intl.NumberFormat("en", { notation: "compact", style: "unit", unit: "byte", unitDisplay: "narrow" }).format(size),
};
for (const [name, show] of Object.entries(sizes)) console.log(`${name}: ${[999_999, 1_048_575, 1e9].map(show).join(", ")}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'numbro: 1.0m 1.0m -1.0m
numeral: 999.5k 1.0m -1000.0k
numeral 0a: 999k 1m -1000k
millify: 999.5K 1M -1M
Intl: 999.5K 1M -1M
bytes: 976.56KB, 1024KB, 953.67MB
pretty-bytes: 1 MB, 1.05 MB, 1 GB
filesize: 1 MB, 1.05 MB, 1 GB
Intl: 1MB, 1MB, 1BB' ]
