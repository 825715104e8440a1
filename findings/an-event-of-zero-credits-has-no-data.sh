#!/usr/bin/env bash
# Usage is sent as CloudEvents, as meters take it: the data is the number of credits, 5 or 0, or false, null, "" or an object of a type that ends in +json.
# The SDK cloudevents 10.0.0 writes each for HTTP, in both modes of the specification, and reads it again.
# Expected: the data that was sent.
# Seen on 2026-11-30: in structured mode 0, false, null and "" come back as no data at all. In binary mode, with the body as the text that HTTP
# carries, numbers, false and null come back as texts, and so does data of application/merge-patch+json, which structured mode reads as the object.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts cloudevents@10.0.0
cat > seen.mjs <<'JS'
import { CloudEvent, HTTP } from "cloudevents";
const json = "application/json";
for (const [data, datacontenttype] of [[5, json], [0, json], [false, json], [null, json], ["", json], [{ a: 1 }, "application/merge-patch+json"]]) {
  const event = new CloudEvent({ type: "call", source: "/meter", id: "1", datacontenttype, data });
  const read = ["binary", "structured"].map((mode) => {
    const { headers, body } = HTTP[mode](event);
    return `${mode} ${JSON.stringify(HTTP.toEvent({ headers, body: `${body}` }).data)}`;
  });
  console.log(`${JSON.stringify(data)}: ${read.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '5: binary "5", structured 5
0: binary "0", structured undefined
false: binary "false", structured undefined
null: binary "null", structured undefined
"": binary "", structured undefined
{"a":1}: binary "{\"a\":1}", structured {"a":1}' ]
