#!/usr/bin/env bash
# An MCP server with sessions is started anew, as with each deployment: it answers 404 for the session that a client has. The client calls a tool before that, and twice after it. Six clients.
# Expected: done, done, done: the specification of the transport says that a client that gets 404 for its session must start a new one, without the id.
# Seen on 2026-11-29: none does. @modelcontextprotocol/sdk 1.32.2, @modelcontextprotocol/client 2.4.0, @ai-sdk/mcp 2.0.99, @langchain/mcp-adapters 1.1.4 and @mastra/mcp 2.0.0 reject the call, and each that follows, until the program connects again. @openai/agents
# 0.20.0 tells the model that an error occurred, for good. A server without sessions does not have this.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 \
  @ai-sdk/mcp@2.0.99 zod@4.6.7 @langchain/mcp-adapters@1.1.4 @langchain/core@1.4.0 @langchain/langgraph@1.7.3 @openai/agents@0.20.0 @mastra/mcp@2.0.0 \
  @mastra/core@1.71.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { createMCPClient } from "@ai-sdk/mcp";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { MCPClient } from "@mastra/mcp";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { MCPServerStreamableHttp, RunContext, getAllMcpTools } from "@openai/agents";
const jsonrpc = "2.0";
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "seen", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "tool", inputSchema: { type: "object" } }] }),
};
let sessions = 0;
const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  const { id, method, params } = JSON.parse((await request.toArray()).join(""));
  if (id === undefined) return response.writeHead(202).end();
  const answer = (status, body, headers) => response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify({ jsonrpc, id, ...body }));
  if (method === "initialize") return answer(200, { result: results.initialize(params) }, { "mcp-session-id": `session-${(sessions += 1)}` });
  if (request.headers["mcp-session-id"] !== `session-${sessions}`) return answer(404, { error: { code: -32001, message: "Session not found" } });
  if (method === "tools/call") return answer(200, { result: { content: [{ type: "text", text: "done" }] } });
  answer(200, results[method] ? { result: results[method](params) } : { error: { code: -32601, message: "unknown" } });
});
await once(server.listen(0, "127.0.0.1"), "listening");
const url = `http://127.0.0.1:${server.address().port}/`;
let clientIds = 0;
const me = { name: "seen", version: "1" };
const clients = {
  "@modelcontextprotocol/sdk": async () => {
    const client = new Client1(me);
    await client.connect(new Transport1(new URL(url)));
    return () => client.callTool({ name: "tool" });
  },
  "@modelcontextprotocol/client": async () => {
    const client = new Client(me);
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    return () => client.callTool({ name: "tool" });
  },
  "@ai-sdk/mcp": async () => {
    const { tool } = await (await createMCPClient({ transport: { type: "http", url } })).tools();
    return async () => {
      const output = await tool.execute({}, { toolCallId: "1", messages: [] });
      return (await tool.toModelOutput({ output, toolCallId: "1", input: {} })).value;
    };
  },
  "@langchain/mcp-adapters": async () => {
    const [tool] = await new MultiServerMCPClient({ mcpServers: { seen: { transport: "http", url } } }).getTools();
    return async () => (await tool.invoke({ type: "tool_call", id: "1", name: "tool", args: {} })).content;
  },
  "@openai/agents": async () => {
    const server = new MCPServerStreamableHttp({ url, name: "seen" });
    await server.connect();
    const [tool] = await getAllMcpTools({ mcpServers: [server], runContext: new RunContext(), agent: { name: "a" } });
    return () => tool.invoke(new RunContext(), "{}");
  },
  "@mastra/mcp": async () => {
    const client = new MCPClient({ id: String((clientIds += 1)), servers: { seen: { url: new URL(url) } } });
    const [tool] = Object.values(await client.listTools());
    return () => tool.execute({}, {});
  },
};
for (const [name, connect] of Object.entries(clients)) {
  const call = await connect();
  const seen = [];
  for (const restarts of [false, true, false]) {
    if (restarts) sessions += 1;
    seen.push(await call().then((given) => (JSON.stringify(given).includes("done") ? "done" : "no result"), () => "an error"));
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node --no-warnings seen.mjs 2> /dev/null)
echo "$seen"
[ "$seen" = '@modelcontextprotocol/sdk: done, an error, an error
@modelcontextprotocol/client: done, an error, an error
@ai-sdk/mcp: done, an error, an error
@langchain/mcp-adapters: done, an error, an error
@openai/agents: done, no result, no result
@mastra/mcp: done, an error, an error' ]
