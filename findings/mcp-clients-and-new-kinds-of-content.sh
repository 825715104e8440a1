#!/usr/bin/env bash
# A tool's result has a text, and beside it a part of a kind that a later revision of MCP may add. What does a client of today return?
# Expected: the text, and the part as it is or left out, since new kinds of content came with most revisions (audio, resource links).
# Seen on 2026-11-29: @modelcontextprotocol/sdk 1.32.2 and @modelcontextprotocol/client 2.4.0 refuse the whole result, so the text is lost after the tool has run
# and was paid. Both also drop members of a text part that they do not know, but keep those of the result. @ai-sdk/mcp 2.0.99
# returns all as it came. A server that adds kinds or members has to look at the client's revision, or use `_meta`.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @ai-sdk/mcp@2.0.99 zod@4.6.7
cat > seen.mjs <<'JS'
import { createMCPClient } from "@ai-sdk/mcp";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
const results = {
  kind: { content: [{ type: "text", text: "7" }, { type: "table", rows: [[1]] }] },
  members: { content: [{ type: "text", text: "7", language: "en", _meta: { language: "en" } }], credits: 1 },
};
const answers = {
  initialize: () => ({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
  "tools/list": () => ({ tools: Object.keys(results).map((name) => ({ name, inputSchema: { type: "object" } })) }),
  "tools/call": ({ name }) => results[name],
};
/** A transport that answers by itself. */
const transport = () => ({
  async start() {},
  async close() {},
  async send({ id, method, params }) {
    if (id !== undefined) setImmediate(() => this.onmessage({ jsonrpc: "2.0", id, result: answers[method](params) }));
  },
});
const client1 = new Client1({ name: "c", version: "1" });
const client2 = new Client2({ name: "c", version: "1" });
await client1.connect(transport());
await client2.connect(transport());
const tools = await (await createMCPClient({ transport: transport() })).tools();
const clients = {
  "sdk 1": (name) => client1.callTool({ name, arguments: {} }),
  "client 2": (name) => client2.callTool({ name, arguments: {} }),
  "@ai-sdk/mcp": (name) => tools[name].execute({}, { toolCallId: "1", messages: [] }),
};
for (const name of Object.keys(results)) {
  for (const [client, call] of Object.entries(clients)) {
    const seen = await call(name).then(({ content, credits }) => `${content.map((part) => Object.keys(part).sort().join(" ")).join("; ")}; credits ${credits}`, () => "refused");
    console.log(`${name}, ${client}: ${seen}`);
  }
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'kind, sdk 1: refused
kind, client 2: refused
kind, @ai-sdk/mcp: text type; rows type; credits undefined
members, sdk 1: _meta text type; credits 1
members, client 2: _meta text type; credits 1
members, @ai-sdk/mcp: _meta language text type; credits 1' ]
