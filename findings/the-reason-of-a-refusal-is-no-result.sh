#!/usr/bin/env bash
# A tool over MCP has an output schema, `{"sum": integer}`. The account has no credits, so the server answers with `isError`, a text, and the reason as data: `structuredContent` with `code` and `credits`. Six clients.
# Expected: the error with its text: the specification wants results to fit the schema, and this is no result; `isError` is how a model learns what went wrong.
# Seen on 2026-11-30: @modelcontextprotocol/sdk 1.32.2, and with it @langchain/mcp-adapters 1.1.4, checks the data of an error against the schema of results and throws "Structured content does not match the tool's output
# schema": neither the model nor the program sees that credits are missing, and the fault seems to be the server's. @modelcontextprotocol/client 2.4.0, @ai-sdk/mcp 2.0.99, @mastra/mcp 2.0.0 and @openai/agents 0.20.0 hand the
# text on. A server should not send data with an error while clients of the first kind are in use.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @ai-sdk/mcp@2.0.99 @langchain/mcp-adapters@1.1.4 @langchain/core@1.4.0 \
  @langchain/langgraph@1.7.3 @mastra/mcp@2.0.0 @mastra/core@1.71.0 @openai/agents@0.20.0 zod@4.6.7
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { createMCPClient } from "@ai-sdk/mcp";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { MCPClient } from "@mastra/mcp";
import * as v2 from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { getAllMcpTools, MCPServerStreamableHttp, RunContext } from "@openai/agents";
const outputSchema = { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"] };
const tools = [{ name: "sum", description: "Adds.", inputSchema: { type: "object", properties: {} }, outputSchema }];
const refusal = { isError: true, content: [{ type: "text", text: "no credits" }], structuredContent: { code: "insufficient_credits", credits: 2 } };
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  if (request.method !== "POST") return response.writeHead(405).end();
  const { id, method, params } = JSON.parse(body);
  if (id === undefined) return response.writeHead(202).end();
  const result = { initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "tools", version: "1" } }, "tools/list": { tools }, "tools/call": refusal }[method];
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result ? { jsonrpc: "2.0", id, result } : { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const url = `http://127.0.0.1:${server.address().port}/mcp`;
const official = async (client, transport) => {
  await client.connect(transport);
  await client.listTools();
  return client.callTool({ name: "sum", arguments: {} });
};
const clients = {
  "@modelcontextprotocol/sdk": () => official(new Client({ name: "agent", version: "1" }), new StreamableHTTPClientTransport(new URL(url))),
  "@modelcontextprotocol/client": () => official(new v2.Client({ name: "agent", version: "1" }), new v2.StreamableHTTPClientTransport(new URL(url))),
  "@ai-sdk/mcp": async () => (await (await createMCPClient({ transport: { type: "http", url } })).tools()).sum.execute({}, { toolCallId: "1", messages: [] }),
  "@langchain/mcp-adapters": async () => {
    const [tool] = await new MultiServerMCPClient({ mcpServers: { tools: { transport: "http", url } } }).getTools();
    return tool.invoke({});
  },
  "@mastra/mcp": async () => (await new MCPClient({ servers: { tools: { url: new URL(url) } } }).listTools()).tools_sum.execute({}, {}),
  "@openai/agents": async () => {
    const mcp = new MCPServerStreamableHttp({ url, name: "tools" });
    await mcp.connect();
    return (await getAllMcpTools([mcp]))[0].invoke(new RunContext({}), "{}");
  },
};
for (const [name, call] of Object.entries(clients)) {
  const seen = await call().then((result) => JSON.stringify(result), (error) => error.message);
  console.log(`${name}: ${seen.includes("no credits") ? "no credits" : seen.match(/Structured content does not match/)?.[0]}`);
}
process.exit();
JS
seen=$(node seen.mjs 2>/dev/null | grep -v -e LLM -e NOTICE)
echo "$seen"
[ "$seen" = '@modelcontextprotocol/sdk: Structured content does not match
@modelcontextprotocol/client: no credits
@ai-sdk/mcp: no credits
@langchain/mcp-adapters: Structured content does not match
@mastra/mcp: no credits
@openai/agents: no credits' ]
