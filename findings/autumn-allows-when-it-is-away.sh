#!/usr/bin/env bash
# autumn-js 1.3.13: `check()` asks whether a customer may use a feature, `track()` counts a use; the service answers 503.
# Expected: an error from both, so that the caller decides. Seen on 2026-11-28, with default options: `check()` resolves with
# `allowed: true` and an empty customer, and `track()` with `value: 0`, after one request each; a line on the console is all that
# tells. So uses are given away and not counted while the service is away, unless the caller looks for the empty customer.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts autumn-js@1.3.13
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { Autumn } from "autumn-js";
let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  request.resume();
  response.writeHead(503, { "content-type": "application/json" }).end('{"message":"unavailable"}');
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const autumn = new Autumn({ secretKey: "am_sk_test_x", serverURL: `http://127.0.0.1:${server.address().port}` });
const { allowed, customerId } = await autumn.check({ customerId: "c", featureId: "f" });
const { value } = await autumn.track({ customerId: "c", featureId: "f", value: 1 });
console.log(JSON.stringify({ requests, allowed, customerId, value }));
process.exit();
JS
seen=$(node seen.mjs 2>/dev/null | tail -1)
echo "autumn-js 1.3.13: $seen"
[ "$seen" = '{"requests":2,"allowed":true,"customerId":"","value":0}' ]
