#!/usr/bin/env bash
# A function of two arguments, price(account, tool), and one of a Set of tools, memoized by fourteen libraries. What do the second calls return?
# Expected: the price for the arguments of the call: all of them belong to the key, and two Sets with other members are not equal.
# Seen on 2026-11-29: memoize 10.2.0, p-memoize 8.0.0 and lodash 4.18.1 look at the first argument alone, so each tool has the price of the tool asked for first. `memoize` of es-toolkit 1.53.2 does not
# even hand on the second one. radash 12.1.1, fast-memoize 2.5.2, @formatjs/fast-memoize 3.1.7, async-cache-dedupe 3.4.0 and cacheable 2.5.0 write the
# arguments as JSON, in which every Set and every Map is `{}`: any set has the price of the first. memoizee 0.4.17, moize 6.1.7, micro-memoize 5.2.0, memoize-one 6.0.0 and nano-memoize 3.0.16 are right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts memoize@10.2.0 p-memoize@8.0.0 lodash@4.18.1 es-toolkit@1.53.2 radash@12.1.1 fast-memoize@2.5.2 \
  @formatjs/fast-memoize@3.1.7 async-cache-dedupe@3.4.0 cacheable@2.5.0 memoizee@0.4.17 moize@6.1.7 micro-memoize@5.2.0 memoize-one@6.0.0 nano-memoize@3.0.16
cat > seen.mjs <<'JS'
import { memoize as formatjs } from "@formatjs/fast-memoize";
import { createCache } from "async-cache-dedupe";
import { Cacheable } from "cacheable";
import { memoize as toolkit } from "es-toolkit";
import fastMemoize from "fast-memoize";
import lodash from "lodash";
import memoize from "memoize";
import memoizeOne from "memoize-one";
import memoizee from "memoizee";
import { memoize as micro } from "micro-memoize";
import moize from "moize";
import nano from "nano-memoize";
import pMemoize from "p-memoize";
import { memo } from "radash";
const libraries = {
  memoize,
  "p-memoize": pMemoize,
  lodash: lodash.memoize,
  "es-toolkit": toolkit,
  radash: (price) => memo(price),
  "fast-memoize": (price) => fastMemoize(price),
  "@formatjs/fast-memoize": (price) => formatjs(price),
  "async-cache-dedupe": (price) => {
    const cache = createCache({ ttl: 100, storage: { type: "memory" } });
    cache.define("price", (values) => price(...values));
    return (...values) => cache.price(values);
  },
  cacheable: (price) => new Cacheable().wrap(price, { ttl: "1h", keyPrefix: "price" }),
  memoizee,
  moize: moize.default ?? moize,
  "micro-memoize": (price) => micro(price),
  "memoize-one": memoizeOne.default ?? memoizeOne,
  "nano-memoize": nano.nanomemoize ?? nano.default ?? nano,
};
for (const [name, keep] of Object.entries(libraries)) {
  const price = keep(async (account, tool) => `price of ${tool} for ${account}`);
  await price("ann", "hash");
  const sum = keep(async (tools) => [...tools].join("+"));
  await sum(new Set(["hash"]));
  console.log(`${name}: ${await price("ann", "qr")}, sum of ${await sum(new Set(["qr"]))}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'memoize: price of hash for ann, sum of qr
p-memoize: price of hash for ann, sum of qr
lodash: price of hash for ann, sum of qr
es-toolkit: price of undefined for ann, sum of qr
radash: price of qr for ann, sum of hash
fast-memoize: price of qr for ann, sum of hash
@formatjs/fast-memoize: price of qr for ann, sum of hash
async-cache-dedupe: price of qr for ann, sum of hash
cacheable: price of qr for ann, sum of hash
memoizee: price of qr for ann, sum of qr
moize: price of qr for ann, sum of qr
micro-memoize: price of qr for ann, sum of qr
memoize-one: price of qr for ann, sum of qr
nano-memoize: price of qr for ann, sum of qr' ]
