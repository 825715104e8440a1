#!/usr/bin/env bash
# The input of a tool over MCP as servers in Python and with zod describe it: an optional word of a list or a text, `anyOf` with null; an integer or a text; one of two objects; a size that a format asks for (`if`, `then`). What do four
# frameworks for agents tell the model?
# Expected: the schema as it came, or one that means the same.
# Seen on 2026-11-30: @langchain/mcp-adapters 1.1.4 leaves an `anyOf` with null without a type, unless the other part is an object: `{}`, so the model does not learn that it is a text, or which words there are. So it is with an
# integer or a text. One of two objects becomes one object with the members of both, none of them required, and what `then` asks for is asked for always. A call that is wrong by it costs another turn. @ai-sdk/mcp
# 2.0.99, @mastra/mcp 2.0.0 and @openai/agents 0.20.0 hand the schema on as it is, the last allows more members in the outermost object.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @ai-sdk/mcp@2.0.99 @langchain/mcp-adapters@1.1.4 @langchain/core@1.4.0 @langchain/langgraph@1.7.3 @mastra/mcp@2.0.0 \
  @mastra/core@1.71.0 @openai/agents@0.20.0 zod@4.6.7
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { createMCPClient } from "@ai-sdk/mcp";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { MCPClient } from "@mastra/mcp";
import { getAllMcpTools, MCPServerStreamableHttp } from "@openai/agents";
const object = (properties, rest) => ({ type: "object", properties, ...rest });
const inputSchema = object({
  format: { anyOf: [{ type: "string", enum: ["png", "svg"] }, { type: "null" }], default: null },
  text: { anyOf: [{ type: "string" }, { type: "null" }] },
  size: { anyOf: [{ type: "integer" }, { type: "string" }] },
  source: { oneOf: [object({ url: { type: "string" } }, { required: ["url"] }), object({ text: { type: "string" } }, { required: ["text"] })] },
  output: object({ format: { type: "string" } }, { if: { properties: { format: { const: "pdf" } } }, then: { required: ["page"] } }),
});
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  if (request.method !== "POST") return response.writeHead(405).end();
  const { id, method, params } = JSON.parse(body);
  if (id === undefined) return response.writeHead(202).end();
  const result = { initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "tools", version: "1" } }, "tools/list": { tools: [{ name: "code", description: "Makes one.", inputSchema }] } }[method];
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result ? { jsonrpc: "2.0", id, result } : { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const url = `http://127.0.0.1:${server.address().port}/mcp`;
const frameworks = {
  "@langchain/mcp-adapters": async () => convertToOpenAITool((await new MultiServerMCPClient({ mcpServers: { tools: { transport: "http", url } } }).getTools())[0]).function.parameters,
  "@ai-sdk/mcp": async () => (await (await createMCPClient({ transport: { type: "http", url } })).tools()).code.inputSchema.jsonSchema,
  "@mastra/mcp": async () => (await new MCPClient({ servers: { tools: { url: new URL(url) } } }).listTools()).tools_code.inputSchema["~standard"].jsonSchema.input({ target: "draft-2020-12" }),
  "@openai/agents": async () => {
    const mcp = new MCPServerStreamableHttp({ url, name: "tools" });
    await mcp.connect();
    return (await getAllMcpTools([mcp]))[0].parameters;
  },
};
for (const [name, read] of Object.entries(frameworks)) {
  const { properties } = await read();
  const changed = Object.keys(properties).filter((property) => !isDeepStrictEqual(properties[property], inputSchema.properties[property]));
  console.log(`${name}: ${changed.map((property) => `${property} ${JSON.stringify(properties[property])}`).join(", ") || "as it came"}`);
}
process.exit();
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = '@langchain/mcp-adapters: format {"default":null}, text {}, size {}, source {"type":"object","properties":{"url":{"type":"string"},"text":{"type":"string"}}}, output {"type":"object","properties":{"format":{"type":"string"}},"required":["page"]}
@ai-sdk/mcp: as it came
@mastra/mcp: as it came
@openai/agents: as it came' ]
