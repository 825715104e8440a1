#!/usr/bin/env bash
# An answer has `credits`, an `int64` or null, and a `date-time`. Two generators make a client of the description whose types say bigint and Date, with the options for that: 5, 0 and 9007199254740993 credits.
# Expected: 5n, 0n, 9007199254740993n and a Date; or no such type.
# Seen on 2026-11-29: @hey-api/openapi-ts 0.99.0 makes BigInts, but leaves 0 a number, since it asks `if (data.credits)` for null: `credits + 1n` throws for those who have none left, and for nobody else. The third is ...992n, a BigInt of a number that JSON.parse had rounded.
# orval 8.38.0 with `useBigInt` and `useDates` changes the types alone: what the compiler takes for bigint and Date is a number and a text, also where the client is its own, for fetch.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @hey-api/openapi-ts@0.99.0 orval@8.38.0 typescript@5.9.3 esbuild@0.28.2
npm pkg set type=module > /dev/null
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createClient } from "@hey-api/openapi-ts";
import { build } from "esbuild";
import { generate } from "orval";
let answer;
const server = createServer((_, response) => response.writeHead(200, { "content-type": "application/json" }).end(answer));
await once(server.listen(0, "127.0.0.1"), "listening");
const baseUrl = `http://127.0.0.1:${server.address().port}`;
const properties = {
  credits: { type: ["integer", "null"], format: "int64" },
  created: { type: "string", format: "date-time" },
};
const schema = { type: "object", required: ["credits", "created"], properties };
const responses = { 200: { description: "ok", content: { "application/json": { schema } } } };
writeFileSync("api.json", JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, paths: { "/account": { get: { operationId: "account", responses } } } }));
const print = console.log;
console.log = () => {};
const plugins = ["@hey-api/client-fetch", "@hey-api/typescript", { name: "@hey-api/transformers", dates: true, bigInt: true }, { name: "@hey-api/sdk", transformer: true }];
await createClient({ input: "./api.json", output: "./hey", plugins, logs: { level: "silent" } });
await build({ entryPoints: ["./hey/sdk.gen.ts"], bundle: true, format: "esm", platform: "node", outfile: "hey.mjs", logLevel: "silent" });
await generate({ input: "./api.json", output: { target: "./orval.ts", client: "fetch", baseUrl, override: { useDates: true, useBigInt: true } } });
console.log = print;
const hey = await import("./hey.mjs");
const orval = await import("./orval.ts");
const clients = { "@hey-api/openapi-ts": () => hey.account({ baseUrl }), orval: () => orval.account() };
for (const [name, get] of Object.entries(clients)) {
  const seen = [];
  for (const credits of ["5", "0", "9007199254740993"]) {
    answer = `{"credits":${credits},"created":"2026-11-29T10:00:00Z"}`;
    const { data } = await get();
    seen.push(`${credits} is ${typeof data.credits} ${data.credits} of ${data.created.constructor.name}`);
  }
  print(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node --no-warnings --experimental-transform-types seen.mjs | grep -v orval!)
echo "$seen"
[ "$seen" = '@hey-api/openapi-ts: 5 is bigint 5 of Date, 0 is number 0 of Date, 9007199254740993 is bigint 9007199254740992 of Date
orval: 5 is number 5 of String, 0 is number 0 of String, 9007199254740993 is number 9007199254740992 of String' ]
