#!/usr/bin/env bash
# An MCP server lists three tools on two pages. What does `client.listTools()` of the official SDKs return, and what does the
# client check of results that do not fit the output schema?
# Expected: the same in both, since the method has the same name: all three tools, and all results are checked.
# Seen on 2026-11-29: @modelcontextprotocol/client 2.4.0 follows the cursor, as @ai-sdk/mcp 2.0.99 does. @modelcontextprotocol/sdk 1.32.2 returns the first
# page, so the third tool is missing, and its result passes unchecked if it is called all the same. It also keeps what it compiles
# from the output schemas of every listing: its memory grows with each call of `listTools()`, that of version 2 does not.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @ai-sdk/mcp@2.0.99 zod@4.6.7
cat > seen.mjs <<'JS'
import { createMCPClient } from "@ai-sdk/mcp";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
const tool = (name) => ({
  name,
  inputSchema: { type: "object" },
  outputSchema: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
});
const answers = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
  "tools/list": ({ cursor } = {}) => (cursor ? { tools: [tool("third")] } : { tools: [tool("first"), tool("second")], nextCursor: "2" }),
  "tools/call": () => ({ content: [], structuredContent: { count: "no integer" } }),
};
/** A transport that answers by itself. */
const server = () => ({
  async start() {},
  async close() {},
  async send({ id, method, params }) {
    if (id !== undefined) setImmediate(() => this.onmessage({ jsonrpc: "2.0", id, result: answers[method](params) }));
  },
});
const grown = async (list) => {
  for (let count = 0; count < 100; count += 1) await list();
  global.gc();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 1_000; count += 1) await list();
  global.gc();
  return process.memoryUsage().heapUsed - before > 2_000_000;
};
for (const [name, Client] of [["sdk 1", Client1], ["client 2", Client2]]) {
  const client = new Client({ name: "c", version: "1" });
  await client.connect(server());
  const { tools } = await client.listTools();
  const call = (tool) => client.callTool({ name: tool, arguments: {} }).then(() => "passes", () => "refused");
  const names = tools.map((tool) => tool.name).join(" ");
  const grows = await grown(() => client.listTools());
  console.log(`${name}: ${names}; first ${await call("first")}, third ${await call("third")}; grows ${grows}`);
}
const ai = await createMCPClient({ transport: server() });
console.log(`@ai-sdk/mcp: ${Object.keys(await ai.tools()).join(" ")}`);
process.exit();
JS
seen=$(node --expose-gc seen.mjs)
echo "$seen"
[ "$seen" = 'sdk 1: first second; first refused, third passes; grows true
client 2: first second third; first refused, third refused; grows false
@ai-sdk/mcp: first second third' ]
