#!/usr/bin/env bash
# A Worker of Cloudflare keeps reports: a job makes one, goes wrong and has undefined, null or NaN in its hand. It is put into R2 in place of the report of before, into KV, and on a queue, with a Map of totals, bytes and an Error as well;
# miniflare 4.20260730.0, whose workerd is the one of production.
# Expected: an error, as R2 and KV have it for an object, and as D1 has it for undefined; and the report of before is still there.
# Seen on 2026-11-30: R2 stores an empty object for undefined and for null, so the report of before is gone and the next reader finds a file without a row; for NaN and for an object it throws. KV stores the texts "undefined", "null" and
# "NaN", and throws for an object alone. A queue sends JSON, so a Map and an Error arrive as `{}`, bytes as an object with a member for each and NaN as null, with no error; `send(body, { contentType: "v8" })` keeps all of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts miniflare@4.20260730.0
cat > seen.mjs <<'JS'
import { Miniflare } from "miniflare";
const script = `
  const got = {};
  const show = (value) => (value instanceof Uint8Array ? "bytes" : value instanceof Map ? "Map" : value instanceof Error ? value.message : JSON.stringify(value));
  export default {
    async fetch(request, { KV, R2, QUEUE }) {
      if (request.url.endsWith("/queue")) return Response.json(got);
      const seen = {};
      const tell = async (name, put, read) => {
        try {
          await put();
          seen[name] = await read();
        } catch {
          seen[name] = "an error";
        }
      };
      for (const [name, value] of [["undefined", undefined], ["null", null], ["NaN", NaN], ["an object", {}]]) {
        await R2.put("report", "1,2,3");
        await tell("R2, " + name, () => R2.put("report", value), async () => JSON.stringify(await (await R2.get("report")).text()));
        await tell("KV, " + name, () => KV.put("report", value), async () => JSON.stringify(await KV.get("report")));
      }
      for (const [name, value] of [["Map", new Map([["credits", 5]])], ["bytes", new Uint8Array([1, 2])], ["Error", new Error("no credits")], ["NaN", NaN]]) await QUEUE.send({ name, value });
      return Response.json(seen);
    },
    async queue({ messages }) {
      for (const { body } of messages) got[body.name] = show(body.value);
    },
  };`;
const miniflare = new Miniflare({ modules: true, script, kvNamespaces: ["KV"], r2Buckets: ["R2"], queueProducers: { QUEUE: "reports" }, queueConsumers: { reports: { maxBatchTimeout: 0 } }, compatibilityDate: "2026-07-01" });
const ask = async (path) => (await miniflare.dispatchFetch(`http://localhost${path}`)).json();
for (const [name, seen] of Object.entries(await ask("/"))) console.log(`${name}: ${seen}`);
let got = {};
while (Object.keys(got).length < 4) got = await ask("/queue");
for (const name of Object.keys(got).sort()) console.log(`queue, ${name}: ${got[name]}`);
await miniflare.dispose();
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = 'R2, undefined: ""
KV, undefined: "undefined"
R2, null: ""
KV, null: "null"
R2, NaN: an error
KV, NaN: "NaN"
R2, an object: an error
KV, an object: an error
queue, Error: {}
queue, Map: {}
queue, NaN: null
queue, bytes: {"0":1,"1":2}' ]
