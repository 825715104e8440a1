#!/usr/bin/env bash
# 900 calls cost 1 credit and 100 cost 10. What is the median, and what do 80 of 100 calls cost at most?
# Expected: 1 and 1, also from a digest, since digests are for many different values and two are no difficulty.
# Seen on 2026-11-29: a summary of prom-client 15.1.3, which uses tdigest 0.1.3, says 1.9 and 7.3: the digest has a centroid for each of the two values and draws a
# straight line between them, so 0.5 lies a tenth of the way up. hdr-histogram-js 3.0.1 and the histogram of Node 24.21.0 say 1 and 1. With prices of a few steps, or
# with states 0 and 1, the quantiles of a summary are values that nobody had; only those at the ends are right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts prom-client@15.1.3 tdigest@0.1.3 hdr-histogram-js@3.0.1 \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { createHistogram } from "node:perf_hooks";
import { build } from "hdr-histogram-js";
import prom from "prom-client";
const prices = Array.from({ length: 1_000 }, (_, call) => (call % 10 === 0 ? 10 : 1));
const percentiles = [0.5, 0.8, 0.99];
const summary = new prom.Summary({ name: "credits", help: "credits", percentiles });
const hdr = build();
const own = createHistogram();
for (const price of prices) {
  summary.observe(price);
  hdr.recordValue(price);
  own.record(price);
}
const { values } = await summary.get();
const line = (name, at) => console.log(`${name}: ${percentiles.map((quantile) => Number(at(quantile).toFixed(2))).join(" ")}`);
line("prom-client", (quantile) => values.find(({ labels }) => labels.quantile === quantile).value);
line("hdr-histogram-js", (quantile) => hdr.getValueAtPercentile(quantile * 100));
line("node", (quantile) => own.percentile(quantile * 100));
JS
seen=$("$node" seen.mjs)
echo "$seen"
[ "$seen" = 'prom-client: 1.9 7.3 10
hdr-histogram-js: 1 1 10
node: 1 1 10' ]
