#!/usr/bin/env bash
# A list of ten paid calls, two at a time. The second one fails, "no credits", and the whole rejects. How many are made?
# Expected: two or three: no new call is begun for a result that nobody gets any more. All are made where the library says that it collects errors.
# Seen on 2026-11-29: p-map 7.1.1, p-all 5.0.1, p-props 6.1.0, async 3.2.6, bluebird 3.7.2, modern-async 2.0.4, extra-promise 7.1.1 and promise-pool-executor 2.0.0 stop. es-toolkit 1.53.2
# `mapAsync` with its `concurrency`, `limit.map` of p-limit 7.3.3 and `addAll` of p-queue 9.3.5 reject at once and make the seven other calls behind the caller's back, so
# whoever repeats the list on an error pays twice. radash 12.1.1 and @supercharge/promise-pool 3.3.0 make all ten and tell afterwards.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts p-map@7.1.1 p-all@5.0.1 p-props@6.1.0 async@3.2.6 bluebird@3.7.2 modern-async@2.0.4 extra-promise@7.1.1 \
  promise-pool-executor@2.0.0 es-toolkit@1.53.2 p-limit@7.3.3 p-queue@9.3.5 radash@12.1.1 @supercharge/promise-pool@3.3.0
cat > seen.mjs <<'JS'
import { setTimeout } from "node:timers/promises";
import { PromisePool } from "@supercharge/promise-pool";
import async from "async";
import bluebird from "bluebird";
import { mapAsync } from "es-toolkit";
import { map } from "extra-promise";
import { asyncMap } from "modern-async";
import pAll from "p-all";
import pLimit from "p-limit";
import pMap from "p-map";
import pProps from "p-props";
import PQueue from "p-queue";
import { PromisePoolExecutor } from "promise-pool-executor";
import { parallel } from "radash";
const ids = Array.from({ length: 10 }, (_, id) => id);
const libraries = {
  "p-map": (call) => pMap(ids, call, { concurrency: 2 }),
  "p-all": (call) => pAll(ids.map((id) => () => call(id)), { concurrency: 2 }),
  "p-props": (call) => pProps(Object.fromEntries(ids.map((id) => [`id${id}`, id])), (id) => call(id), { concurrency: 2 }),
  async: (call) => async.mapLimit(ids, 2, async (id) => call(id)),
  bluebird: (call) => bluebird.map(ids, call, { concurrency: 2 }),
  "modern-async": (call) => asyncMap(ids, call, 2),
  "extra-promise": (call) => map(ids, call, 2),
  "promise-pool-executor": (call) => new PromisePoolExecutor({ concurrencyLimit: 2 }).addEachTask({ data: ids, generator: (id) => call(id) }).promise(),
  "es-toolkit": (call) => mapAsync(ids, (id) => call(id), { concurrency: 2 }),
  "p-limit": (call) => pLimit(2).map(ids, call),
  "p-queue": (call) => new PQueue({ concurrency: 2 }).addAll(ids.map((id) => () => call(id))),
  radash: (call) => parallel(2, ids, call),
  "@supercharge/promise-pool": (call) => PromisePool.for(ids).withConcurrency(2).process(call),
};
for (const [name, run] of Object.entries(libraries)) {
  let made = 0;
  const call = async (id) => {
    made += 1;
    await setTimeout(5);
    if (id === 1) throw new Error("no credits");
    await setTimeout(5);
  };
  const end = await Promise.resolve(run(call)).then(() => "resolves", () => "rejects");
  const before = made === 10 ? "all" : "a part";
  await setTimeout(500);
  console.log(`${name}: ${end} when ${before} were made, ${made} in the end`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'p-map: rejects when a part were made, 2 in the end
p-all: rejects when a part were made, 2 in the end
p-props: rejects when a part were made, 2 in the end
async: rejects when a part were made, 2 in the end
bluebird: rejects when a part were made, 2 in the end
modern-async: rejects when a part were made, 2 in the end
extra-promise: rejects when a part were made, 2 in the end
promise-pool-executor: rejects when a part were made, 2 in the end
es-toolkit: rejects when a part were made, 10 in the end
p-limit: rejects when a part were made, 10 in the end
p-queue: rejects when a part were made, 10 in the end
radash: rejects when all were made, 10 in the end
@supercharge/promise-pool: resolves when all were made, 10 in the end' ]
