#!/usr/bin/env bash
# A tool of an MCP server returns `structuredContent` alone, with a text, or with an image, or a text and an embedded file. What do four frameworks for agents hand to the model?
# Expected: all of it in some form: the specification has both members for the same reader, and says nothing of leaving one out.
# Seen on 2026-11-29: @ai-sdk/mcp 2.0.99 and @openai/agents 0.20.0 hand on `content` alone, so of a result that is only data the model gets nothing, without an error. @mastra/mcp 2.0.0 hands on the data alone where there are any: text and image are
# gone. @langchain/mcp-adapters 1.1.4 hands on nothing of data alone, keeps the data of an image from the model, and embedded files too (they are in `artifact`). So what matters has to stand in the text and in the data, and an image
# has to come without data.
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
const text = { type: "text", text: "TEXT" };
const embedded = { type: "resource", resource: { uri: "file:///a.csv", mimeType: "text/csv", text: "EMBEDDED" } };
const image = { type: "image", data: "SU1BR0U=", mimeType: "image/png" };
const cases = {
  "data alone": { content: [], structuredContent: { value: "DATA" } },
  "text and data": { content: [text], structuredContent: { value: "DATA" } },
  "image and data": { content: [image], structuredContent: { value: "DATA" } },
  "text and a file": { content: [text, embedded] },
};
let kind;
const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  const { id, method, params } = JSON.parse((await request.toArray()).join(""));
  if (id === undefined) return response.writeHead(202).end();
  const result = method === "tools/call" ? cases[kind] : results[method]?.(params);
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc, id, ...(result ? { result } : { error: { code: -32601, message: "unknown" } }) }));
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
for (const [name, connect] of Object.entries(clients)) {
  const call = await connect();
  const seen = [];
  for (kind of Object.keys(cases)) {
    const given = JSON.stringify(await call());
    const found = ["TEXT", "DATA", "EMBEDDED", "SU1BR0U="].filter((word) => given.includes(word));
    seen.push(`${kind}: ${found.join(" and ").replace("SU1BR0U=", "IMAGE") || "nothing"}`);
  }
  console.log(`${name}: ${seen.join("; ")}`);
}
process.exit();
JS
seen=$(node --no-warnings seen.mjs 2> /dev/null)
echo "$seen"
[ "$seen" = '@ai-sdk/mcp: data alone: nothing; text and data: TEXT; image and data: IMAGE; text and a file: TEXT and EMBEDDED
@langchain/mcp-adapters: data alone: nothing; text and data: TEXT and DATA; image and data: IMAGE; text and a file: TEXT
@openai/agents: data alone: nothing; text and data: TEXT; image and data: IMAGE; text and a file: TEXT and EMBEDDED
@mastra/mcp: data alone: DATA; text and data: DATA; image and data: DATA; text and a file: TEXT and EMBEDDED' ]
