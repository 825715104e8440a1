import { Worker } from "node:worker_threads";
import type { ToolResponse } from "#calls/run-tool.ts";
import { ApiError } from "#errors.ts";
import { TOOL_TIMEOUT_MS } from "#limits.ts";
import type { LastingFaults } from "./lasting-faults.ts";
import type { NodeLog } from "./log.ts";
import type { ThreadJob } from "./tool-thread.ts";
import { isNotStarted, ToolThreads } from "./tool-threads.ts";

/** Threads for large inputs: bytes in, finished response out, so that small calls never wait behind large ones. */
export type ToolPool = Pick<ToolThreads, "waiting" | "close"> & {
  /** `account`: whose job it is. Accounts share the threads. `onThread`: called when the job has one. */
  run(job: ThreadJob, account?: string, onThread?: () => void): Promise<ToolResponse>;
};

export type ToolPoolOptions = {
  /** Called with the cause when no thread can start, and with null when one has started after that. */
  onBroken?: (cause: unknown) => void;
  /** The file that a thread runs. */
  entry?: URL;
  retryMs?: number;
  patienceMs?: number;
  limitMs?: number;
};

/** How long a pool whose threads cannot start waits before it tries again. */
const RETRY_MS = 10_000;

/** `onFault` is called for threads that failed to start or died; their calls get an error. */
export function openToolPool(
  threadsMax: number,
  onFault: (cause: unknown) => void,
  {
    onBroken = () => {},
    entry = ENTRY,
    retryMs = RETRY_MS,
    patienceMs = TOOL_TIMEOUT_MS,
    limitMs = TOOL_TIMEOUT_MS,
  }: ToolPoolOptions = {},
): ToolPool {
  /** Why no thread can start; null if one has. Then calls fail at once until one can. */
  let broken: { cause: unknown } | null = null;
  let retry: NodeJS.Timeout | undefined;
  const threads = new ToolThreads({
    start: () => new Worker(entry),
    ...{ threadsMax, callsAtOnce: 1, threadsKept: 1, patienceMs, limitMs },
    tooMany: overloaded,
    late: () => overloaded(new Error("It took too long")),
    failed: (cause) => (broken === null ? failed(cause) : withoutThreads(broken.cause)),
    onReady() {
      if (broken !== null) onBroken(null);
      broken = null;
    },
    onDeath(cause, _, hasRun) {
      onFault(cause);
      // Others have started.
      if (hasRun || threads.ready() > 0) return;
      broken = { cause };
      onBroken(cause);
      threads.refuse(withoutThreads(cause));
      clearTimeout(retry);
      retry = setTimeout(() => threads.start(), retryMs).unref();
    },
  });
  return {
    async run(job, account = "", onThread) {
      if (broken !== null) throw withoutThreads(broken.cause);
      return threads.run(job, account, { onThread });
    },
    waiting: () => threads.waiting(),
    close() {
      clearTimeout(retry);
      return threads.close();
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

const ENTRY = new URL("./tool-thread.ts", import.meta.url);

/** The machine may have no memory or file descriptor for a thread at the moment. */
function failed(cause: unknown): Error {
  if (isNotStarted(cause)) return overloaded(cause);
  return cause instanceof Error ? cause : new Error(String(cause));
}

function overloaded(cause: Error): ApiError {
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
