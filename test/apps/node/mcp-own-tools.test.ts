import assert from "node:assert/strict";
import { test } from "node:test";
import { startProject, tool, toolProject } from "./tool-project.ts";

/** Own tools for agents, through the server as it runs: what is paid reaches them, whatever its type. */

const passing = (response: string) =>
  tool(`effect: "read", passThrough: true, run: () => ${response}`);

test("agents get a file of any type, and one without a type, and pay for it", async (t) => {
  const folder = toolProject(t, {
    "tools/pdf.ts": passing(
      'new Response("%PDF", { headers: { "Content-Type": "application/pdf" } })',
    ),
    "tools/untyped.ts": passing("new Response(new Uint8Array([1, 2, 3]))"),
    "tools/text.ts": passing('new Response("a", { headers: { "Content-Type": "text/plain" } })'),
    "tools/send.ts": tool('effect: "act", run: () => ({ sent: 1 })'),
  });
  const server = await startProject(t, folder);
  const blob = (mimeType: string, bytes: string) => ({
    type: "resource",
    resource: { uri: "response:///", mimeType, blob: bytes },
  });
  const CONTENTS: Record<string, object> = {
    pdf: blob("application/pdf", "JVBERg=="),
    untyped: blob("application/octet-stream", "AQID"),
    text: { type: "text", text: "a" },
    send: { type: "text", text: '{"ok":true,"sent":1}' },
  };
  // The first call is free.
  await server.call("send", {}, { "Idempotency-Key": "one" });
  const before = await server.balance();
  for (const [name, content] of Object.entries(CONTENTS)) {
    const response = await fetch(`${server.base}/mcp`, {
      method: "POST",
      headers: server.headers,
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name, arguments: {} },
      }),
    });
    const { result, error } = (await response.json()) as Record<string, { content?: unknown }>;
    assert.deepEqual([error, result?.content], [undefined, [content]], name);
  }
  assert.equal(await server.balance(), before - 4);
});

test("agents are not offered a tool that takes a file, and are told how to call it", async (t) => {
  const folder = toolProject(t, {
    "tools/scan.ts": tool('file: { types: ["image/png"] }, run: () => ({})'),
    "tools/send.ts": tool("run: () => ({})"),
  });
  const server = await startProject(t, folder, { TOOLBOOTH_BUILT_IN_TOOLS: "none" });
  const ask = async (method: string, params: object) => {
    const response = await fetch(`${server.base}/mcp`, {
      ...{ method: "POST", headers: server.headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: what a response holds is what its test asserts.
    return (await response.json()) as any;
  };
  const { result } = await ask("tools/list", {});
  assert.deepEqual(
    result.tools.map(({ name }: { name: string }) => name),
    ["send"],
  );
  const { error } = await ask("tools/call", { name: "scan", arguments: {} });
  assert.match(error.message, /^scan takes a file, .+ Call it over HTTP: POST \/api\/v1\/scan\.$/);
});
