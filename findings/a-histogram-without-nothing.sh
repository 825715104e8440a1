#!/usr/bin/env bash
# Calls that cost 0, 0.5, 1 and 1.5 credits, recorded in the histogram of Node 24.21.0 (`createHistogram` of node:perf_hooks) and of hdr-histogram-js 3.0.1.
# Expected: 0 is counted, since free calls and times below the resolution are ordinary; a fraction is counted, or refused by both.
# Seen on 2026-11-29: Node refuses 0, with its defaults and with `lowest: 0`, and fractions, with a RangeError; whoever catches it has percentiles of a part. In
# hdr-histogram-js all are counted, cut to integers without a word: 0.5 is 0 and 1.5 is 1, so the mean of the four is 0.5 instead of 0.75.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts hdr-histogram-js@3.0.1 \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { createHistogram } from "node:perf_hooks";
import { build } from "hdr-histogram-js";
const counted = (record, values) =>
  values
    .map((value) => {
      try {
        record(value);
        return `${value} counted`;
      } catch ({ name }) {
        return `${value} ${name}`;
      }
    })
    .join(", ");
const credits = [0, 0.5, 1, 1.5];
const own = createHistogram();
console.log(`node: ${counted((value) => own.record(value), credits)}; count ${own.count}, mean ${own.mean}`);
try {
  createHistogram({ lowest: 0 });
} catch ({ name }) {
  console.log(`node, lowest 0: ${name}`);
}
const hdr = build();
console.log(`hdr-histogram-js: ${counted((value) => hdr.recordValue(value), credits)}; count ${hdr.totalCount}, mean ${hdr.mean}`);
JS
seen=$("$node" seen.mjs)
echo "$seen"
[ "$seen" = 'node: 0 RangeError, 0.5 RangeError, 1 counted, 1.5 RangeError; count 1, mean 1
node, lowest 0: RangeError
hdr-histogram-js: 0 counted, 0.5 counted, 1 counted, 1.5 counted; count 4, mean 0.5' ]
