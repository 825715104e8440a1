import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import type { ToolResponse } from "#api/pipeline/run-tool.ts";
import { ApiError } from "#errors.ts";
import { TOOL_QUEUE_MAX, TOOL_TIMEOUT_MS } from "#limits.ts";
import { createFairQueue } from "./fair-queue.ts";
import type { ThreadJob, ToolThreadResponse } from "./tool-thread.ts";

/** A pool of threads for large inputs: bytes in, finished response out, so that small calls never wait behind large ones. */
export type ToolPool = {
  /** `account`: whose job it is. Accounts share the threads. */
  run(job: ThreadJob, account?: string): Promise<ToolResponse>;
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

  const queue = createFairQueue<Turn>();
  let running = 0;

  /** Resolves when the job may run. */
  function takeTurn(job: ThreadJob, account: string, signal: AbortSignal): Promise<void> {
    if (running < count) {
      running += 1;
      return Promise.resolve();
    }
    if (queue.size() >= TOOL_QUEUE_MAX) {
      const full = overloaded(new Error("The queue is full"));
      const other = queue.giveWay(account);
      if (other === undefined) return Promise.reject(full);
      other.reject(full);
    }
    const turn = Promise.withResolvers<void>();
    queue.add(account, job.body.byteLength, turn);
    signal.addEventListener("abort", () => {
      queue.remove(turn);
      turn.reject(overloaded(signal.reason));
    });
    return turn.promise;
  }

  function endTurn(): void {
    const next = queue.next();
    if (next === undefined) running -= 1;
    else next.resolve();
  }

  async function run(job: ThreadJob, account = ""): Promise<ToolResponse> {
    // Includes the time in the queue: a client that waited this long has given up.
    const signal = AbortSignal.timeout(TOOL_TIMEOUT_MS);
    await takeTurn(job, account, signal);
    try {
      // Transferring the bytes saves a copy; with an idempotency key they may be needed for a replay. A buffer that has other bytes
      // too is not transferred.
      const isOwn = job.body.byteLength === job.body.buffer.byteLength;
      const transferList = job.fingerprint || !isOwn ? [] : [job.body.buffer as ArrayBuffer];
      const response = await pool.run(job, { signal, transferList }).catch((cause) => {
        throw isPassing(cause) ? overloaded(cause) : cause;
      });
      if ("fault" in response)
        throw new ApiError(response.fault.code, response.fault.message, response.fault.details);
      return response;
    } finally {
      endTurn();
    }
  }

  return { run, waiting: queue.size, close: () => pool.close() };
}

type Turn = PromiseWithResolvers<void>;

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
