import { parentPort } from "node:worker_threads";
import type { ToolJob } from "#calls/run-tool.ts";
import type { Tool } from "#tools/define-tool.ts";
import { TOOLS } from "#tools/registry.ts";
import { lowerPriority } from "./low-priority.ts";
import { digest, random } from "./runtime.ts";
import { type FromServing, respond, type ToServing } from "./serve-calls.ts";

/** A thread for large inputs of the tools that come with Toolbooth. */
if (parentPort === null) throw new Error("This file must be started as a worker thread");
const port = parentPort;
lowerPriority();

/** A job for such a thread names its tool. */
export type ThreadJob = ToolJob & { tool: string };

const toolsByName = new Map(TOOLS.map((tool) => [tool.name, tool]));

port.on("message", async (message: ToServing) => {
  if (message.kind !== "call") return;
  const { call, job } = message;
  const tool = toolsByName.get((job as ThreadJob).tool) as Tool;
  const result = await respond(tool, job, { random, digest });
  const body = result.kind === "response" ? result.response.body : "";
  // Moved instead of copied.
  const moved = body instanceof Uint8Array ? [body.buffer as ArrayBuffer] : [];
  port.postMessage({ call, ...result } satisfies FromServing, moved);
});
port.postMessage({ kind: "ready" } satisfies FromServing);
