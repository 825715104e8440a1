#!/usr/bin/env bash
# An MCP tool has an output schema with a keyword of JSON Schema 2020-12, the draft that revision 2025-11-25 of MCP takes where a schema names none. Its results are checked by
# the official SDKs, first a right one, then a wrong one.
# Expected: the right one passes, the wrong one is refused.
# Seen on 2026-11-29: @modelcontextprotocol/sdk 1.32.2 checks by draft-07. For a tuple (`prefixItems`, `items: false`) it refuses the right result after the tool has run, as
# each list that is not empty, also if the schema names the draft; `dependentRequired`, `unevaluatedProperties` and `minContains` it leaves out.
# @modelcontextprotocol/client 2.4.0 is right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 zod@4.6.7
cat > seen.mjs <<'JS'
import { Client as Client2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
const tuple = { type: "object", properties: { pair: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false } } };
const tools = {
  prefixItems: [tuple, { pair: ["a", 1] }, { pair: ["a", "b"] }],
  "prefixItems with $schema": [{ $schema: "https://json-schema.org/draft/2020-12/schema", ...tuple }, { pair: ["a", 1] }, { pair: ["a", "b"] }],
  dependentRequired: [{ type: "object", dependentRequired: { card: ["name"] } }, { card: 1, name: "Ann" }, { card: 1 }],
  unevaluatedProperties: [{ type: "object", properties: { a: {} }, unevaluatedProperties: false }, { a: 1 }, { b: 1 }],
  minContains: [{ type: "object", properties: { list: { type: "array", contains: { const: 1 }, minContains: 2 } } }, { list: [1, 1] }, { list: [1] }],
};
for (const [keyword, [outputSchema, ...results]] of Object.entries(tools)) {
  const seen = [];
  for (const [name, Client] of [["sdk 1", Client1], ["client 2", Client2]]) {
    let structuredContent;
    const answers = {
      initialize: () => ({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
      "tools/list": () => ({ tools: [{ name: "tool", inputSchema: { type: "object" }, outputSchema }] }),
      "tools/call": () => ({ content: [], structuredContent }),
    };
    const client = new Client({ name: "c", version: "1" });
    await client.connect({
      async start() {},
      async close() {},
      async send({ id, method }) {
        if (id !== undefined) setImmediate(() => this.onmessage({ jsonrpc: "2.0", id, result: answers[method]() }));
      },
    });
    await client.listTools();
    const outcomes = [];
    for (structuredContent of results) outcomes.push(await client.callTool({ name: "tool", arguments: {} }).then(() => "passes", () => "refused"));
    seen.push(`${name} ${outcomes.join(" ")}`);
  }
  console.log(`${keyword}: ${seen.join(", ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'prefixItems: sdk 1 refused refused, client 2 passes refused
prefixItems with $schema: sdk 1 refused refused, client 2 passes refused
dependentRequired: sdk 1 passes passes, client 2 passes refused
unevaluatedProperties: sdk 1 passes passes, client 2 passes refused
minContains: sdk 1 passes passes, client 2 passes refused' ]
