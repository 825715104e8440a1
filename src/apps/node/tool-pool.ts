import { Piscina } from "piscina";
import type { ToolResponse } from "#calls/run-tool.ts";
import { ApiError } from "#errors.ts";
import { TOOL_QUEUE_PER_ACCOUNT_MAX, TOOL_TIMEOUT_MS } from "#limits.ts";
import type { LastingFaults } from "./lasting-faults.ts";
import type { NodeLog } from "./log.ts";
import type { ThreadJob, ToolThreadResponse } from "./tool-thread.ts";
import { createTurnQueue } from "./turn-queue.ts";

/** A pool of threads for large inputs: bytes in, finished response out, so that small calls never wait behind large ones. */
export type ToolPool = {
  /** `account`: whose job it is. Accounts share the threads. `onThread`: called when the job has one. */
  run(job: ThreadJob, account?: string, onThread?: () => void): Promise<ToolResponse>;
  waiting(): number;
  close(): Promise<void>;
};

export type ToolPoolOptions = {
  /** Called with the cause when no thread can start, and with null when one has started after that. */
  onBroken?: (cause: unknown) => void;
  /** The file that a thread runs. */
  entry?: URL;
  retryMs?: number;
};

/** How long a pool whose threads cannot start waits before it tries again. */
const RETRY_MS = 10_000;

/** `onFault` is called for threads that failed to start or died; their calls get an error. */
export function openToolPool(
  threads: number,
  onFault: (cause: Error) => void,
  { onBroken = () => {}, entry = ENTRY, retryMs = RETRY_MS }: ToolPoolOptions = {},
): ToolPool {
  /** Why no thread can start; null if one has. */
  let broken: Broken = null;
  let proof: AbortController | null = null;
  let retry: NodeJS.Timeout | undefined;
  /** Ends the jobs that wait for a thread or have one. */
  const jobs = new Set<AbortController>();
  /** Opened by the first job: small calls need no thread. */
  let pool: Threads | undefined;

  function openThreads(): Threads {
    const opened: Threads = new Piscina({
      filename: entry.href,
      minThreads: 1,
      maxThreads: threads,
      idleTimeout: 30_000,
    });
    opened.on("error", (cause) => {
      if (opened !== pool) return;
      onFault(cause);
      // A thread that dies before it takes its job leaves the job waiting, also that of the proof.
      if (proof === null) void prove(opened);
      else if (opened.threads.length === 0) proof.abort(cause);
    });
    // Not before `pool` is set.
    queueMicrotask(() => void prove(opened));
    return opened;
  }

  /** Runs a job that does nothing. If a thread cannot do even that, calls fail at once until one can. */
  async function prove(opened: Threads): Promise<void> {
    const proving = new AbortController();
    proof = proving;
    try {
      await opened.run(null, { signal: proving.signal });
      if (broken !== null) onBroken(null);
      broken = null;
    } catch (error) {
      if (opened !== pool) return;
      // Others have started, or try to.
      if (opened.threads.length > 0) return await prove(opened);
      const cause = proving.signal.aborted ? proving.signal.reason : error;
      broken = { cause };
      onBroken(cause);
      for (const job of jobs) job.abort(cause);
      retry = setTimeout(() => {
        void opened.destroy();
        pool = openThreads();
      }, retryMs).unref();
    } finally {
      if (proof === proving) proof = null;
    }
  }

  const queue = createTurnQueue<Turn>();
  let running = 0;

  /** Resolves when the job may run. */
  function takeTurn(account: string, signal: AbortSignal): Promise<void> {
    if (running < threads) {
      running += 1;
      return Promise.resolve();
    }
    if (queue.sizeOf(account) >= TOOL_QUEUE_PER_ACCOUNT_MAX) {
      return Promise.reject(overloaded(new Error("The queue is full")));
    }
    const turn = Promise.withResolvers<void>();
    queue.add(account, turn);
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

  async function run(job: ThreadJob, account = "", onThread?: () => void): Promise<ToolResponse> {
    pool ??= openThreads();
    if (broken !== null) throw withoutThreads(broken.cause);
    const end = new AbortController();
    jobs.add(end);
    // Includes the time in the queue: a client that waited this long has given up.
    const signal = AbortSignal.any([end.signal, AbortSignal.timeout(TOOL_TIMEOUT_MS)]);
    try {
      await takeTurn(account, signal);
      onThread?.();
      return await runOnThread(pool, job, signal).finally(endTurn);
    } catch (error) {
      // It may have begun while the job waited.
      throw (broken as Broken) === null ? error : withoutThreads((broken as Broken)?.cause);
    } finally {
      jobs.delete(end);
    }
  }

  async function runOnThread(
    threads: Threads,
    job: ThreadJob,
    signal: AbortSignal,
  ): Promise<ToolResponse> {
    // Transferring the bytes saves a copy; with an idempotency key they may be needed for a replay. A buffer that has other bytes
    // too is not transferred.
    const isOwn = job.body.byteLength === job.body.buffer.byteLength;
    const transferList = job.fingerprint || !isOwn ? [] : [job.body.buffer as ArrayBuffer];
    const response = await threads.run(job, { signal, transferList }).catch((cause) => {
      throw isPassing(cause) ? overloaded(cause) : cause;
    });
    if (response === null) throw new Error("A thread returned no response");
    if ("fault" in response)
      throw new ApiError(response.fault.code, response.fault.message, response.fault.details);
    return response;
  }

  return {
    run,
    waiting: queue.size,
    async close() {
      clearTimeout(retry);
      await (broken === null ? pool?.close() : pool?.destroy());
    },
  };
}

/** The pool of a server: its faults are logged, and that no thread can start is a lasting one. */
export function openWatchedToolPool(
  threads: number,
  faults: Pick<LastingFaults, "set" | "clear">,
  { logError }: Pick<NodeLog, "logError">,
): ToolPool {
  return openToolPool(threads, (cause) => logError("A tool thread failed", { cause }), {
    onBroken(cause) {
      if (cause === null) return faults.clear("tools");
      logError("No tool thread can start", { cause });
      faults.set("tools", NO_TOOL_THREADS);
    },
  });
}

/** The cause is in the log: it may name folders. */
const NO_TOOL_THREADS = {
  message:
    "Large calls fail: no thread that processes them can start. The log says why; allow the server what the system denies it, or give it more threads and memory.",
  stopsCalls: true,
};

type Threads = Piscina<ThreadJob | null, ToolThreadResponse | null>;
type Broken = { cause: unknown } | null;

const ENTRY = new URL("./tool-thread.ts", import.meta.url);

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

const withoutThreads = (cause: unknown) =>
  new ApiError(
    "unavailable",
    "The service cannot process large calls at the moment. The call was not charged. Try again later.",
    { cause, headers: { "Retry-After": "10" } },
  );
