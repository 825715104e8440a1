#!/usr/bin/env bash
# `z.compile` of zod 4.6.7, new in 4.6: a schema with a refinement, a transform and a default that is a function, each of which counts its calls.
# Expected: results as without it, and each function is called once for one value, as without it.
# Seen on 2026-11-29: for a valid value once. For an invalid one the compiled code gives up at the first mistake and the whole schema runs again to collect the issues, so the functions of the fields before it
# run twice. A refinement that looks something up, counts or draws an id does so twice for bad input.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts zod@4.6.7
cat > seen.mjs <<'JS'
import { z } from "zod";
let counts;
const count = (name) => (counts[name] = (counts[name] ?? 0) + 1);
const schema = z.object({
  key: z.string().refine(() => count("refine")),
  text: z.string().transform((text) => (count("transform"), text)),
  id: z.number().default(() => count("default")),
  size: z.number(),
});
for (const [name, each] of Object.entries({ plain: schema, compiled: z.compile(schema) })) {
  for (const size of [5, "large"]) {
    counts = {};
    const { success } = each.safeParse({ key: "k", text: "t", size });
    console.log(`${name}, ${success ? "valid" : "invalid"}: ${Object.entries(counts).map((entry) => entry.join(" ")).join(", ")}`);
  }
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'plain, valid: refine 1, transform 1, default 1
plain, invalid: refine 1, transform 1, default 1
compiled, valid: refine 1, transform 1, default 1
compiled, invalid: refine 2, transform 2, default 2' ]
