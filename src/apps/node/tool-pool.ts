import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import type { ToolResponse } from "#api/pipeline/run-tool.ts";
import { ApiError } from "#errors.ts";
import { TOOL_QUEUE_MAX, TOOL_TIMEOUT_MS } from "#limits.ts";
import type { ThreadJob, ToolThreadResponse } from "./tool-thread.ts";

/** Threads for large inputs: bytes go in, the finished answer comes out, and no small call waits behind them. */
export type ToolPool = {
  run(job: ThreadJob): Promise<ToolResponse>;
  waiting(): number;
  close(): Promise<void>;
};

/** `onFault`: told of threads that could not start or died; the calls they had are answered with an error. */
export function openToolPool(threads: number | null, onFault: (cause: Error) => void): ToolPool {
  const count = threads ?? Math.max(1, availableParallelism() - 1);
  const pool = new Piscina<ThreadJob, ToolThreadResponse>({
    filename: new URL("./tool-thread.ts", import.meta.url).href,
    minThreads: 1,
    maxThreads: count,
    idleTimeout: 30_000,
  });

  pool.on("error", onFault);

  async function run(job: ThreadJob): Promise<ToolResponse> {
    // Not by Piscina's `maxQueue`, which does not count jobs that come with a signal (5.3.2).
    if (pool.queueSize >= TOOL_QUEUE_MAX) throw overloaded(new Error("The queue is full"));
    // Counted from here, with the time in the queue: whoever waited so long does not wait any more.
    const signal = AbortSignal.timeout(TOOL_TIMEOUT_MS);
    // Moving the bytes spares a copy; with an idempotency key they may be needed again for a replay.
    const transferList = job.fingerprint ? [] : [job.body.buffer as ArrayBuffer];
    const response = await pool.run(job, { signal, transferList }).catch((cause) => {
      throw isPassing(cause) ? overloaded(cause) : cause;
    });
    if ("fault" in response)
      throw new ApiError(response.fault.code, response.fault.message, response.fault.details);
    return response;
  }

  return { run, waiting: () => pool.queueSize, close: () => pool.close() };
}

/** The deadline, or a machine that has no memory or no file descriptor left for a thread right now. */
const isPassing = (cause: { name?: string; code?: string }) =>
  cause.name === "AbortError" || cause.code === "ERR_WORKER_INIT_FAILED";

function overloaded(cause: unknown): ApiError {
  return new ApiError(
    "unavailable",
    "The service has as many large calls as it can take. The call was not charged. Try again in a moment.",
    { cause, headers: { "Retry-After": "2" } },
  );
}
