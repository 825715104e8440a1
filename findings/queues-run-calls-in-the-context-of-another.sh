#!/usr/bin/env bash
# Three requests, each with its id in an AsyncLocalStorage as loggers and OpenTelemetry keep it, give a call to a queue that runs one at a time. Which id does each call see?
# Expected: that of its own request, since the call was given within it.
# Seen on 2026-11-29: with bottleneck 2.19.5, async 3.2.6 `queue` and p-ratelimit 1.0.1 the calls that wait run as request a, whose call went before: the queue starts them when that
# one ends, and so in its context. Logs, traces and accounts read from the storage are another customer's. p-limit 7.3.3, p-queue 10.0.0, p-throttle 8.1.1,
# limiter 4.1.0 and async-sema 3.1.1 keep the context. `AsyncResource.bind(call)` helps.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts p-limit@7.3.3 bottleneck@2.19.5 async@3.2.6 p-ratelimit@1.0.1 p-queue@10.0.0 p-throttle@8.1.1 \
  limiter@4.1.0 async-sema@3.1.1 \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import async from "async";
import { Sema } from "async-sema";
import Bottleneck from "bottleneck";
import { RateLimiter } from "limiter";
import pLimit from "p-limit";
import PQueue from "p-queue";
import { pRateLimit } from "p-ratelimit";
import pThrottle from "p-throttle";
const requestId = new AsyncLocalStorage();
const bottleneck = new Bottleneck({ maxConcurrent: 1 });
const asyncQueue = async.queue(async (call) => call(), 1);
const queue = new PQueue({ concurrency: 1 });
const limiter = new RateLimiter({ tokensPerInterval: 50, interval: "second" });
const sema = new Sema(1);
const queues = {
  "p-limit": pLimit(1),
  bottleneck: (call) => bottleneck.schedule(call),
  async: (call) => asyncQueue.pushAsync(call),
  "p-ratelimit": pRateLimit({ concurrency: 1 }),
  "p-queue": (call) => queue.add(call),
  "p-throttle": pThrottle({ limit: 1, interval: 20 })((call) => call()),
  limiter: async (call) => {
    await limiter.removeTokens(1);
    return call();
  },
  "async-sema": async (call) => {
    await sema.acquire();
    return call().finally(() => sema.release());
  },
};
for (const [name, add] of Object.entries(queues)) {
  const call = async () => {
    const id = requestId.getStore();
    await sleep(20);
    return id;
  };
  const seen = await Promise.all(["a", "b", "c"].map((id) => requestId.run(id, () => add(call))));
  console.log(`${name}: requests a, b, c see ${seen.join(", ")}`);
}
process.exit();
JS
seen=$("$node" seen.mjs)
echo "$seen"
[ "$seen" = 'p-limit: requests a, b, c see a, b, c
bottleneck: requests a, b, c see a, a, a
async: requests a, b, c see a, a, a
p-ratelimit: requests a, b, c see a, a, a
p-queue: requests a, b, c see a, b, c
p-throttle: requests a, b, c see a, b, c
limiter: requests a, b, c see a, b, c
async-sema: requests a, b, c see a, b, c' ]
