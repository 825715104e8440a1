import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import type { ToolResponse } from "#api/pipeline/run-tool.ts";
import { ApiError } from "#errors.ts";
import { TOOL_QUEUE_MAX, TOOL_TIMEOUT_MS } from "#limits.ts";
import type { ThreadJob, ToolThreadResponse } from "./tool-thread.ts";

/** A pool of threads for large inputs: bytes in, finished response out, so that small calls never wait behind large ones. */
export type ToolPool = {
  run(job: ThreadJob): Promise<ToolResponse>;
  waiting(): number;
  close(): Promise<void>;
};

/** `onFault` is called for threads that failed to start or died; their calls get an error. */
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
    // Piscina's `maxQueue` does not count jobs that have a signal (5.3.2).
    if (pool.queueSize >= TOOL_QUEUE_MAX) throw overloaded(new Error("The queue is full"));
    // Includes the time in the queue: a client that waited this long has given up.
    const signal = AbortSignal.timeout(TOOL_TIMEOUT_MS);
    // Transferring the bytes saves a copy; with an idempotency key they may be needed for a replay.
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

/** The job timed out, or the machine has no memory or file descriptor for a thread. */
const isPassing = (cause: { name?: string; code?: string }) =>
  cause.name === "AbortError" || cause.code === "ERR_WORKER_INIT_FAILED";

function overloaded(cause: unknown): ApiError {
  return new ApiError(
    "unavailable",
    "The service is busy with large calls. The call was not charged. Try again in a moment.",
    { cause, headers: { "Retry-After": "2" } },
  );
}
