import { loadTool } from "./load-tool.ts";
import { respondToCall, toolContextOf } from "./respond-to-call.ts";
import type { CallOrder, WorkerReport } from "./run-call.ts";

/** Runs calls one at a time, off the main thread, so that a large input does not block typing. */
const report = (message: WorkerReport) => self.postMessage(message);

self.addEventListener("message", async ({ data }: MessageEvent<CallOrder>) => {
  try {
    const tool = await loadTool(data.tool);
    report({
      response: await respondToCall(
        tool,
        data.call,
        toolContextOf(data.receivedAt),
        data.callContext,
      ),
    });
  } catch (cause) {
    report({ failure: String(cause) });
  }
});
