import { hash, randomBytes } from "node:crypto";
import { constants, getPriority, setPriority } from "node:os";
import { move, transferableSymbol, valueSymbol } from "piscina";
import { runTool, type ToolJob, type ToolResponse } from "#calls/run-tool.ts";
import { ApiError, type ErrorCode, type ProblemDetails } from "#errors.ts";
import { TOOLS } from "#tools/registry.ts";

/**
 * Large calls give way to small ones: the system prefers the threads that respond, where cores are scarce. Linux applies the priority to
 * the calling thread; elsewhere it would apply to the process.
 */
const NICENESS_ADDED = 5;
if (process.platform === "linux") lowerPriority();

/** A sandbox may deny this (systemd's `SystemCallFilter=~@resources`), and no user but root may raise the priority of a server that runs with less. */
function lowerPriority(): void {
  try {
    setPriority(Math.min(getPriority() + NICENESS_ADDED, constants.priority.PRIORITY_LOW));
  } catch {
    // The calls work all the same.
  }
}

/** A job for a thread names its tool. */
export type ThreadJob = ToolJob & { tool: string };

/** Runs one job on a pool thread. An API error is returned as data because thrown errors lose their fields between threads. */
export type ToolThreadResponse =
  | ToolResponse
  | { fault: { code: ErrorCode; message: string; details: Omit<ProblemDetails, "cause"> } };

const toolsByName = new Map(TOOLS.map((tool) => [tool.name, tool]));

const sources = {
  random: (count: number) => new Uint8Array(randomBytes(count)),
  digest: (algorithm: string, bytes: Uint8Array) => hash(algorithm, bytes, "buffer"),
};

/** Null is no job: its result only says that the thread has started. */
export default async function runJob(job: ThreadJob | null): Promise<ToolThreadResponse | null> {
  if (job === null) return null;
  try {
    const tool = toolsByName.get(job.tool);
    if (tool === undefined) throw new Error(`Unknown tool ${job.tool}`);
    const { body, type, fingerprint } = await runTool(tool, job, sources);
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    return moved({ body: bytes, type, fingerprint }, bytes);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { cause: _, ...details } = error.details;
    return { fault: { code: error.code, message: error.message, details } };
  }
}

/** Transfers the bytes instead of copying them. */
function moved(response: ToolResponse, bytes: Uint8Array): ToolResponse {
  const transferable = { [transferableSymbol]: [bytes.buffer], [valueSymbol]: response };
  return move(transferable as never) as unknown as ToolResponse;
}
