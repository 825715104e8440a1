import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import * as z from "zod";
import { defineTool } from "#tools/define-tool.ts";
import { ownTool } from "#tools/own-tool.ts";
import { openChanged } from "../http/in-process.ts";
import { call, post, resultOf } from "../http/mcp-messages.ts";
import { assertProblem, assertResponse, createCaller } from "../http/test-api.ts";

/** What differs for own tools, because nobody knows what their calls cost. */

async function openWithOwnTool(t: TestContext) {
  let runs = 0;
  const own = ownTool(
    "count",
    defineTool({
      summary: "Counts.",
      input: { text: z.string().default("") },
      price: 2,
      effect: "none",
      run() {
        runs += 1;
        return { done: true };
      },
    }),
  );
  return { service: await openChanged(t, { tools: [own] }), runs: () => runs };
}

test("each repeat of a call runs its tool again, so there are at most ten in a minute", async (t) => {
  const { service, runs } = await openWithOwnTool(t);
  const caller = await createCaller(service, { credits: 20 });
  const headers = { "Idempotency-Key": "one" };
  const first = await caller.call("count", {}, headers);
  assertResponse(first, 2);
  for (let repeat = 1; repeat <= 10; repeat++)
    assertResponse(await caller.call("count", {}, headers), 0);
  assertProblem(await caller.call("count", {}, headers), "rate_limited");
  assert.equal(runs(), 11);
});

test("an account without credits is rejected before the tool runs, once it has been rejected after a run", async (t) => {
  const { service, runs } = await openWithOwnTool(t);
  const caller = await createCaller(service, { credits: 2 });
  assertResponse(await caller.call("count", {}), 2);
  for (let call = 1; call <= 5; call++)
    assertProblem(await caller.call("count", {}), "insufficient_credits");
  assert.equal(runs(), 2);
});

test("a response that is passed on has its own type and bytes, as its repeat has, which costs nothing", async (t) => {
  const own = ownTool(
    "pass",
    defineTool({
      ...{ summary: "Passes.", input: {}, price: 2, effect: "none", passThrough: true },
      // In Latin-1, which its type does not say.
      run: () => new Response(Uint8Array.of(0xe4), { headers: { "Content-Type": "text/html" } }),
    }),
  );
  const caller = await createCaller(await openChanged(t, { tools: [own] }));
  for (const charged of ["2", "0"]) {
    const sent = await caller.call("pass", {}, { "Idempotency-Key": "one" });
    assert.deepEqual(
      [sent.status, sent.header("content-type"), sent.header("credits-charged")],
      [200, "text/html", charged],
    );
    assert.deepEqual(Buffer.from(sent.bytes), Buffer.of(0xe4));
  }
});

test("an agent gets a text that is passed on in the characters that its type says, and as bytes if it is none", async (t) => {
  const passing = (name: string, type: string) =>
    ownTool(
      name,
      defineTool({
        ...{ summary: "Passes.", input: {}, price: 1, effect: "none", passThrough: true },
        run: () => new Response(Uint8Array.of(0xe4), { headers: { "Content-Type": type } }),
      }),
    );
  const tools = [
    passing("latin", 'text/plain; charset="ISO-8859-1"'),
    passing("unnamed", "text/plain"),
    passing("unknown", "text/plain; charset=x-none"),
  ];
  const service = await openChanged(t, { tools });
  const caller = await createCaller(service);
  const blob = { uri: "response:///", mimeType: "text/plain", blob: "5A==" };
  for (const [name, content] of [
    ["latin", { type: "text", text: "ä" }],
    ["unnamed", { type: "resource", resource: blob }],
    ["unknown", { type: "resource", resource: blob }],
  ] as const)
    assert.deepEqual(resultOf(await post(service, caller, call(name, {}))).content, [content]);
});

test("an agent gets the response of a tool whose fields are named like those of a picture, and are none", async (t) => {
  const own = ownTool(
    "execute",
    defineTool({
      ...{ summary: "Runs it.", input: {}, price: 1, effect: "none" },
      output: { mimeType: z.string(), output: z.object({ lines: z.int() }) },
      run: () => ({ mimeType: "application/json", output: { lines: 3 } }),
    }),
  );
  const service = await openChanged(t, { tools: [own] });
  const result = resultOf(await post(service, await createCaller(service), call("execute", {})));
  const body = { ok: true, mimeType: "application/json", output: { lines: 3 } };
  assert.deepEqual(result.structuredContent, body);
  assert.deepEqual(JSON.parse(result.content[0].text), body);
});
