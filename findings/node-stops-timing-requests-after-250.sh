#!/usr/bin/env bash
# A service asks another 300 times with `fetch` and reads the resource timings of Node 24.21.0: how long took the last request, and what does its `Server-Timing` header say?
# Expected: an entry for each request, or an event or a warning when no more are kept, and `serverTiming` as in browsers, since the entries have the
# members of the newest text of the standard (`responseStatus`, `deliveryType`).
# Seen on 2026-11-29: from the 251st request on there are no entries, for as long as the process lives, and nothing is said, since the event
# `resourcetimingbufferfull` needs a listener. `serverTiming` is undefined. A PerformanceObserver gets all 300; so whoever polls has to call
# `performance.clearResourceTimings()` each time.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { PerformanceObserver } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
const server = createServer((_, response) => {
  response.setHeader("server-timing", "db;dur=53.2");
  response.end();
});
await once(server.listen(0), "listening");
let observed = 0;
new PerformanceObserver((list) => {
  observed += list.getEntries().length;
}).observe({ type: "resource" });
for (let count = 1; count <= 300; count += 1) await (await fetch(`http://localhost:${server.address().port}/${count}`)).text();
await sleep(100);
const entries = performance.getEntriesByType("resource");
const { pathname } = new URL(entries.at(-1).name);
console.log(`entries ${entries.length}, the last for ${pathname}, observed ${observed}, responseStatus ${entries[0].responseStatus}, serverTiming ${entries[0].serverTiming}`);
process.exit();
JS
seen=$("$node" seen.mjs)
echo "$seen"
[ "$seen" = 'entries 250, the last for /250, observed 300, responseStatus 200, serverTiming undefined' ]
