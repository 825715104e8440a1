#!/usr/bin/env bash
# A dashboard listens to server-sent events. The server is deployed anew: once it answers 503 with `Retry-After: 1`, or 429; another time it only closes the stream, with `retry: 300` set. Does the reader come back?
# Expected: each time, since coming back by itself is what server-sent events are for, and both answers say that they pass.
# Seen on 2026-11-29: eventsource 5.1.5, undici 8.13.1 `EventSource` and extended-eventsource 2.1.0 come back after a closed stream, and after one 503 or 429 never again, as the HTML standard has it for every
# status but 200: a page that was open during a deployment stays still until it is loaded again. launchdarkly-eventsource 2.2.0 comes back after 503 and not after 429. @microsoft/fetch-event-source
# 2.0.1 comes back after both, and takes a closed stream for its end. Only eventsource-client 1.2.0 comes back each time.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts eventsource@5.1.5 undici@8.13.1 extended-eventsource@2.1.0 eventsource-client@1.2.0 launchdarkly-eventsource@2.2.0 \
  @microsoft/fetch-event-source@2.0.1
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";
import { fetchEventSource } from "@microsoft/fetch-event-source";
import { EventSource } from "eventsource";
import { createEventSource } from "eventsource-client";
import { EventSource as Extended } from "extended-eventsource";
import * as launchDarkly from "launchdarkly-eventsource";
import { EventSource as Undici } from "undici";
const requests = {};
const server = createServer(({ url }, response) => {
  requests[url] = (requests[url] ?? 0) + 1;
  const [, status] = url.split("/");
  if (requests[url] === 1 && status !== "200") return response.writeHead(Number(status), { "retry-after": "1" }).end();
  response.writeHead(200, { "content-type": "text/event-stream" }).write("retry: 300\ndata: hello\n\n");
  if (requests[url] === 1) response.end();
});
await once(server.listen(0, "127.0.0.1"), "listening");
globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
globalThis.window = globalThis;
for (const name of ["log", "warn", "error"]) globalThis.console[name] = () => {};
const opened = (source) => {
  source.onerror = () => {};
};
const readers = {
  eventsource: (url) => opened(new EventSource(url)),
  undici: (url) => opened(new Undici(url)),
  "extended-eventsource": (url) => opened(new Extended(url)),
  "eventsource-client": (url) => createEventSource({ url, onMessage() {} }),
  "launchdarkly-eventsource": (url) => opened(new launchDarkly.EventSource(url)),
  "@microsoft/fetch-event-source": (url) => fetchEventSource(url, { openWhenHidden: true, onmessage() {} }),
};
for (const [name, listen] of Object.entries(readers)) for (const status of [503, 429, 200]) listen(`http://127.0.0.1:${server.address().port}/${status}/${name}`);
await setTimeout(8_000);
for (const name of Object.keys(readers)) {
  const seen = [503, 429, 200].map((status) => `${status === 200 ? "closed" : status} ${requests[`/${status}/${name}`] > 1 ? "comes back" : "gone"}`);
  process.stdout.write(`${name}: ${seen.join(", ")}\n`);
}
process.exit();
JS
seen=$(node --no-warnings seen.mjs)
echo "$seen"
[ "$seen" = 'eventsource: 503 gone, 429 gone, closed comes back
undici: 503 gone, 429 gone, closed comes back
extended-eventsource: 503 gone, 429 gone, closed comes back
eventsource-client: 503 comes back, 429 comes back, closed comes back
launchdarkly-eventsource: 503 comes back, 429 gone, closed comes back
@microsoft/fetch-event-source: 503 comes back, 429 comes back, closed gone' ]
