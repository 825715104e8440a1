#!/usr/bin/env bash
# hono 4.13.19: the result of its `html` template, typed as a string with two more members.
# Expected: a string, as its type says: equal to the same text, and found as a key of a Map.
# Seen on 2026-11-28: a String object. `typeof` says object, two equal results are not equal, and neither finds the other's key, while
# TypeScript accepts all of it. `raw` returns one too.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts hono@4.13.19 typescript@5.9.3
cat > compare.mts <<'TS'
import { html, raw } from "hono/html";
const one = await html`<b>x</b>`;
const text: string = one;
const kept = new Map<string, number>([[text, 1]]);
const seen = [
  typeof one,
  typeof raw("x"),
  one === (await html`<b>x</b>`),
  kept.has("<b>x</b>"),
  String(one) === "<b>x</b>",
];
console.log(`hono 4.13.19: ${seen.join(", ")}`);
const isSeen = seen.join() === "object,object,false,false,true";
if (!isSeen) throw new Error("It has changed");
TS
npx tsc --strict --skipLibCheck --target es2022 --module nodenext --lib es2023,dom compare.mts
node compare.mjs
