import assert from "node:assert/strict";
import { test } from "node:test";
import { shareProject, tool } from "./tool-project.ts";

/** Own tools for agents, through the server as it runs: what is paid reaches them, whatever its type. */

const passing = (response: string) =>
  tool(`effect: "read", passThrough: true, run: () => ${response}`);

const project = shareProject({
  "tools/pdf.ts": passing(
    'new Response("%PDF", { headers: { "Content-Type": "application/pdf" } })',
  ),
  "tools/untyped.ts": passing("new Response(new Uint8Array([1, 2, 3]))"),
  "tools/text.ts": passing('new Response("a", { headers: { "Content-Type": "text/plain" } })'),
  "tools/send.ts": tool('effect: "act", run: () => ({ sent: 1 })'),
  "tools/scan.ts": tool('file: { types: ["image/png"] }, run: () => ({})'),
});

test("agents get a file of any type, and one without a type, and pay for it", async () => {
  const { askAgent, balance } = await project();
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
  const before = await balance();
  for (const [name, content] of Object.entries(CONTENTS)) {
    const { result, error } = await askAgent("tools/call", { name, arguments: {} });
    assert.deepEqual([error, result?.content], [undefined, [content]], name);
  }
  assert.equal(await balance(), before - 4);
});

test("agents are not offered a tool that takes a file, and are told how to call it", async () => {
  const { askAgent } = await project();
  const { result } = await askAgent("tools/list");
  const names = result.tools.map(({ name }: { name: string }) => name);
  assert.deepEqual([names.includes("send"), names.includes("scan")], [true, false]);
  const { error } = await askAgent("tools/call", { name: "scan", arguments: {} });
  assert.match(error.message, /^scan takes a file, .+ Call it over HTTP: POST \/api\/v1\/scan\.$/);
});
