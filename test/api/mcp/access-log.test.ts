import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccessLogEntry, accessLogEntry } from "#api/access-log.ts";
import { openMemory } from "../../http/in-process.ts";
import { createCaller, openService } from "../../http/test-api.ts";

/** One request of MCP is two entries of the log with one request id: `/mcp`, and the call that it made. */
test("requests of MCP are recorded, and credits only with the call", async () => {
  const entries: AccessLogEntry[] = [];
  const opener = {
    name: "recorded",
    cannot: {},
    open: async () =>
      openMemory(
        { rateLimit: 0 },
        {
          record: (context, status, durationMs) =>
            entries.push(accessLogEntry(context, status, durationMs, true)),
        },
      ),
  };
  const service = await openService(opener, { rateLimit: 0 });
  const caller = await createCaller(service);
  const params = { name: "uuid", arguments: {} };
  const send = (headers: Record<string, string>) =>
    service.send("/mcp", {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "X-Request-Id": "mine",
        Authorization: `Bearer ${caller.key}`,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
  await send({});
  await send({ Authorization: "Bearer x" });
  await send({ Accept: "text/event-stream" });
  const { account } = caller;
  const seen = entries.map(({ route, status, code, charged, tool, account: of, requestId }) => {
    assert.equal(requestId, "mine");
    return [route, status, code, charged, tool, of];
  });
  assert.deepEqual(seen, [
    ["/api/v1/uuid", 200, null, 1, "uuid", account],
    ["/mcp", 200, null, null, null, account],
    ["/mcp", 401, "invalid_key", null, null, null],
    ["/mcp", 406, "not_acceptable", null, null, account],
  ]);
});

test("what fails inside is logged and not told", async () => {
  const logged: unknown[] = [];
  const broken = () => {
    throw new Error("secret details");
  };
  const opener = {
    name: "broken",
    cannot: {},
    open: async () =>
      openMemory(
        { rateLimit: 0 },
        {
          runTool: broken,
          logError: (message, { cause }) => logged.push([message, String(cause)]),
        },
      ),
  };
  const service = await openService(opener, { rateLimit: 0 });
  const caller = await createCaller(service);
  const params = { name: "uuid", arguments: {} };
  const response = await service.send("/mcp", {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${caller.key}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  const { result } = response.json();
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /^internal \(500\)/);
  assert.doesNotMatch(response.text, /secret/);
  assert.equal(logged.length, 1);
  assert.equal(await caller.balance(), 100);
});
