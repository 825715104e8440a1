#!/usr/bin/env bash
# UUIDs of version 7 are used as keys and cursors because they sort by creation. 200 ids in one millisecond, 200 with a time of the caller's own, and one after the clock was
# set back by a second and by 30 seconds (a simulated clock), from five writers.
# Expected: in order, as RFC 9562 (6.2) describes for one writer, and for the time of the caller's own at least in each library that has a counter.
# Seen on 2026-11-29: within a millisecond all are in order. uuid 14.0.3 and @kripod/uuidv7 0.3.4 stay in order after both steps. uuidv7 1.2.1, and typeid-js 1.2.0 which uses it, start again
# from the earlier time when the clock is more than ten seconds back, and `v6()` of uuid in both cases. `v7({ msecs })`, for rows with a time of their own, has no counter:
# ids of one millisecond are in no order.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts uuid@14.0.3 uuidv7@1.2.1 @kripod/uuidv7@0.3.4 typeid-js@1.2.0
cat > seen.mjs <<'JS'
import { uuidv7 as kripod } from "@kripod/uuidv7";
import { typeidUnboxed } from "typeid-js";
import { v6, v7 } from "uuid";
import { uuidv7 } from "uuidv7";
let now = Date.now();
Date.now = () => now;
const outOfOrder = (ids) => ids.filter((id, index) => index > 0 && id <= ids[index - 1]).length;
const writers = { "uuid v7": () => v7(), "uuid v6": () => v6(), uuidv7, "@kripod/uuidv7": () => kripod(), "typeid-js": () => typeidUnboxed("call") };
for (const [name, write] of Object.entries(writers)) {
  const within = outOfOrder(Array.from({ length: 200 }, write));
  const back = [1_000, 30_000].map((step) => {
    now += 60_000;
    const before = write();
    now -= step;
    return `${step / 1_000} s back ${write() > before ? "in order" : "before"}`;
  });
  console.log(`${name}: ${within} out of order in a millisecond, ${back.join(", ")}`);
}
const own = outOfOrder(Array.from({ length: 200 }, () => v7({ msecs: now })));
console.log(`uuid v7 with msecs: ${own > 0 ? "out of order" : "in order"}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'uuid v7: 0 out of order in a millisecond, 1 s back in order, 30 s back in order
uuid v6: 0 out of order in a millisecond, 1 s back before, 30 s back before
uuidv7: 0 out of order in a millisecond, 1 s back in order, 30 s back before
@kripod/uuidv7: 0 out of order in a millisecond, 1 s back in order, 30 s back in order
typeid-js: 0 out of order in a millisecond, 1 s back in order, 30 s back before
uuid v7 with msecs: out of order' ]
