#!/usr/bin/env bash
# A quota of 10 points, of which 8 are used: a call that costs 5 is refused, then one comes that costs 2.
# Expected: the refused call takes nothing, and the small one passes. Seen on 2026-11-29: in rate-limiter-flexible 11.4.0 `consume()` adds the points first and
# compares afterwards, so the refused call counts 5, and the small one is refused as well, until the window ends. limiter 4.1.0
# `tryRemoveTokens()` takes nothing when it refuses. Who sells calls of different prices has to ask with `get()` first.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts rate-limiter-flexible@11.4.0 limiter@4.1.0
cat > seen.mjs <<'JS'
import { RateLimiter } from "limiter";
import { RateLimiterMemory } from "rate-limiter-flexible";
const flexible = new RateLimiterMemory({ points: 10, duration: 3_600 });
const limiter = new RateLimiter({ tokensPerInterval: 10, interval: "hour" });
const quotas = {
  "rate-limiter-flexible": (points) => flexible.consume("ann", points).then(() => true, () => false),
  limiter: async (points) => limiter.tryRemoveTokens(points),
};
for (const [name, take] of Object.entries(quotas)) {
  const answers = [];
  for (const points of [8, 5, 2]) answers.push(`${points} ${(await take(points)) ? "passes" : "refused"}`);
  console.log(`${name}: ${answers.join(", ")}`);
}
console.log(`counted: ${(await flexible.get("ann")).consumedPoints}`);
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'rate-limiter-flexible: 8 passes, 5 refused, 2 refused
limiter: 8 passes, 5 refused, 2 passes
counted: 15' ]
