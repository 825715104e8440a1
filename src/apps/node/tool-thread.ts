import { hash, randomBytes } from "node:crypto";
import { move, transferableSymbol, valueSymbol } from "piscina";
import { runTool, type ToolAnswer, type ToolJob } from "#api/pipeline/run-tool.ts";
import { type ErrorCode, Fault, type FaultDetails } from "#errors.ts";
import { findTool } from "#tools/registry.ts";

/** A job that crosses to a thread names its tool. */
export type ThreadJob = ToolJob & { tool: string };

/** One job on a thread of the pool. A refusal is an answer as well: errors lose their fields on the way between threads. */
export type ToolThreadAnswer =
  | ToolAnswer
  | { fault: { code: ErrorCode; message: string; details: Omit<FaultDetails, "cause"> } };

const sources = {
  random: (count: number) => new Uint8Array(randomBytes(count)),
  digest: (algorithm: string, bytes: Uint8Array) => hash(algorithm, bytes, "buffer"),
};

export default async function runJob(job: ThreadJob): Promise<ToolThreadAnswer> {
  try {
    const tool = findTool(job.tool);
    if (tool === undefined) throw new Error(`There is no tool ${job.tool}`);
    const { body, fingerprint } = await runTool(tool, job, sources);
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    return moved({ body: bytes, fingerprint }, bytes);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { cause: _, ...details } = error.details;
    return { fault: { code: error.code, message: error.message, details } };
  }
}

/** Hands the bytes over instead of copying them. */
function moved(answer: ToolAnswer, bytes: Uint8Array): ToolAnswer {
  const transferable = { [transferableSymbol]: [bytes.buffer], [valueSymbol]: answer };
  return move(transferable as never) as unknown as ToolAnswer;
}
