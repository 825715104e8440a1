import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { openOwnToolThreads } from "#apps/node/own-tool-threads.ts";
import { stopCalls } from "#apps/node/stop-calls.ts";
import { loadTools } from "#apps/node/tools-folder.ts";
import { LocalCallLedger } from "#ledger/call-ledger.ts";
import { openInProcess } from "../../http/in-process.ts";
import { createBackstage } from "../../http/ledger-access.ts";
import {
  assertProblem,
  createCaller,
  openService,
  type TestServiceSettings,
} from "../../http/test-api.ts";
import { createMemoryLedger } from "../../support/memory-ledger.ts";
import { tool, toolProject } from "./tool-project.ts";

/** A stop ends the calls that run on, while the ledger is open. */

const SETTINGS: TestServiceSettings = { rateLimit: 0, fixed: true };
const KEY = { "Idempotency-Key": "one" };

test("a stop ends the calls that run or wait for a thread, and nothing is held after it", async (t) => {
  const never = "run: () => new Promise(() => {})";
  const folder = toolProject(t, {
    "tools/look.ts": tool(`effect: "read", timeLimitMs: 60_000, ${never}`),
    "tools/send.ts": tool(`effect: "act", timeLimitMs: 60_000, ${never}`),
  });
  const served = await loadTools([], path.join(folder, "tools"));
  const own = openOwnToolThreads(served.files, 1, { onFault() {}, onLog() {} });
  t.after(own.close);
  const ledger = createMemoryLedger();
  const started = Promise.withResolvers<void>();
  let holds = 0;
  const calls = new LocalCallLedger(
    {
      ...ledger,
      async hold(order) {
        const outcome = await ledger.hold(order);
        holds += 1;
        if (holds === 2) started.resolve();
        return outcome;
      },
    },
    0,
    () => 0,
  );
  const service = await openService(
    {
      name: "with threads",
      cannot: {},
      open: async () =>
        openInProcess(createBackstage(ledger, { now: Date.now, elapsed: () => 0 }), SETTINGS, {
          tools: served.tools,
          calls,
          runTool: own.run,
        }),
    },
    SETTINGS,
  );
  const caller = await createCaller(service);
  const running = ["look", "send"].map((name) => caller.call(name, {}, KEY));
  await started.promise;
  const waiting = caller.call("look", {});
  await stopCalls({ stop: async () => {} }, own, calls.openHolds, 10);
  const { account } = caller;
  const { balance, held } = await ledger.credits({ account, now: Date.now() });
  assert.deepEqual({ balance, held }, { balance: 100, held: 0 });
  const [looked, sent] = await Promise.all(running);
  assertProblem(looked ?? assert.fail(), "unavailable");
  assert.match(
    assertProblem(sent ?? assert.fail(), "unavailable").detail,
    /may have done its work/,
  );
  assertProblem(await waiting, "unavailable");
  assertProblem(await caller.call("send", {}, KEY), "unavailable");
  assert.equal(holds, 2);
});
