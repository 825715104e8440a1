#!/usr/bin/env bash
# A stream of server-sent events has a comment as a heartbeat, an event without data, an empty line in its data, and an id for the first of two events.
# Expected: the four readers return the same: no message for the first two, `a`, empty line, `b`, and the id for both events, as the HTML standard has it.
# Seen on 2026-11-29: @microsoft/fetch-event-source 2.0.1 calls `onmessage` with empty data for each heartbeat and for the event without data, so `JSON.parse(data)`, which most
# handlers begin with, throws on a stream that is only kept open; it loses the empty line; and it forgets the id. eventsource-parser 4.1.3 gives each event its own id too,
# and leaves the last one to its caller. eventsource 5.1.5 and undici 8.13.1 do as the standard says.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @microsoft/fetch-event-source@2.0.1 eventsource-parser@4.1.3 eventsource@5.1.5 undici@8.13.1
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { fetchEventSource } from "@microsoft/fetch-event-source";
import { EventSource } from "eventsource";
import { createParser } from "eventsource-parser";
import { EventSource as UndiciEventSource } from "undici";
const streams = {
  heartbeat: ": ping\n\ndata: a\n\n",
  "no data": "event: message\n\ndata: a\n\n",
  "empty line": "data: a\ndata\ndata: b\n\n",
  id: "id: 7\ndata: a\n\ndata: b\n\n",
};
const server = createServer((request, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(streams[decodeURIComponent(request.url.slice(1))]);
});
await once(server.listen(0), "listening");
globalThis.window = globalThis;
globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
const message = (data, id) => JSON.stringify(data) + (id ? ` with id ${id}` : "");
const listen = (Source) => (url) =>
  new Promise((done) => {
    const seen = [];
    const source = new Source(url);
    source.onmessage = ({ data, lastEventId }) => seen.push(message(data, lastEventId));
    source.onerror = () => {
      source.close();
      done(seen);
    };
  });
const readers = {
  "@microsoft/fetch-event-source": async (url) => {
    const seen = [];
    const ended = () => {
      throw new Error("ended");
    };
    const onmessage = ({ data, id }) => seen.push(message(data, id));
    await fetchEventSource(url, { fetch, onmessage, onclose: ended, onerror: ended }).catch(() => {});
    return seen;
  },
  "eventsource-parser": async (url) => {
    const seen = [];
    createParser({ onEvent: ({ data, id }) => seen.push(message(data, id)) }).feed(await (await fetch(url)).text());
    return seen;
  },
  eventsource: listen(EventSource),
  undici: listen(UndiciEventSource),
};
for (const [name, read] of Object.entries(readers)) {
  const seen = [];
  for (const stream of Object.keys(streams)) seen.push(`${stream}: ${(await read(`http://localhost:${server.address().port}/${stream}`)).join(" ")}`);
  console.log(`${name}, ${seen.join("; ")}`);
}
process.exit();
JS
seen=$(node --no-warnings seen.mjs)
echo "$seen"
[ "$seen" = '@microsoft/fetch-event-source, heartbeat: "" "a"; no data: "" "a"; empty line: "a\nb"; id: "a" with id 7 "b"
eventsource-parser, heartbeat: "a"; no data: "a"; empty line: "a\n\nb"; id: "a" with id 7 "b"
eventsource, heartbeat: "a"; no data: "a"; empty line: "a\n\nb"; id: "a" with id 7 "b" with id 7
undici, heartbeat: "a"; no data: "a"; empty line: "a\n\nb"; id: "a" with id 7 "b" with id 7' ]
