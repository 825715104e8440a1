import { move, transferableSymbol, valueSymbol } from "piscina";
import { runTool, type ToolJob, type ToolResponse } from "#calls/run-tool.ts";
import { ApiError, type ErrorCode, type ProblemDetails } from "#errors.ts";
import { TOOLS } from "#tools/registry.ts";
import { lowerPriority } from "./low-priority.ts";
import { digest, random } from "./runtime.ts";

lowerPriority();

/** A job for a thread names its tool. */
export type ThreadJob = ToolJob & { tool: string };

/** An API error is returned as data because thrown errors lose their fields between threads. */
export type ToolThreadResponse = ToolResponse | { fault: ThreadFault };
export type ThreadFault = {
  code: ErrorCode;
  message: string;
  details: Omit<ProblemDetails, "cause">;
};

const toolsByName = new Map(TOOLS.map((tool) => [tool.name, tool]));

/** Runs one job on a pool thread. Null is no job: its result only says that the thread has started. */
export default async function runJob(job: ThreadJob | null): Promise<ToolThreadResponse | null> {
  if (job === null) return null;
  try {
    const tool = toolsByName.get(job.tool);
    if (tool === undefined) throw new Error(`Unknown tool ${job.tool}`);
    const { body, type, fingerprint } = await runTool(tool, job, { random, digest });
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    return moved({ body: bytes, type, fingerprint }, bytes);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { fault: faultOf(error) };
  }
}

/** Transfers the bytes instead of copying them. */
function moved(response: ToolResponse, bytes: Uint8Array): ToolResponse {
  const transferable = { [transferableSymbol]: [bytes.buffer], [valueSymbol]: response };
  return move(transferable as never) as unknown as ToolResponse;
}

function faultOf({ code, message, details: { cause: _, ...details } }: ApiError): ThreadFault {
  return { code, message, details };
}
