#!/usr/bin/env bash
# `Cache-Control` in forms that RFC 9111 has a recipient accept: directives have no case, and `max-age` may stand in quotes, which a sender should not write. Five readers, of
# which http-cache-semantics decides for got and others what is kept.
# Expected: 60 seconds in all.
# Seen on 2026-11-30: http-cache-semantics 4.3.0 does not know `Max-Age=60`: the answer is not kept. parse-cache-control 1.0.1 reads nothing of it, nor of a list with an empty
# element, which RFC 9110 allows. cache-control-parser 2.2.0 and cache-parser 1.2.6 do not read the quotes. @tusbar/cache-control 3.0.1 reads all.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts http-cache-semantics@4.3.0 parse-cache-control@1.0.1 cache-control-parser@2.2.0 cache-parser@1.2.6 @tusbar/cache-control@3.0.1
cat > seen.mjs <<'JS'
import * as tusbar from "@tusbar/cache-control";
import cacheControlParser from "cache-control-parser";
import cacheParser from "cache-parser";
import CachePolicy from "http-cache-semantics";
import parseCacheControl from "parse-cache-control";
const readers = {
  "http-cache-semantics": (text) => new CachePolicy({ method: "GET", url: "/", headers: {} }, { status: 200, headers: { "cache-control": text } }, { shared: false }).timeToLive() / 1000,
  "parse-cache-control": (text) => parseCacheControl(text)?.["max-age"],
  "cache-control-parser": (text) => cacheControlParser.parse(text)["max-age"],
  "cache-parser": (text) => cacheParser.parse(text).maxAge,
  "@tusbar/cache-control": (text) => tusbar.parse(text).maxAge,
};
const headers = ["public, max-age=60", "Public, Max-Age=60", 'max-age="60"', "public,, max-age=60"];
for (const [name, read] of Object.entries(readers)) console.log(`${name}: ${headers.map((text) => `${text}: ${Math.round(read(text) ?? NaN)}`).join("; ")}`);
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = 'http-cache-semantics: public, max-age=60: 60; Public, Max-Age=60: 0; max-age="60": 60; public,, max-age=60: 60
parse-cache-control: public, max-age=60: 60; Public, Max-Age=60: NaN; max-age="60": 60; public,, max-age=60: NaN
cache-control-parser: public, max-age=60: 60; Public, Max-Age=60: 60; max-age="60": NaN; public,, max-age=60: 60
cache-parser: public, max-age=60: 60; Public, Max-Age=60: 60; max-age="60": NaN; public,, max-age=60: 60
@tusbar/cache-control: public, max-age=60: 60; Public, Max-Age=60: 60; max-age="60": 60; public,, max-age=60: 60' ]
