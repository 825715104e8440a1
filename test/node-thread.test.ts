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
