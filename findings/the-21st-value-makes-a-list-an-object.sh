#!/usr/bin/env bash
# A query with `id=` many times, `id=0&id=1&…`, read by qs 6.17.1, and by express 5.3.0 with its `extended` parser, which uses it.
# Expected: a list of them all, or an error above a limit. Seen on 2026-11-29: up to 20 values are a list; from 21 on they are an object with the keys 0, 1, 2…, so
# `Array.isArray` is false and `for … of` throws, without an error of qs. The same for `id[]=` and, with `comma: true`, for `id=0,1,2`. The
# option `arrayLimit`, which was known as a limit of the index in `id[99]=`, sets the 20. fast-querystring 1.1.2 (Fastify) has no limit.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts qs@6.17.1 express@5.3.0 fast-querystring@1.1.2
cat > seen.mjs <<'JS'
import { once } from "node:events";
import express from "express";
import fast from "fast-querystring";
import qs from "qs";
const app = express().set("query parser", "extended");
app.get("/", ({ query }, response) => response.json(query));
const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const readers = {
  qs: (query) => qs.parse(query),
  "qs, comma": (query) => qs.parse(query, { comma: true }),
  express: async (query) => (await fetch(`http://127.0.0.1:${server.address().port}/?${query}`)).json(),
  "fast-querystring": (query) => fast.parse(query),
};
const kind = (value) => `${Array.isArray(value) ? "list" : typeof value} of ${Object.keys(value).length}`;
for (const [name, read] of Object.entries(readers)) {
  const seen = [20, 21].map(async (count) => {
    const ids = Array.from({ length: count }, (_, index) => index);
    return kind((await read(name.endsWith("comma") ? `id=${ids.join(",")}` : ids.map((id) => `id=${id}`).join("&"))).id);
  });
  console.log(`${name}: ${(await Promise.all(seen)).join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'qs: list of 20, object of 21
qs, comma: list of 20, object of 21
express: list of 20, object of 21
fast-querystring: list of 20, list of 21' ]
