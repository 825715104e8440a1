#!/usr/bin/env bash
# A tool of an MCP server takes 2 seconds and sends progress every 0.2 seconds. The client has a time limit of one second and listens to the progress. Three clients.
# Expected: the call ends well: the protocol has progress so that long calls are not taken for dead, and says that a client may start its limit again with each.
# Seen on 2026-11-29: `callTool` of @modelcontextprotocol/sdk 1.32.2 and of @modelcontextprotocol/client 2.4.0 times out in spite of the progress that it hands to the caller. With `resetTimeoutOnProgress` it ends well, but only if there is
# an `onprogress` too: without one no progress is asked for, and the option does nothing, without a word. @ai-sdk/mcp 2.0.99 has no limit of its own.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @ai-sdk/mcp@2.0.99 zod@4.6.7
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { createMCPClient } from "@ai-sdk/mcp";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
const jsonrpc = "2.0";
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "slow", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "slow", inputSchema: { type: "object" } }] }),
};
const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  const { id, method, params } = JSON.parse((await request.toArray()).join(""));
  if (id === undefined) return response.writeHead(202).end();
  if (method !== "tools/call") {
    const answer = results[method] ? { result: results[method](params) } : { error: { code: -32601, message: "unknown" } };
    return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc, id, ...answer }));
  }
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  const write = (message) => response.write(`data: ${JSON.stringify({ jsonrpc, ...message })}\n\n`);
  const progressToken = params._meta?.progressToken;
  for (let progress = 1; progress <= 10; progress++) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (progressToken !== undefined) write({ method: "notifications/progress", params: { progressToken, progress } });
  }
  write({ id, result: { content: [{ type: "text", text: "done" }] } });
  response.end();
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = new URL(`http://127.0.0.1:${server.address().port}/`);
const me = { name: "seen", version: "1" };
const clients = {
  "@modelcontextprotocol/sdk": async (options) => {
    const client = new Client1(me);
    await client.connect(new Transport1(url));
    return client.callTool({ name: "slow" }, undefined, options);
  },
  "@modelcontextprotocol/client": async (options) => {
    const client = new Client(me);
    await client.connect(new StreamableHTTPClientTransport(url));
    return client.callTool({ name: "slow" }, options);
  },
};
const end = (call) => call.then(() => "ends well", (error) => error.message.replace(/^.*: /, ""));
for (const [name, call] of Object.entries(clients)) {
  let heard = 0;
  const onprogress = () => (heard += 1);
  const plain = await end(call({ timeout: 1_000, onprogress }));
  const before = heard > 0 ? "after progress" : "without progress";
  const reset = await end(call({ timeout: 1_000, onprogress, resetTimeoutOnProgress: true }));
  const deaf = await end(call({ timeout: 1_000, resetTimeoutOnProgress: true }));
  console.log(`${name}: ${plain} ${before}, with resetTimeoutOnProgress ${reset}, and without onprogress ${deaf}`);
}
const { slow } = await (await createMCPClient({ transport: { type: "http", url: url.href } })).tools();
console.log(`@ai-sdk/mcp: ${await end(slow.execute({}, { toolCallId: "1", messages: [] }))}`);
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '@modelcontextprotocol/sdk: Request timed out after progress, with resetTimeoutOnProgress ends well, and without onprogress Request timed out
@modelcontextprotocol/client: Request timed out after progress, with resetTimeoutOnProgress ends well, and without onprogress Request timed out
@ai-sdk/mcp: ends well' ]
