#!/usr/bin/env bash
# Three libraries that write example requests for API docs: what does the example send for four ordinary bodies, when it is run?
# Expected: the body. Seen on 2026-11-29: in the JavaScript (fetch) of httpsnippet 3.0.10 and @readme/httpsnippet 11.4.0 backslashes are not escaped, so `\alpha` in a
# text body arrives as `alpha` and `C:\new` with a line break in it; and a JSON body with a line break in a string is no longer JSON in
# httpsnippet's. All three write a curl command that sends nothing for a body that begins with @, since curl takes that for the name of a
# file (`--data-raw` would not). @scalar/snippetz 0.10.11 is right in JavaScript.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts httpsnippet@3.0.10 @readme/httpsnippet@11.4.0 @scalar/snippetz@0.10.11
cat > seen.mjs <<'JS'
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { HTTPSnippet as ReadMe } from "@readme/httpsnippet";
import { snippetz } from "@scalar/snippetz";
import { HTTPSnippet } from "httpsnippet";
let received;
const server = createServer(async (request, response) => {
  received = await textOf(request);
  response.end("{}");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const bodies = {
  formula: ["text/plain", String.raw`$\alpha$`],
  path: ["text/plain", String.raw`C:\new`],
  mention: ["text/plain", "@ann agrees"],
  json: ["application/json", JSON.stringify({ text: "one\ntwo" })],
};
const requestOf = ([mimeType, text]) => ({
  method: "POST",
  url: `http://127.0.0.1:${server.address().port}/`,
  httpVersion: "HTTP/1.1",
  headers: [{ name: "content-type", value: mimeType }],
  queryString: [],
  cookies: [],
  headersSize: -1,
  bodySize: -1,
  postData: { mimeType, text },
});
const writers = {
  httpsnippet: (target, client, request) => new HTTPSnippet(request).convert(target, client),
  "@readme/httpsnippet": (target, client, request) => [new ReadMe(request).convert(target, client)].flat()[0],
  "@scalar/snippetz": (target, client, request) => snippetz().print(target === "javascript" ? "js" : target, client, request),
};
for (const [name, write] of Object.entries(writers)) {
  for (const [target, client] of [["javascript", "fetch"], ["shell", "curl"]]) {
    const wrong = [];
    for (const [kind, body] of Object.entries(bodies)) {
      const code = await write(target, client, requestOf(body));
      received = undefined;
      const [program, ...start] = target === "shell" ? ["bash", "-c"] : [process.execPath, "--input-type=module", "-e"];
      await once(spawn(program, [...start, code], { stdio: "ignore" }), "exit");
      const isSame = kind === "json" ? isJson(received) : received === body[1];
      if (!isSame) wrong.push(`${kind} ${JSON.stringify(received)}`);
    }
    console.log(`${name} ${client}: ${wrong.join(", ") || "right"}`);
  }
}
function isJson(text) {
  try {
    return JSON.parse(text).text === "one\ntwo";
  } catch {
    return false;
  }
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'httpsnippet fetch: formula "$alpha$", path "C:\new", json "{\"text\":\"one\ntwo\"}"
httpsnippet curl: mention ""
@readme/httpsnippet fetch: formula "$alpha$", path "C:\new"
@readme/httpsnippet curl: mention ""
@scalar/snippetz fetch: right
@scalar/snippetz curl: mention ""' ]
