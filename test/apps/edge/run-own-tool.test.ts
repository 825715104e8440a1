import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { OWN_TOOLS, type OwnTool } from "#apps/edge/own-tools.ts";
import { runOwnTool } from "#apps/edge/run-own-tool.ts";
import { Repeated } from "#calls/idempotency.ts";
import type { BeginCall, ToolJob } from "#calls/run-tool.ts";
import { defineTool } from "#tools/define-tool.ts";
import { ownTool } from "#tools/own-tool.ts";
import { fixedToolContext } from "../../support/tool-context.ts";

/** Own tools at the edge, where a call has no thread that could be ended. */

const JOB: ToolJob = {
  ...{ body: new Uint8Array(), contentType: null, query: "", accept: null },
  ...{ receivedAt: 0, random: null, fingerprint: false },
};
const LIMIT_MS = 1_000;

/** A tool that runs until the test lets it. Returns a function that makes a call, and the ids of the calls that have run. */
function openTool(t: TestContext, name: string, work: Promise<void>) {
  const runs: string[] = [];
  const tool = ownTool(
    name,
    defineTool({
      summary: "Waits.",
      input: {},
      price: 1,
      timeLimitMs: LIMIT_MS,
      async run(_, { callId }) {
        runs.push(callId);
        await work;
        return {};
      },
    }),
  );
  const list = OWN_TOOLS as OwnTool[];
  list.push({ name, secrets: [], importTool: async () => ({ default: tool }) });
  t.after(() => void list.pop());
  const { random, digest } = fixedToolContext();
  const call = (begin: BeginCall) => runOwnTool(name, JOB, { random, digest, begin }, {});
  return { call, runs };
}

/** What waits for no timer has come to its end. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("the time limit of a call begins anew when it is paid, so a hold that takes long does not end it", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { call, runs } = openTool(t, "held-for-long", Promise.resolve());
  const holding = Promise.withResolvers<string>();
  const called = call(() => holding.promise);
  await settled();
  t.mock.timers.tick(2 * LIMIT_MS);
  holding.resolve("call_1");
  assert.deepEqual(JSON.parse(String((await called).body)), { ok: true });
  assert.deepEqual(runs, ["call_1"]);
});

test("a call that is paid has its time limit, and one that is not paid does not run", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { call, runs } = openTool(t, "never-ends", new Promise(() => {}));
  const called = call(async () => "call_1");
  await settled();
  t.mock.timers.tick(LIMIT_MS);
  await assert.rejects(called, { code: "tool_timeout" });
  const repeated = new Repeated({ type: "application/json", body: new Uint8Array() });
  await assert.rejects(
    call(() => Promise.reject(repeated)),
    (error) => error === repeated,
  );
  assert.deepEqual(runs, ["call_1"]);
});
