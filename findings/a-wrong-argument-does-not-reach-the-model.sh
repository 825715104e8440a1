#!/usr/bin/env bash
# Five libraries for MCP servers get a call with a text where a tool takes an integer, one with an argument that the tool does not have, one of a tool that does not exist, and one of a tool that throws "no credits".
# Expected: a result with `isError` for the first and the last, since the specification has such errors there so that the model can correct itself; an error or `isError` for the second, as models invent arguments; and error -32602 for the third.
# Seen on 2026-11-29: fastmcp 4.20.16 and mcp-lite 0.10.0 answer the wrong argument with error -32602, which frameworks for agents throw instead of showing it, and the unknown tool with -32601. A thrown error is -32603 in mcp-lite and tmcp 1.20.0.
# @modelcontextprotocol/sdk 1.32.2 and tmcp return `isError` for the unknown tool too, @modelcontextprotocol/server 2.4.0 is as expected. All five drop the unknown argument without a word: the model believes that its option counted.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/server@2.4.0 \
  mcp-lite@0.10.0 tmcp@1.20.0 @tmcp/adapter-zod@0.1.7 @tmcp/transport-http@0.9.0 fastmcp@4.20.16 zod@4.6.7
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { McpServer as Sdk2, createMcpHandler } from "@modelcontextprotocol/server";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { McpServer as Sdk1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { HttpTransport } from "@tmcp/transport-http";
import { FastMCP } from "fastmcp";
import { McpServer as Lite, StreamableHttpTransport } from "mcp-lite";
import { McpServer as Tmcp } from "tmcp";
import { z } from "zod";
const me = { name: "seen", version: "1.0.0" };
const schema = z.object({ credits: z.number().int() });
const text = ({ credits }) => ({ content: [{ type: "text", text: `spent ${credits}` }] });
const fail = () => {
  throw new Error("no credits");
};
const registered = (server) => {
  server.registerTool("spend", { inputSchema: schema }, text);
  server.registerTool("fails", {}, fail);
  return server;
};
const servers = {
  "@modelcontextprotocol/sdk": async (request) => {
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await registered(new Sdk1(me)).connect(transport);
    return transport.handleRequest(request);
  },
  "@modelcontextprotocol/server": createMcpHandler(() => registered(new Sdk2(me))).fetch,
  "mcp-lite": (() => {
    const server = new Lite({ ...me, schemaAdapter: (each) => z.toJSONSchema(each) });
    server.tool("spend", { inputSchema: schema, handler: text });
    server.tool("fails", { handler: fail });
    return new StreamableHttpTransport().bind(server);
  })(),
  tmcp: (() => {
    const server = new Tmcp({ ...me, description: "d" }, { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } });
    server.tool({ name: "spend", description: "d", schema }, text);
    server.tool({ name: "fails", description: "d" }, fail);
    const transport = new HttpTransport(server, { path: "/mcp" });
    return (request) => transport.respond(request);
  })(),
  fastmcp: await (async () => {
    const server = new FastMCP(me);
    server.addTool({ name: "spend", parameters: schema, execute: async ({ credits }) => `spent ${credits}` });
    server.addTool({ name: "fails", execute: async () => fail() });
    const free = createServer();
    await once(free.listen(0, "127.0.0.1"), "listening");
    const { port } = free.address();
    await new Promise((resolve) => free.close(resolve));
    await server.start({ transportType: "httpStream", httpStream: { port, host: "127.0.0.1", endpoint: "/mcp", stateless: true } });
    return async (request) => fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers: request.headers, body: await request.text() });
  })(),
};
const calls = {
  "a wrong argument": { name: "spend", arguments: { credits: "x" } },
  "an unknown argument": { name: "spend", arguments: { credits: 1, note: "x" } },
  "an unknown tool": { name: "spent", arguments: {} },
  "a tool that throws": { name: "fails", arguments: {} },
};
for (const [name, handle] of Object.entries(servers)) {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const send = async (method, params) => {
    const response = await handle(new Request("http://127.0.0.1/mcp", { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) }));
    const session = response.headers.get("mcp-session-id");
    if (session) headers["mcp-session-id"] = session;
    const body = await response.text();
    return JSON.parse(body.startsWith("{") ? body : body.split("\n").find((line) => line.startsWith("data: {")).slice(6));
  };
  const { result } = await send("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: me });
  headers["mcp-protocol-version"] = result.protocolVersion;
  const seen = [];
  for (const [what, params] of Object.entries(calls)) {
    const { error, result } = await send("tools/call", params);
    seen.push(`${what}: ${error ? `error ${error.code}` : result.isError ? "isError" : result.content[0].text}`);
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node --no-warnings seen.mjs | grep -v FastMCP)
echo "$seen"
[ "$seen" = '@modelcontextprotocol/sdk: a wrong argument: isError, an unknown argument: spent 1, an unknown tool: isError, a tool that throws: isError
@modelcontextprotocol/server: a wrong argument: isError, an unknown argument: spent 1, an unknown tool: error -32602, a tool that throws: isError
mcp-lite: a wrong argument: error -32602, an unknown argument: spent 1, an unknown tool: error -32601, a tool that throws: error -32603
tmcp: a wrong argument: isError, an unknown argument: spent 1, an unknown tool: isError, a tool that throws: error -32603
fastmcp: a wrong argument: error -32602, an unknown argument: spent 1, an unknown tool: error -32601, a tool that throws: isError' ]
