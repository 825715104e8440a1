import { Worker } from "node:worker_threads";
import { toolFailed, toolTimeout } from "#calls/call-errors.ts";
import type { RunSteps, ToolJob, ToolResponse } from "#calls/run-tool.ts";
import { ApiError } from "#errors.ts";
import { OWN_HEAP_MB, OWN_TIME_LIMIT_MS, OWN_WAITING_THREADS, TOOL_TIMEOUT_MS } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import type { OwnThreadOrder, ToolFile } from "./own-tool-thread.ts";
import { isNotStarted, ToolThreads } from "./tool-threads.ts";

/**
 * The threads in which own tools run. Each tool has its own, so that what one leaves behind or breaks is not another's. A thread has one call
 * at a time, unless its tool says that it has more (`callsAtOnce`).
 */
export type OwnToolThreads = Pick<ToolThreads, "waiting" | "close" | "retire"> & {
  /**
   * Throws an ApiError: those of a call, `tool_failed`, `tool_timeout`, or `unavailable` where too many wait. `begin` is called when the input
   * has been checked; if it rejects, the tool does not run, and its error is thrown.
   */
  run(tool: Tool, job: ToolJob, account: string, steps?: RunSteps): Promise<ToolResponse>;
};

/** A thread that waits for its order (`own-tool-thread.ts`). */
export const startOwnThread = (): Worker =>
  new Worker(new URL("./own-tool-thread.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: OWN_HEAP_MB },
  });

export type OwnToolEvents = {
  /** A tool has ended its thread between two calls. */
  onFault(tool: string, cause: unknown): void;
  /** A tool writes to the log. `callId`: empty where the tool runs before its call is charged. */
  onLog(tool: string, message: string, callId: string): void;
};

/** `threadsMax`: for each tool that computes. `startThread`: starts a thread, or returns one that waits for its order. */
export function openOwnToolThreads(
  files: readonly ToolFile[],
  threadsMax: number,
  events: OwnToolEvents,
  startThread: () => Worker = startOwnThread,
): OwnToolThreads {
  const threads = new Map<string, ToolThreads>();
  function threadsOf(tool: Tool): ToolThreads {
    const found = threads.get(tool.name);
    if (found !== undefined) return found;
    const made = open(tool);
    threads.set(tool.name, made);
    return made;
  }
  function open({ name, effect, callsAtOnce, timeLimitMs: limitMs = OWN_TIME_LIMIT_MS }: Tool) {
    const file = files.find((each) => each.name === name) as ToolFile;
    // A tool that looks something up or acts waits rather than computes, so it may have more threads than cores.
    const isWaiting = effect !== "none" && callsAtOnce === undefined;
    return new ToolThreads({
      start() {
        const worker = startThread();
        worker.postMessage({ kind: "serve", file } satisfies OwnThreadOrder);
        return worker;
      },
      threadsMax: isWaiting ? Math.max(threadsMax, OWN_WAITING_THREADS) : threadsMax,
      callsAtOnce: callsAtOnce ?? 1,
      threadsKept: 0,
      ...{ patienceMs: TOOL_TIMEOUT_MS, limitMs },
      tooMany: (cause) => overloaded(name, cause),
      late: () => toolTimeout(name, limitMs),
      failed: (cause) =>
        isNotStarted(cause) ? withoutThread(name, cause) : toolFailed(name, cause),
      // The error of a call says it too.
      onDeath: (cause, calls) => calls === 0 && events.onFault(name, cause),
      onLog: (message, callId) => events.onLog(name, message, callId),
    });
  }
  return {
    run: (tool, job, account, steps = {}) => threadsOf(tool).run(job, account, steps),
    waiting: () => [...threads.values()].reduce((sum, each) => sum + each.waiting(), 0),
    retire() {
      for (const each of threads.values()) each.retire();
    },
    async close() {
      await Promise.all([...threads.values()].map((each) => each.close()));
    },
  };
}

const overloaded = (name: string, cause: Error) =>
  unavailable(`Too many calls of ${name} are waiting.`, cause);

/** The machine has no memory, file or thread for it at the moment. */
const withoutThread = (name: string, cause: Error) =>
  unavailable(`The service cannot run ${name} at the moment.`, cause);

const unavailable = (happened: string, cause: Error) =>
  new ApiError("unavailable", `${happened} The call was not charged. Try again in a moment.`, {
    cause,
    headers: { "Retry-After": "2" },
  });
