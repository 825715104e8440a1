#!/usr/bin/env bash
# Four caches keep an entry for 30 days: keys of idempotency, prices, sessions.
# Expected: it is there a second later, and keeping it costs nothing. Seen on 2026-11-29: a timer of Node takes at most 24.8 days, and fires at once when it
# gets more. memory-cache 0.2.0 and expiry-map 2.0.0 have lost the entry after a fraction of a second; lru-cache 11.5.3 with `ttlAutopurge` keeps it and
# wakes up a thousand times a second for it. @isaacs/ttlcache 2.1.5 is right. A warning of Node's on standard error is all that tells.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts memory-cache@0.2.0 expiry-map@2.0.0 lru-cache@11.5.3 @isaacs/ttlcache@2.1.5
cat > seen.mjs <<'JS'
import { setTimeout as sleep } from "node:timers/promises";
import { TTLCache } from "@isaacs/ttlcache";
import ExpiryMap from "expiry-map";
import { LRUCache } from "lru-cache";
import memoryCache from "memory-cache";
let warnings = 0;
process.on("warning", ({ name }) => {
  if (name === "TimeoutOverflowWarning") warnings += 1;
});
const ttl = 30 * 24 * 60 * 60 * 1_000;
const caches = {
  "memory-cache": { set: (key, value) => memoryCache.put(key, value, ttl), get: (key) => memoryCache.get(key) },
  "expiry-map": new ExpiryMap(ttl),
  "@isaacs/ttlcache": new TTLCache({ ttl }),
  "lru-cache": new LRUCache({ max: 10, ttl, ttlAutopurge: true }),
};
for (const [name, cache] of Object.entries(caches)) {
  warnings = 0;
  cache.set("key", "kept");
  await sleep(1_000);
  console.log(`${name}: ${cache.get("key") ?? "lost"}, timers too long: ${warnings > 50 ? "many" : warnings}`);
}
process.exit();
JS
seen=$(node --no-warnings seen.mjs)
echo "$seen"
[ "$seen" = 'memory-cache: lost, timers too long: 1
expiry-map: lost, timers too long: 1
@isaacs/ttlcache: kept, timers too long: 0
lru-cache: kept, timers too long: many' ]
