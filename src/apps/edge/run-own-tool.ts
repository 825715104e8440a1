import { describeThrown, toolFailed, toolTimeout } from "#calls/call-errors.ts";
import { heldBytes } from "#calls/reply-pieces.ts";
import { type CallResponse, runToolInPieces, type Sources, type ToolJob } from "#calls/run-tool.ts";
import { ApiError } from "#errors.ts";
import { OWN_RESPONSE_BYTES_MAX, OWN_TIME_LIMIT_MS } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import { OWN_TOOLS, type OwnTool } from "./own-tools.ts";

/**
 * Own tools at the edge. They run in the isolate of the Worker, because there are no threads: a call that waits is given up at its time
 * limit, and one that computes without end is ended by the platform's limit on CPU time.
 */

/** Not the promises, because a request may not wait for that of another one. */
const loaded = new Map<string, Tool>();

/** Throws an ApiError `tool_failed` if the module cannot be loaded. */
export async function loadOwnTool(name: string): Promise<Tool> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const own = OWN_TOOLS.find((each) => each.name === name) as OwnTool;
  try {
    const { default: tool } = await own.importTool();
    loaded.set(name, tool);
    return tool;
  } catch (cause) {
    throw toolFailed(name, describeThrown(cause));
  }
}

/** Throws an ApiError: those of a call, `tool_failed` or `tool_timeout`. */
export async function runOwnTool(
  name: string,
  job: ToolJob,
  sources: Sources,
): Promise<CallResponse> {
  const tool = await loadOwnTool(name);
  const limitMs = tool.timeLimitMs ?? OWN_TIME_LIMIT_MS;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(toolTimeout(name, limitMs)), limitMs);
  try {
    const made = await Promise.race([runToolInPieces(tool, job, sources), late.promise]);
    const bytes = heldBytes(made.body);
    if (bytes <= OWN_RESPONSE_BYTES_MAX) return made;
    throw new RangeError(`the response has ${bytes} bytes; the limit is ${OWN_RESPONSE_BYTES_MAX}`);
  } catch (error) {
    throw error instanceof ApiError ? error : toolFailed(name, describeThrown(error));
  } finally {
    clearTimeout(timer);
  }
}
