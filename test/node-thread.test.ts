import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { startThread } from "#node-thread.ts";

test("a thread that is stopped before it is ready leaves no rejection that nobody handles", async () => {
  const thread = startThread({
    name: "The thread",
    entry: new URL("data:text/javascript,setInterval(() => {}, 1_000)"),
    start: () => ({}),
    onMessage() {},
    onEnd() {},
    onDeath() {},
    restartAfterMs: () => 0,
  });
  await thread.stop("stop", 1_000);
  // Node looks for rejections after the microtasks.
  await setImmediate();
});

test("a thread that the system does not give is asked for again", async () => {
  const deaths = Promise.withResolvers<unknown[]>();
  const causes: unknown[] = [];
  const thread = startThread({
    name: "The thread",
    // Node throws at once for such an address, as it does where the system has no more threads.
    entry: new URL("https://example.com/thread.mjs"),
    start: () => ({}),
    onMessage() {},
    onEnd() {},
    onDeath(_, hasRun) {
      causes.push(hasRun);
      if (causes.length === 3) deaths.resolve(causes);
    },
    restartAfterMs: () => 1,
  });
  await assert.rejects(thread.started);
  const alive = setInterval(() => {}, 1_000);
  assert.deepEqual(await deaths.promise, [false, false, false]);
  clearInterval(alive);
  await thread.stop("stop", 1_000);
});
