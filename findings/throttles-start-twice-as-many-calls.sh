#!/usr/bin/env bash
# Libraries that keep a client below the rate limit of a service, set to 10 calls a second. One call comes first, 39 more come 0.95 s later, on a simulated clock.
# Expected: in no second start more than 10.
# Seen on 2026-11-29: p-throttle 8.1.1, p-queue 10.0.0, bottleneck 2.19.5, limiter 4.1.0 and throttled-queue 3.0.0 start 19 within a second, since they count in fixed windows, and
# axios-rate-limit 1.9.0 all 39 that waited. A service that counts in a sliding window or with a bucket answers with 429. p-throttle and p-queue with `strict: true`,
# async-sema 3.1.1 and p-ratelimit 1.0.1 keep to 10.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @sinonjs/fake-timers@15.5.0 p-throttle@8.1.1 p-queue@10.0.0 bottleneck@2.19.5 limiter@4.1.0 \
  async-sema@3.1.1 p-ratelimit@1.0.1 \
  throttled-queue@3.0.0 axios-rate-limit@1.9.0 axios@1.21.1
cat > seen.mjs <<'JS'
import { install } from "@sinonjs/fake-timers";
import { RateLimit } from "async-sema";
import axios from "axios";
import rateLimit from "axios-rate-limit";
import Bottleneck from "bottleneck";
import { RateLimiter } from "limiter";
import PQueue from "p-queue";
import { pRateLimit } from "p-ratelimit";
import pThrottle from "p-throttle";
import { throttledQueue } from "throttled-queue";
const libraries = {
  "p-throttle": () => pThrottle({ limit: 10, interval: 1_000 })((call) => call()),
  "p-throttle, strict": () => pThrottle({ limit: 10, interval: 1_000, strict: true })((call) => call()),
  "p-queue": () => {
    const queue = new PQueue({ intervalCap: 10, interval: 1_000 });
    return (call) => queue.add(call);
  },
  bottleneck: () => {
    const bottleneck = new Bottleneck({ reservoir: 10, reservoirRefreshAmount: 10, reservoirRefreshInterval: 1_000 });
    return (call) => bottleneck.schedule(async () => call());
  },
  limiter: () => {
    const limiter = new RateLimiter({ tokensPerInterval: 10, interval: "second" });
    return async (call) => {
      await limiter.removeTokens(1);
      call();
    };
  },
  "async-sema": () => {
    const wait = RateLimit(10);
    return async (call) => {
      await wait();
      call();
    };
  },
  "throttled-queue": () => throttledQueue({ maxPerInterval: 10, interval: 1_000 }),
  "axios-rate-limit": () => {
    const adapter = async (config) => {
      config.call();
      return { config, data: "", headers: {}, status: 200 };
    };
    const client = rateLimit(axios.create({ adapter }), { maxRequests: 10, perMilliseconds: 1_000 });
    return (call) => client.get("/", { call });
  },
  "p-ratelimit": () => {
    const limit = pRateLimit({ interval: 1_000, rate: 10 });
    return (call) => limit(async () => call());
  },
};
for (const [name, make] of Object.entries(libraries)) {
  const clock = install({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"] });
  const starts = [];
  const throttled = make();
  for (let call = 0; call < 40; call += 1) setTimeout(() => throttled(() => starts.push(Date.now())), call === 0 ? 0 : 950);
  for (let time = 0; time < 10_000; time += 5) await clock.tickAsync(5);
  clock.uninstall();
  const most = Math.max(...starts.map((start) => starts.filter((each) => each >= start && each < start + 1_000).length));
  console.log(`${name}: ${starts.length} calls, up to ${most} in a second`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'p-throttle: 40 calls, up to 19 in a second
p-throttle, strict: 40 calls, up to 10 in a second
p-queue: 40 calls, up to 19 in a second
bottleneck: 40 calls, up to 19 in a second
limiter: 40 calls, up to 19 in a second
async-sema: 40 calls, up to 10 in a second
throttled-queue: 40 calls, up to 19 in a second
axios-rate-limit: 40 calls, up to 39 in a second
p-ratelimit: 40 calls, up to 10 in a second' ]
