import { loadTool } from "./load-tool.ts";
import { respondToCall } from "./respond-to-call.ts";
import type { CallOrder, WorkerReport } from "./run-call.ts";
import { toolContextOf } from "./tool-context.ts";

/** Answers one call after the other, beside the page, so that a large input does not stop the typing. */
const report = (message: WorkerReport) => self.postMessage(message);

self.addEventListener("message", async ({ data }: MessageEvent<CallOrder>) => {
  try {
    const tool = await loadTool(data.tool);
    report({
      response: await respondToCall(tool, data.body, toolContextOf(data.receivedAt), data.place),
    });
  } catch (cause) {
    report({ failure: String(cause) });
  }
});
