import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import * as z from "zod";
import { MEMORY_WAIT_MS, REPLAYS_PER_MINUTE_MAX } from "#limits.ts";
import { defineTool } from "#tools/define-tool.ts";
import echo from "#tools/echo/tool.ts";
import { ownTool } from "#tools/own-tool.ts";
import { openChanged } from "../../http/in-process.ts";
import { call, KEY, post, resultOf } from "../../http/mcp-messages.ts";
import { assertProblem, createCaller } from "../../http/test-api.ts";

/** What the messages of a batch have in common: the memory of its body, and the size of their results. */

const KB = 1024;

test("a batch keeps its memory until its last message is served", async (t) => {
  const own = ownTool(
    "wait",
    defineTool({
      ...{ summary: "Waits.", input: {}, price: 1, effect: "none" },
      run: async () => ({ ...(await during()) }),
    }),
  );
  // Room for one body of more than 16 KB.
  const memory = { bytes: 64 * KB, bytesPerAccount: 64 * KB, heldMsMax: Infinity };
  const service = await openChanged(t, { tools: [own, echo], memory });
  const [caller, neighbor] = [await createCaller(service), await createCaller(service)];
  const large = "x".repeat(20 * KB);
  async function during() {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const waiting = neighbor.call("echo", large);
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    t.mock.timers.tick(MEMORY_WAIT_MS);
    t.mock.timers.reset();
    assertProblem(await waiting, "unavailable");
    return { done: true };
  }
  const batch = [call("echo", { body: 1 }), call("wait", {}), call("echo", { body: large })];
  const results = (await post(service, caller, batch)).json() as { result: object }[];
  assert.ok(results.every(({ result }) => "content" in result && !("isError" in result)));
  assert.equal((await neighbor.call("echo", large)).status, 200);
});

test("a call that was repeated too often keeps no other message of its batch from being served", async (t) => {
  const own = ownTool(
    "pure",
    defineTool({ summary: "Computes.", input: {}, price: 1, effect: "none", run: () => ({}) }),
  );
  const service = await openChanged(t, { tools: [own, echo] });
  const caller = await createCaller(service);
  const repeated = call("pure", {}, { [KEY]: "one" });
  for (let repeat = 0; repeat <= REPLAYS_PER_MINUTE_MAX; repeat += 1)
    resultOf(await post(service, caller, repeated));
  const batch = [repeated, { ...call("echo", { body: 1 }), id: 2 }];
  const results = (await post(service, caller, batch)).json() as { result: Result }[];
  assert.deepEqual(
    results.map(({ result }) => result._meta["toolbooth/problem"]?.limitSource),
    ["idempotency_key", undefined],
  );
});

type Result = { _meta: Record<string, { limitSource: string }> };

test("after 8 MB of results the rest of a batch is not served and costs nothing", async (t) => {
  const own = ownTool(
    "fill",
    defineTool({
      ...{ summary: "Fills.", input: { kb: z.int() }, price: 1, effect: "none" },
      run: ({ kb }) => ({ text: "x".repeat(kb * KB) }),
    }),
  );
  const service = await openChanged(t, { tools: [own] });
  const caller = await createCaller(service, { credits: 20 });
  await caller.call("fill", { kb: 1 });
  const balance = await caller.balance();
  // Each result has its response twice: as text, and as structured content.
  const batch = [1, 2, 3, 4].map((id) => ({ ...call("fill", { kb: 3 * KB }), id }));
  const sent = [...batch, { jsonrpc: "2.0", method: "notifications/initialized" }];
  const results = (await post(service, caller, sent)).json() as {
    id: number;
    error?: { code: number; message: string };
  }[];
  assert.deepEqual(
    results.map(({ id, error }) => [id, error?.code]),
    [
      [1, undefined],
      [2, undefined],
      [3, -32000],
      [4, -32000],
    ],
  );
  assert.match(results[2]?.error?.message ?? "", /^Not served: the results before this message/);
  assert.equal(await caller.balance(), balance - 2);
});
