#!/usr/bin/env bash
# A call that fails each time, for instance one that costs credits, with an option for three attempts in twelve libraries. How often is it made?
# Expected: three times where the option counts attempts or times, four times where it counts retries.
# Seen on 2026-11-29: options called `retries` mean four calls in all of them. Those that count attempts differ: cockatiel 4.0.0 `maxAttempts: 3`, @better-fetch/fetch 1.3.3 `attempts: 3`, up-fetch 2.6.1
# `attempts: 3` and effect 4.1.0 `times: 3` make four calls; exponential-backoff 3.1.3, @lifeomic/attempt 3.1.0, async 3.2.6, retry-as-promised 7.1.1 and
# ts-retry 7.0.3 make three.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps cockatiel@4.0.0 @better-fetch/fetch@1.3.3 up-fetch@2.6.1 effect@4.1.0 \
  exponential-backoff@3.1.3 @lifeomic/attempt@3.1.0 async@3.2.6 retry-as-promised@7.1.1 ts-retry@7.0.3 p-retry@9.0.0 async-retry@1.3.3 es-toolkit@1.53.2
cat > seen.mjs <<'JS'
import { createFetch } from "@better-fetch/fetch";
import { retry as attempt } from "@lifeomic/attempt";
import async from "async";
import asyncRetry from "async-retry";
import { ConstantBackoff, handleAll, retry as cockatiel } from "cockatiel";
import { Effect } from "effect";
import { retry as toolkit } from "es-toolkit";
import { backOff } from "exponential-backoff";
import pRetry from "p-retry";
import retryAsPromised from "retry-as-promised";
import { retryAsync } from "ts-retry";
import { up } from "up-fetch";
let calls = 0;
const call = async () => {
  calls += 1;
  throw new Error("busy");
};
const busy = async () => {
  calls += 1;
  return new Response("", { status: 503 });
};
const url = "http://127.0.0.1/";
const libraries = {
  "cockatiel maxAttempts": () => cockatiel(handleAll, { maxAttempts: 3, backoff: new ConstantBackoff(1) }).execute(call),
  "@better-fetch/fetch attempts": async () => {
    const { error } = await createFetch({ customFetchImpl: busy })(url, { retry: { type: "linear", attempts: 3, delay: 1 } });
    throw error;
  },
  "up-fetch attempts": () => up(busy)(url, { retry: { attempts: 3, delay: 1 } }),
  "effect times": () => Effect.runPromise(Effect.retry(Effect.tryPromise(call), { times: 3 })),
  "exponential-backoff numOfAttempts": () => backOff(call, { numOfAttempts: 3, startingDelay: 1 }),
  "@lifeomic/attempt maxAttempts": () => attempt(call, { maxAttempts: 3, delay: 1 }),
  "async times": () => async.retry({ times: 3, interval: 1 }, call),
  "retry-as-promised max": () => (retryAsPromised.default ?? retryAsPromised)(call, { max: 3, backoffBase: 1 }),
  "ts-retry maxTry": () => retryAsync(call, { maxTry: 3, delay: 1 }),
  "p-retry retries": () => pRetry(call, { retries: 3, minTimeout: 1 }),
  "async-retry retries": () => asyncRetry(call, { retries: 3, minTimeout: 1, maxTimeout: 1 }),
  "es-toolkit retries": () => toolkit(call, { retries: 3, delay: 1 }),
};
for (const [name, run] of Object.entries(libraries)) {
  calls = 0;
  await run().catch(() => {});
  console.log(`${name}: 3: ${calls} calls`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'cockatiel maxAttempts: 3: 4 calls
@better-fetch/fetch attempts: 3: 4 calls
up-fetch attempts: 3: 4 calls
effect times: 3: 4 calls
exponential-backoff numOfAttempts: 3: 3 calls
@lifeomic/attempt maxAttempts: 3: 3 calls
async times: 3: 3 calls
retry-as-promised max: 3: 3 calls
ts-retry maxTry: 3: 3 calls
p-retry retries: 3: 4 calls
async-retry retries: 3: 4 calls
es-toolkit retries: 3: 4 calls' ]
