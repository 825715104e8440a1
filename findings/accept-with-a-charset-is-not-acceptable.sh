#!/usr/bin/env bash
# A server has application/json and, second, text/plain. Which type do four libraries choose for `Accept: application/json; charset=utf-8`, which clients send that set both
# headers to one text, for two types of the same weight, and for `application/json;q=0, */*`?
# Expected: JSON, JSON, and the text: the parameter asks for something that JSON has no other form of, weights that are equal leave the choice to the server.
# Seen on 2026-11-29: negotiator 1.1.0 and accepts 2.0.0 (Express, Koa) find nothing for the charset, so a strict server answers 406. @hapi/accept 6.0.3 returns the client's
# text, `application/json;charset=utf-8`, which equals none of the server's types. hono 4.13.19 `accepts` does not read `*/*` and takes its default.
# For equal weights all but @hapi/accept take the one that the client names first.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts negotiator@1.1.0 accepts@2.0.0 @hapi/accept@6.0.3 hono@4.13.19
cat > seen.mjs <<'JS'
import hapi from "@hapi/accept";
import accepts from "accepts";
import { Hono } from "hono";
import { accepts as honoAccepts } from "hono/accepts";
import Negotiator from "negotiator";
const supports = ["application/json", "text/plain"];
const hono = new Hono().get("/", (c) => c.text(honoAccepts(c, { header: "Accept", supports, default: "the default" })));
const libraries = {
  negotiator: (accept) => new Negotiator({ headers: { accept } }).mediaType(supports),
  accepts: (accept) => accepts({ headers: { accept } }).type(supports),
  "@hapi/accept": (accept) => hapi.mediaType(accept, supports),
  hono: async (accept) => (await hono.request("/", { headers: { accept } })).text(),
};
for (const accept of ["application/json; charset=utf-8", "text/plain, application/json", "application/json;q=0, */*"]) {
  const seen = [];
  for (const [name, choose] of Object.entries(libraries)) seen.push(`${name} ${(await choose(accept)) || "nothing"}`);
  console.log(`${accept}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'application/json; charset=utf-8: negotiator nothing, accepts nothing, @hapi/accept application/json;charset=utf-8, hono application/json
text/plain, application/json: negotiator text/plain, accepts text/plain, @hapi/accept application/json, hono text/plain
application/json;q=0, */*: negotiator text/plain, accepts text/plain, @hapi/accept text/plain, hono the default' ]
