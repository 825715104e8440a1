#!/usr/bin/env bash
# An MCP server has a tool that takes a text, and a second one: its input is one of two forms (a zod union of objects), or has a date among its fields.
# Expected: the union is listed with both forms; what cannot be listed is an error when the tool is registered, and the other tools are listed.
# Seen on 2026-11-29: @modelcontextprotocol/sdk 1.32.2 lists the union as an object without fields, with no error, so a model does not know what to send. @modelcontextprotocol/server 2.4.0 lists
# both forms. A tool with a date is taken by both, and then `tools/list` as a whole fails: the client has no tools at all, and nothing says which one is meant.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/server@2.4.0 @modelcontextprotocol/client@2.4.0 zod@4.6.7
cat > seen.mjs <<'JS'
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as Server2 } from "@modelcontextprotocol/server";
import { z } from "zod";
const text = z.object({ text: z.string() });
const union = z.discriminatedUnion("kind", [z.object({ kind: z.literal("url"), url: z.string() }), z.object({ kind: z.literal("text"), text: z.string() })]);
const date = z.object({ since: z.date() });
const sets = { union: { text, union }, date: { text, date } };
for (const [name, Server] of [["sdk 1", Server1], ["server 2", Server2]]) {
  for (const [kind, schemas] of Object.entries(sets)) {
    const server = new Server({ name: "s", version: "1" });
    let seen;
    try {
      for (const [tool, inputSchema] of Object.entries(schemas)) server.registerTool(tool, { description: tool, inputSchema }, async () => ({ content: [] }));
      const [a, b] = InMemoryTransport.createLinkedPair();
      await server.connect(a);
      const client = new Client({ name: "c", version: "1" });
      await client.connect(b);
      seen = await client.listTools().then(
        ({ tools }) => {
          const { oneOf, properties } = tools.find((tool) => tool.name === kind).inputSchema;
          return `${tools.length} tools, properties ${JSON.stringify(properties)}, forms ${oneOf?.length ?? 0}`;
        },
        (error) => `no tools: ${error.message}`,
      );
    } catch (error) {
      seen = `error when registered: ${error.message}`;
    }
    console.log(`${name}, ${kind}: ${seen}`);
  }
}
process.exit();
JS
seen=$(node --no-warnings seen.mjs)
echo "$seen"
[ "$seen" = 'sdk 1, union: 2 tools, properties {}, forms 0
sdk 1, date: no tools: Date cannot be represented in JSON Schema
server 2, union: 2 tools, properties undefined, forms 2
server 2, date: no tools: Date cannot be represented in JSON Schema' ]
