import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { newAccountId, newKeyId } from "#ids.ts";
import { HASH_TEXT_BYTES_MAX } from "#limits.ts";
import { TOOLS } from "#tools/registry.ts";
import { connectMcp, REVISIONS } from "../../http/mcp-client.ts";
import { openEdgeSite } from "../../support/edge-site.ts";
import { operatorOf } from "./edge-member.ts";

/** MCP through both Workers as they are deployed: the API Worker passes `/mcp` on, the site Worker makes the calls. */
const TOKEN = "the-operator-of-a-service-in-a-test";
const site = await openEdgeSite({ after }, { texts: { TOOLBOOTH_OPERATOR_TOKEN: TOKEN } });
const operate = operatorOf(site, TOKEN);
const url = `${site.base}/mcp`;

/** The first call of an account is free. */
async function openAccount(amount: number) {
  const [now, account] = [Date.now(), newAccountId(randomBytes)];
  const credits = { grant: "operator:of-a-test", amount };
  await operate("openAccount", { account, email: `${account}@example.com`, credits, now });
  const id = newKeyId(account, randomBytes);
  return operate<{ key: string }>("createKey", { account, id, label: "agent", now });
}

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
  const direct = await fetch(`${site.base}/api/v1/uuid`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${key}`,
      "Content-Type": "application/json",
      "Idempotency-Key": "lost",
    },
    body: '{"count":2}',
  });
  assert.deepEqual(first.content, [{ type: "text", text: await direct.text() }]);
  assert.equal(direct.headers.get("credits-remaining"), "3");
  await client.close();
});

test("a megabyte of Markdown and of text", async () => {
  const { key } = await openAccount(5);
  const client = await connectMcp({ url, key, revision: "2026-07-28" });
  const text = "a".repeat(HASH_TEXT_BYTES_MAX);
  const hashed = await client.callTool({ name: "hash", arguments: { text } });
  assert.match(JSON.stringify(hashed.structuredContent), /"SHA256"/);
  const markdown = "*a* ".repeat(HASH_TEXT_BYTES_MAX / 4);
  const rendered = await client.callTool({ name: "markdown-render", arguments: { markdown } });
  const direct = await fetch(`${site.base}/api/v1/markdown-render`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ markdown }),
  });
  assert.deepEqual(rendered.structuredContent, await direct.json());
  await client.close();
});

test("keys and methods are checked as on Node, and pages of any origin may use it", async () => {
  const { key } = await openAccount(1);
  const ask = (method: string, headers: Record<string, string>) =>
    fetch(url, { method, headers, ...(method === "POST" ? { body: "{}" } : {}) });
  const bearer = { Authorization: `Bearer ${key}` };
  const table: [method: string, headers: Record<string, string>, status: number][] = [
    ["GET", bearer, 405],
    ["DELETE", bearer, 405],
    ["GET", {}, 401],
    ["OPTIONS", { Origin: "https://agents.example" }, 204],
    ["POST", {}, 401],
    ["POST", { Authorization: `Bearer ${key}x` }, 401],
    ["POST", bearer, 415],
    [
      "POST",
      { ...bearer, "Content-Type": "application/json", Origin: "https://agents.example" },
      400,
    ],
  ];
  for (const [method, headers, status] of table) {
    const response = await ask(method, headers);
    assert.equal(response.status, status, `${method} ${JSON.stringify(headers)}`);
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    const allow = status === 405 || status === 204 ? "POST, OPTIONS" : null;
    assert.equal(response.headers.get("allow"), allow);
    const challenge = response.headers.get("www-authenticate");
    assert.equal(challenge?.startsWith("Bearer") ?? false, status === 401);
    await response.body?.cancel();
  }
});
