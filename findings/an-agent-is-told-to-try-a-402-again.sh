#!/usr/bin/env bash
# A call of a tool over MCP is refused, since the account has no credits: by the status 402 with a problem, by an error of JSON-RPC, or by a result with `isError`. What do four frameworks for agents make of it?
# Expected: the reason, returned or thrown, each time; the model or the program has to know that another try is of no use.
# Seen on 2026-11-29: @openai/agents 0.20.0 hands the model "An error occurred while running the tool. Please try again." for the first two, and nothing of the reason: an agent calls again and again what it cannot pay for, and its user does not learn
# why. Only `isError` reaches the model there. @ai-sdk/mcp 2.0.99, @langchain/mcp-adapters 1.1.4 and @mastra/mcp 2.0.0 throw an error with the reason for the first two; the last two throw for `isError` too.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @ai-sdk/mcp@2.0.99 zod@4.6.7 @langchain/mcp-adapters@1.1.4 \
  @langchain/core@1.4.0 @langchain/langgraph@1.7.3 @openai/agents@0.20.0 @mastra/mcp@2.0.0 @mastra/core@1.71.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { createMCPClient } from "@ai-sdk/mcp";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { MCPClient } from "@mastra/mcp";
import { MCPServerStreamableHttp, RunContext, getAllMcpTools } from "@openai/agents";
const jsonrpc = "2.0";
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "seen", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "tool", inputSchema: { type: "object" } }] }),
};
const message = "No credits: buy some at /billing.";
const refusals = {
  "HTTP 402": (response) => response.writeHead(402, { "content-type": "application/problem+json" }).end(JSON.stringify({ status: 402, code: "insufficient_credits", detail: message })),
  "a JSON-RPC error": (response, id) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc, id, error: { code: -32000, message } })),
  isError: (response, id) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc, id, result: { isError: true, content: [{ type: "text", text: message }] } })),
};
let kind;
const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  const { id, method, params } = JSON.parse((await request.toArray()).join(""));
  if (id === undefined) return response.writeHead(202).end();
  if (method === "tools/call") return refusals[kind](response, id);
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc, id, ...(results[method] ? { result: results[method](params) } : { error: { code: -32601, message: "unknown" } }) }));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const url = `http://127.0.0.1:${server.address().port}/`;
let clientIds = 0;
const clients = {
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
const describe = (given) => (given.includes("/billing") ? "the reason" : given.replace(/ ?http.*/, ""));
for (const [name, connect] of Object.entries(clients)) {
  const call = await connect();
  const seen = [];
  for (kind of Object.keys(refusals)) {
    seen.push(`${kind}: ${await call().then((given) => `returns ${describe(JSON.stringify(given))}`, (error) => `throws ${describe(error.message)}`)}`);
  }
  console.log(`${name}: ${seen.join("; ")}`);
}
process.exit();
JS
seen=$(node --no-warnings seen.mjs 2> /dev/null)
echo "$seen"
[ "$seen" = '@ai-sdk/mcp: HTTP 402: throws the reason; a JSON-RPC error: throws the reason; isError: returns the reason
@langchain/mcp-adapters: HTTP 402: throws the reason; a JSON-RPC error: throws the reason; isError: throws the reason
@openai/agents: HTTP 402: returns "An error occurred while running the tool. Please try again."; a JSON-RPC error: returns "An error occurred while running the tool. Please try again."; isError: returns the reason
@mastra/mcp: HTTP 402: throws the reason; a JSON-RPC error: throws the reason; isError: throws the reason' ]
