#!/usr/bin/env bash
# A POST with an Idempotency-Key is sent twice to two libraries that keep the first answer (Express 5.3.0): as it was, with another body, with the members of its JSON in another order, and after the first try got 503.
# Expected: the first answer with its headers; 422 for another body (the draft of the header); the first answer for another order, since it is the same JSON, or 422; and a new run after 503, which is what the client asks for by trying again.
# Seen on 2026-11-29: express-idempotency 1.0.6 repeats status and body without the headers, so Location and what was charged are lost, and answers 417 to another body. @node-idempotency/core 1.0.11 keeps the 503 for its 24 hours: each try gets
# it again, and the call is never made, unless the caller leaves failures out. To it the members in another order are another request, so a client that writes its JSON anew gets an error.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts express@5.3.0 express-idempotency@1.0.6 @node-idempotency/core@1.0.11 \
  @node-idempotency/storage-adapter-memory@1.0.2
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { Idempotency } from "@node-idempotency/core";
import { MemoryStorageAdapter } from "@node-idempotency/storage-adapter-memory";
import express from "express";
import idempotency from "express-idempotency";
let runs = 0;
const handle = ({ body }) => {
  runs += 1;
  return body.fails && runs === 1 ? { status: 503, headers: {} } : { status: 201, headers: { location: "/calls/1", "x-credits": "5" } };
};
const first = express().use(express.json(), idempotency.idempotency()).post("/", (request, response) => {
  if (idempotency.getSharedIdempotencyService().isHit(request)) return;
  const { status, headers } = handle(request);
  response.status(status).set(headers).json({});
});
const store = new Idempotency(new MemoryStorageAdapter());
const second = express().use(express.json()).post("/", async (request, response) => {
  const { headers, path, body, method } = request;
  const params = { headers, path, body, method };
  const kept = await store.onRequest(params).catch((error) => ({ statusCode: 422, body: error.code }));
  if (kept) return response.status(kept.statusCode).set(kept.additional).json(kept.body ?? {});
  const { status, headers: additional } = handle(request);
  await store.onResponse(params, { statusCode: status, additional, ...(status < 400 ? { body: {} } : { error: {} }) });
  response.status(status).set(additional).json({});
});
for (const [name, app] of [["express-idempotency", first], ["@node-idempotency/core", second]]) {
  const server = app.use((error, _request, response, _next) => response.sendStatus(error.status ?? response.statusCode)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const post = async (key, body) => {
    const headers = { "content-type": "application/json", "idempotency-key": key };
    const response = await fetch(`http://127.0.0.1:${server.address().port}/`, { method: "POST", headers, body });
    return `${response.status}${response.headers.has("x-credits") ? " with headers" : ""}`;
  };
  const cases = { "a repeat": ["{}", "{}"], "another body": [`{"a":1}`, `{"a":2}`], "members in another order": [`{"a":1,"b":2}`, `{"b":2,"a":1}`], "after 503": [`{"fails":true}`, `{"fails":true}`] };
  for (const [what, [one, two]] of Object.entries(cases)) {
    runs = 0;
    console.log(`${name}, ${what}: ${await post(what, one)}, then ${await post(what, two)}, ${runs} runs`);
  }
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'express-idempotency, a repeat: 201 with headers, then 201, 1 runs
express-idempotency, another body: 201 with headers, then 417, 1 runs
express-idempotency, members in another order: 201 with headers, then 201, 1 runs
express-idempotency, after 503: 503, then 201 with headers, 2 runs
@node-idempotency/core, a repeat: 201 with headers, then 201 with headers, 1 runs
@node-idempotency/core, another body: 201 with headers, then 422, 1 runs
@node-idempotency/core, members in another order: 201 with headers, then 422, 1 runs
@node-idempotency/core, after 503: 503, then 503, 1 runs' ]
