import { Worker } from "node:worker_threads";
import { toolFailed, toolTimeout } from "#calls/call-errors.ts";
import type { BeginCall, PreparedCall, ToolJob, ToolResponse } from "#calls/run-tool.ts";
import { ApiError } from "#errors.ts";
import {
  OWN_ABORT_GRACE_MS,
  OWN_HEAP_MB,
  OWN_IDLE_MS,
  OWN_LOAD_TIMEOUT_MS,
  OWN_TIME_LIMIT_MS,
  TOOL_QUEUE_PER_ACCOUNT_MAX,
  TOOL_TIMEOUT_MS,
} from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import type { FromServing, OwnThreadOrder, ToolFile, ToServing } from "./own-tool-thread.ts";
import { createTurnQueue } from "./turn-queue.ts";

/**
 * The threads in which own tools run. Each tool has its own, so that what one leaves behind or breaks is not another's; they start with
 * the first call and end when there are none. A thread has one call at a time, and is ended and replaced when that call takes too long.
 */
export type OwnToolThreads = {
  /**
   * Throws an ApiError: those of a call, `tool_failed`, `tool_timeout`, or `unavailable` where too many wait. `begin` is called when the input
   * has been checked; if it rejects, the tool does not run, and its error is thrown.
   */
  run(tool: Tool, job: ToolJob, account: string, begin?: BeginCall): Promise<ToolResponse>;
  /** How many calls wait for a thread. */
  waiting(): number;
  /** Ends all threads. Calls that wait or run fail. */
  close(): Promise<void>;
  /** Ends each thread when it has no call. */
  retire(): void;
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

/** `threadsMax`: for each tool. `startThread`: starts a thread, or returns one that waits for its order. */
export function openOwnToolThreads(
  files: readonly ToolFile[],
  threadsMax: number,
  events: OwnToolEvents,
  startThread: () => Worker = startOwnThread,
): OwnToolThreads {
  const threads = new Map(
    files.map((file) => {
      const { name } = file;
      return [name, new ThreadsOfTool(file, threadsMax, startThread, events)];
    }),
  );
  return {
    run: (tool, job, account, begin) =>
      (threads.get(tool.name) as ThreadsOfTool).run(tool, job, account, begin),
    waiting: () => [...threads.values()].reduce((sum, each) => sum + each.waiting(), 0),
    retire() {
      for (const each of threads.values()) each.retire();
    },
    async close() {
      await Promise.all([...threads.values()].map((each) => each.close()));
    },
  };
}

class ThreadsOfTool {
  readonly #file: ToolFile;
  readonly #max: number;
  readonly #startThread: () => Worker;
  readonly #threads = new Set<ToolThread>();
  readonly #idle: ToolThread[] = [];
  readonly #queue = createTurnQueue<PromiseWithResolvers<void>>();
  readonly #events: OwnToolEvents;
  #running = 0;
  #isRetired = false;
  #isClosed = false;

  constructor(file: ToolFile, max: number, startThread: () => Worker, events: OwnToolEvents) {
    this.#file = file;
    this.#max = max;
    this.#startThread = startThread;
    this.#events = events;
  }

  waiting(): number {
    return this.#queue.size();
  }

  async run(
    tool: Tool,
    job: ToolJob,
    account: string,
    begin: BeginCall | undefined,
  ): Promise<ToolResponse> {
    await this.#takeTurn(account);
    try {
      const thread = this.#idle.pop() ?? this.#start(tool);
      return await thread.run(job, tool.timeLimitMs ?? OWN_TIME_LIMIT_MS, begin);
    } finally {
      this.#endTurn();
    }
  }

  /** Resolves when one of the threads is free for the account. */
  #takeTurn(account: string): Promise<void> {
    if (this.#isClosed) return Promise.reject(stopping());
    if (this.#running < this.#max) {
      this.#running += 1;
      return Promise.resolve();
    }
    if (this.#queue.sizeOf(account) >= TOOL_QUEUE_PER_ACCOUNT_MAX)
      return Promise.reject(overloaded(this.#file.name));
    const turn = Promise.withResolvers<void>();
    this.#queue.add(account, turn);
    const late = setTimeout(() => {
      this.#queue.remove(turn);
      turn.reject(overloaded(this.#file.name));
    }, TOOL_TIMEOUT_MS);
    return turn.promise.finally(() => clearTimeout(late));
  }

  #endTurn(): void {
    const next = this.#queue.next();
    if (next === undefined) this.#running -= 1;
    else next.resolve();
  }

  #start(tool: Tool): ToolThread {
    const thread = new ToolThread(this.#startThread(), this.#file, tool, {
      onFree: () => void (this.#isRetired ? thread.end() : this.#idle.push(thread)),
      onFault: (cause) => this.#events.onFault(tool.name, cause),
      onLog: (message, callId) => this.#events.onLog(tool.name, message, callId),
      onEnd: () => {
        this.#threads.delete(thread);
        const at = this.#idle.indexOf(thread);
        if (at !== -1) this.#idle.splice(at, 1);
      },
    });
    this.#threads.add(thread);
    return thread;
  }

  retire(): void {
    this.#isRetired = true;
    for (const thread of [...this.#idle]) void thread.end();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (let turn = this.#queue.next(); turn !== undefined; turn = this.#queue.next())
      turn.reject(stopping());
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }
}

type Watch = {
  onFree(): void;
  onEnd(): void;
  onFault(cause: unknown): void;
  onLog(message: string, callId: string): void;
};

/** A thread with the code of a tool, and the call that it has. */
class ToolThread {
  readonly #tool: Tool;
  readonly #worker: Worker;
  readonly #watch: Watch;
  readonly #ready = Promise.withResolvers<void>();
  /** What the thread has thrown outside of a call. */
  #cause: unknown;
  #hasEnded = false;
  /** It is ended on purpose. */
  #isEnding = false;
  #call: PromiseWithResolvers<ToolResponse> | undefined;
  /** Pays for the call before it runs. */
  #begin: BeginCall | undefined;
  #limitMs = 0;
  #limit: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(worker: Worker, file: ToolFile, tool: Tool, watch: Watch) {
    this.#tool = tool;
    this.#watch = watch;
    this.#ready.promise.catch(() => {});
    this.#worker = worker;
    worker.postMessage({ kind: "serve", file } satisfies OwnThreadOrder);
    this.#worker.on("message", (message: FromServing) => this.#receive(message));
    this.#worker.on("error", (cause) => {
      this.#cause = cause;
    });
    this.#worker.on("exit", (code) =>
      this.#fail(this.#cause ?? `It ended its thread with exit code ${code}`),
    );
  }

  async run(
    job: ToolJob,
    timeLimitMs: number,
    begin: BeginCall | undefined,
  ): Promise<ToolResponse> {
    clearTimeout(this.#idle);
    this.#begin = begin;
    this.#limitMs = timeLimitMs;
    const call = Promise.withResolvers<ToolResponse>();
    this.#call = call;
    const load = setTimeout(
      () => this.#stop(toolFailed(this.#tool.name, "The file does not load in time")),
      OWN_LOAD_TIMEOUT_MS,
    );
    this.#ready.promise.then(
      () => {
        clearTimeout(load);
        if (this.#call !== call) return;
        this.#startLimit();
        this.#post(job);
      },
      () => {},
    );
    try {
      return await call.promise;
    } finally {
      clearTimeout(load);
      clearTimeout(this.#limit);
      this.#call = undefined;
      if (!this.#hasEnded) this.#rest();
    }
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#worker.terminate();
  }

  async close(): Promise<void> {
    this.#isEnding = true;
    this.#fail(stopping());
    await this.end();
  }

  /** Bytes that are not needed again are moved; a view of a larger buffer would take the whole buffer along. */
  #post(job: ToolJob): void {
    const { body } = job;
    const isWhole = body.byteLength === body.buffer.byteLength;
    const sent = isWhole && !job.fingerprint ? body : body.slice();
    this.#send({ kind: "call", job: { ...job, body: sent } }, [sent.buffer as ArrayBuffer]);
  }

  #send(message: ToServing, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  #startLimit(): void {
    const stop = () => this.#stop(toolTimeout(this.#tool.name, this.#limitMs));
    this.#limit = setTimeout(stop, this.#limitMs);
  }

  /** The time limit is of the tool's own work: it begins anew when the call is paid. */
  async #pay(prepared: PreparedCall): Promise<void> {
    const call = this.#call;
    const begin = this.#begin;
    if (call === undefined || begin === undefined) return;
    clearTimeout(this.#limit);
    try {
      const callId = await begin(prepared);
      if (this.#call !== call || this.#hasEnded) return;
      this.#startLimit();
      this.#send({ kind: "go", callId });
    } catch (error) {
      if (!this.#hasEnded) this.#send({ kind: "stop" });
      call.reject(error);
    }
  }

  #receive(message: FromServing): void {
    const call = this.#call;
    if (message.kind === "ready") this.#ready.resolve();
    else if (message.kind === "prepared") void this.#pay(message.prepared);
    else if (message.kind === "log") this.#watch.onLog(message.message, message.callId);
    else if (message.kind === "response") call?.resolve(message.response);
    else if (message.kind === "failed") call?.reject(toolFailed(this.#tool.name, message.cause));
    else {
      const { code, message: text, details } = message.fault;
      call?.reject(new ApiError(code, text, { ...details, cause: message.cause ?? undefined }));
    }
  }

  #rest(): void {
    this.#idle = setTimeout(() => void this.end(), OWN_IDLE_MS).unref();
    this.#watch.onFree();
  }

  /** The tool learns by its signal that its time is over. */
  #stop(error: ApiError): void {
    this.#fail(error);
    this.#send({ kind: "abort" });
    setTimeout(() => void this.end(), OWN_ABORT_GRACE_MS).unref();
  }

  #fail(cause: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#idle);
    this.#watch.onEnd();
    this.#ready.reject(cause);
    if (this.#call === undefined && !this.#isEnding) this.#watch.onFault(cause);
    this.#call?.reject(cause instanceof ApiError ? cause : toolFailed(this.#tool.name, cause));
  }
}

const overloaded = (name: string) =>
  new ApiError(
    "unavailable",
    `Too many calls of ${name} are waiting. The call was not charged. Try again in a moment.`,
    { headers: { "Retry-After": "2" } },
  );

const stopping = () =>
  new ApiError("unavailable", "The service is stopping. The call was not charged. Try again.", {
    headers: { "Retry-After": "2" },
  });
