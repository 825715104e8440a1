#!/usr/bin/env bash
# hono 4.13.19: the routes `/docs` and `/docs/:page`, asked for with a slash at the end, under its four routers.
# Expected: the same from all, since a router is chosen for its speed; and `new Hono({ router })` of each preset uses the router it is given.
# Seen on 2026-11-29: `/docs/` and `/docs/first/` are not found by RegExpRouter and TrieRouter, and found by LinearRouter and PatternRouter. hono/tiny ignores
# the option and always has a PatternRouter, hono/quick a SmartRouter, while their types accept it. So a change of preset, say for a smaller
# Worker, changes which addresses exist.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts hono@4.13.19
cat > seen.mjs <<'JS'
import { Hono } from "hono";
import { Hono as Quick } from "hono/quick";
import { LinearRouter } from "hono/router/linear-router";
import { PatternRouter } from "hono/router/pattern-router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { TrieRouter } from "hono/router/trie-router";
import { Hono as Tiny } from "hono/tiny";
for (const Router of [RegExpRouter, TrieRouter, LinearRouter, PatternRouter]) {
  const app = new Hono({ router: new Router() });
  app.get("/docs", (c) => c.text("all")).get("/docs/:page", (c) => c.text(c.req.param("page")));
  const answers = [];
  for (const path of ["/docs", "/docs/", "/docs/first", "/docs/first/"]) {
    answers.push(`${path} ${(await app.request(path)).status}`);
  }
  console.log(`${app.router.name}: ${answers.join(", ")}`);
}
const given = (Preset) => new Preset({ router: new TrieRouter() }).router.name;
console.log(`given a TrieRouter: hono ${given(Hono)}, tiny ${given(Tiny)}, quick ${given(Quick)}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'RegExpRouter: /docs 200, /docs/ 404, /docs/first 200, /docs/first/ 404
TrieRouter: /docs 200, /docs/ 404, /docs/first 200, /docs/first/ 404
LinearRouter: /docs 200, /docs/ 200, /docs/first 200, /docs/first/ 200
PatternRouter: /docs 200, /docs/ 200, /docs/first 200, /docs/first/ 200
given a TrieRouter: hono TrieRouter, tiny PatternRouter, quick SmartRouter' ]
