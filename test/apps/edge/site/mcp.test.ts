import assert from "node:assert/strict";
import { test } from "node:test";
import { HASH_TEXT_BYTES_MAX } from "#limits.ts";
import { TOOLS } from "#tools/registry.ts";
import { connectMcp, REVISIONS } from "../../../http/mcp-client.ts";
import { call, openAccount, site } from "./fixture.ts";

/** MCP through both Workers as they are deployed: the API Worker passes `/mcp` on, the site Worker makes the calls. */
const url = `${site.base}/mcp`;

test("the official client calls every tool in every revision", async () => {
  const { key } = await openAccount(100);
  for (const revision of REVISIONS) {
    const client = await connectMcp({ url, key, revision });
    const { tools } = await client.listTools();
    assert.equal(tools.length, TOOLS.length);
    for (const { name, verbatim, examples } of TOOLS) {
      const [{ request } = assert.fail()] = examples;
      const args = (verbatim ? { body: request } : request) as Record<string, unknown>;
      const result = await client.callTool({ name, arguments: args });
      assert.equal(result.isError ?? false, false, JSON.stringify(result));
    }
    await client.close();
  }
  const last = await connectMcp({ url, key, revision: "2026-07-28" });
  const { _meta } = await last.callTool({ name: "uuid", arguments: {} });
  const calls = REVISIONS.length * TOOLS.length + 1;
  assert.equal(_meta?.["toolbooth/credits-remaining"], 100 - (calls - 1));
  await last.close();
});

test("a repeat is charged once, in MCP or with the API itself", async () => {
  const { key } = await openAccount(3);
  const client = await connectMcp({ url, key, revision: "2025-11-25" });
  const send = () =>
    client.callTool({
      name: "uuid",
      arguments: { count: 2 },
      _meta: { "toolbooth/idempotency-key": "lost" },
    });
  const [first, again] = [await send(), await send()];
  assert.deepEqual(again.content, first.content);
  const direct = await call(key, "uuid", '{"count":2}', { "Idempotency-Key": "lost" });
  assert.deepEqual(first.content, [{ type: "text", text: await direct.text() }]);
  assert.equal(direct.headers.get("credits-remaining"), "3");
  await client.close();
});

test("a megabyte of Markdown or of text gets the response of the API", async () => {
  const { key } = await openAccount(5);
  const client = await connectMcp({ url, key, revision: "2026-07-28" });
  const text = "a".repeat(HASH_TEXT_BYTES_MAX);
  const hashed = await client.callTool({ name: "hash", arguments: { text } });
  assert.match(JSON.stringify(hashed.structuredContent), /"SHA256"/);
  const markdown = "*a* ".repeat(HASH_TEXT_BYTES_MAX / 4);
  const rendered = await client.callTool({ name: "markdown-render", arguments: { markdown } });
  const direct = await call(key, "markdown-render", JSON.stringify({ markdown }));
  assert.deepEqual(rendered.structuredContent, await direct.json());
  await client.close();
});
