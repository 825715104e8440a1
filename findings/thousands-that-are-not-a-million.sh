#!/usr/bin/env bash
# How large is a file, how many calls were made? Numbers a little below the next unit in seven libraries: a byte less than a mebibyte and than a gibibyte, 999 and 999,950 calls.
# Expected: 1 MiB and 1 GiB, 999, and 1M or 999.9K: whoever rounds up goes on to the next unit, and a number below a thousand stays as it is.
# Seen on 2026-11-29: bytes 3.1.2, which express uses, says 1024KB and 1024MB, numeral 2.0.6 and numbro 2.5.0 say 1024.0 KiB and 1024.0 MiB. numbro's `average` makes 1k of 999, numeral makes 1000 of 999.5, which is 1k. filesize 11.0.30 says
# 999.95 kB, pretty-bytes 7.2.0 and byte-size 9.0.2 1 MB, millify 6.1.0 and Intl 1M.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts bytes@3.1.2 numeral@2.0.6 numbro@2.5.0 filesize@11.0.30 pretty-bytes@7.2.0 byte-size@9.0.2 millify@6.1.0
cat > seen.mjs <<'JS'
import byteSize from "byte-size";
import bytes from "bytes";
import { filesize } from "filesize";
import { millify } from "millify";
import numbro from "numbro";
import numeral from "numeral";
import prettyBytes from "pretty-bytes";
const intl = new Intl.NumberFormat("en", { notation: "compact" });
const sizes = {
  bytes: (size) => bytes(size),
  numeral: (size) => numeral(size).format("0.0 ib"),
  numbro: (size) => numbro(size).format({ output: "byte", base: "binary", mantissa: 1 }),
  filesize: (size) => filesize(size, { base: 2 }),
  "pretty-bytes": (size) => prettyBytes(size, { binary: true }),
  "byte-size": (size) => String(byteSize(size, { units: "iec" })),
};
const counts = {
  numeral: (count) => numeral(count).format("0a"),
  numbro: (count) => numbro(count).format({ average: true }),
  millify: (count) => millify(count),
  Intl: (count) => intl.format(count),
  filesize: (count) => filesize(count),
  "pretty-bytes": (count) => prettyBytes(count),
  "byte-size": (count) => String(byteSize(count)),
};
for (const [name, show] of Object.entries(sizes)) console.log(`sizes, ${name}: ${[2 ** 20 - 1, 2 ** 30 - 1].map(show).join(", ")}`);
for (const [name, show] of Object.entries(counts)) console.log(`counts, ${name}: ${[999, 999.5, 999_950].map(show).join(", ")}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'sizes, bytes: 1024KB, 1024MB
sizes, numeral: 1024.0 KiB, 1024.0 MiB
sizes, numbro: 1024.0KiB, 1024.0MiB
sizes, filesize: 1 MiB, 1 GiB
sizes, pretty-bytes: 1 MiB, 1 GiB
sizes, byte-size: 1 MiB, 1 GiB
counts, numeral: 999, 1000, 1m
counts, numbro: 1k, 1k, 1m
counts, millify: 999, 999.5, 1M
counts, Intl: 999, 1K, 1M
counts, filesize: 999 B, 1 kB, 999.95 kB
counts, pretty-bytes: 999 B, 1 kB, 1 MB
counts, byte-size: 999 B, 999.5 B, 1 MB' ]
