#!/usr/bin/env bash
# A service ends its calls with one AbortSignal when it shuts down, and gives it to each call. What is left on it after 200 finished calls?
# Expected: nothing, in every library: a call that is over removes its listener.
# Seen on 2026-11-29: @modelcontextprotocol/sdk 1.32.2 `callTool` and needle 3.5.0 leave one listener for each call, which keeps what belonged to the
# call; the memory grows as long as the service runs. @modelcontextprotocol/client 2.4.0, @ai-sdk/mcp 2.0.99,
# undici 8.13.1 and p-queue 10.0.0 leave none.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @ai-sdk/mcp@2.0.99 \
  zod@4.6.7 needle@3.5.0 undici@8.13.1 p-queue@10.0.0
cat > seen.mjs <<'JS'
import { getEventListeners, once, setMaxListeners } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createMCPClient } from "@ai-sdk/mcp";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import needle from "needle";
import PQueue from "p-queue";
import { request } from "undici";
const answers = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
  "tools/list": { tools: [{ name: "hash", inputSchema: { type: "object" } }] },
  "tools/call": { content: [] },
};
/** A transport that answers by itself. */
const transport = () => ({
  async start() {},
  async close() {},
  async send({ id, method }) {
    if (id !== undefined) setImmediate(() => this.onmessage({ jsonrpc: "2.0", id, result: answers[method] }));
  },
});
const server = createServer((_, response) => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
server.listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/`;
const client1 = new Client1({ name: "c", version: "1" });
const client2 = new Client2({ name: "c", version: "1" });
await client1.connect(transport());
await client2.connect(transport());
const { hash } = await (await createMCPClient({ transport: transport() })).tools();
const queue = new PQueue();
const call = { name: "hash", arguments: {} };
const calls = {
  "@modelcontextprotocol/sdk": (signal) => client1.callTool(call, undefined, { signal }),
  needle: (signal) => needle("get", url, { signal }),
  "@modelcontextprotocol/client": (signal) => client2.callTool(call, { signal }),
  "@ai-sdk/mcp": (abortSignal) => hash.execute({}, { abortSignal, toolCallId: "1", messages: [] }),
  undici: async (signal) => (await request(url, { signal })).body.text(),
  "p-queue": (signal) => queue.add(async () => 1, { signal }),
};
for (const [name, run] of Object.entries(calls)) {
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  for (let count = 0; count < 200; count += 1) await run(signal);
  await sleep(50);
  console.log(`${name}: ${getEventListeners(signal, "abort").length}`);
}
process.exit();
JS
seen=$(node --no-warnings seen.mjs)
echo "$seen"
[ "$seen" = '@modelcontextprotocol/sdk: 200
needle: 200
@modelcontextprotocol/client: 0
@ai-sdk/mcp: 0
undici: 0
p-queue: 0' ]
