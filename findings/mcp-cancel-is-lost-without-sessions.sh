#!/usr/bin/env bash
# MCP over Streamable HTTP without sessions: a client cancels a call that takes a second. Does the tool's handler learn of it?
# Expected: its signal is aborted, so that it can stop; both servers give one to each handler.
# Seen on 2026-11-29: with @modelcontextprotocol/sdk 1.32.2 (`sessionIdGenerator: undefined`, a new server for each request) it is not, and with `createMcpHandler`
# of @modelcontextprotocol/server 2.4.0 only in revision 2026-07-28, which @modelcontextprotocol/client 2.4.0 speaks with `versionNegotiation: { mode: "auto" }`,
# not by default. In older revisions the client says that it cancels in a request of its own, which reaches a server that knows
# nothing of the call. So work goes on, and is charged, for answers that nobody takes.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 \
  @modelcontextprotocol/server@2.4.0 @hono/node-server@2.1.8 hono@4.13.19 zod@4.6.7
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createMcpHandler, McpServer as Server2 } from "@modelcontextprotocol/server";
let told = "";
const withTool = (server, signalOf) => {
  server.registerTool("slow", { description: "Takes a second." }, async (context) => {
    await sleep(1_000, undefined, { signal: signalOf(context) }).then(
      () => (told = "ran to its end"),
      () => (told = "was told"),
    );
    return { content: [] };
  });
  return server;
};
const handler = createMcpHandler(() => withTool(new Server2({ name: "s", version: "1" }), (context) => context.mcpReq.signal));
const servers = {
  "sdk 1": createServer(async (request, response) => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await withTool(new Server1({ name: "s", version: "1" }), (context) => context.signal).connect(transport);
    await transport.handleRequest(request, response);
  }),
  "server 2": createServer(getRequestListener((request) => handler.fetch(request))),
};
for (const [name, server] of Object.entries(servers)) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  for (const [revision, options] of [["default", {}], ["auto", { versionNegotiation: { mode: "auto" } }]]) {
    const client = new Client({ name: "c", version: "1" }, options);
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${server.address().port}/mcp`)));
    told = "";
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    const call = await client.callTool({ name: "slow", arguments: {} }, { signal: controller.signal }).then(() => "answered", () => "cancelled");
    while (told === "") await sleep(50);
    console.log(`${name}, ${revision}: ${call} for the client, the tool ${told}`);
  }
}
process.exit();
JS
seen=$(node --no-warnings seen.mjs)
echo "$seen"
[ "$seen" = 'sdk 1, default: cancelled for the client, the tool ran to its end
sdk 1, auto: cancelled for the client, the tool ran to its end
server 2, default: cancelled for the client, the tool ran to its end
server 2, auto: cancelled for the client, the tool was told' ]
