import { Worker } from "node:worker_threads";
import { toolFailed, toolTimeout } from "#calls/call-errors.ts";
import type { BeginCall, PreparedCall, RunSteps, ToolJob, ToolResponse } from "#calls/run-tool.ts";
import { ApiError } from "#errors.ts";
import {
  OWN_ABORT_GRACE_MS,
  OWN_ABORT_HEARD_MS,
  OWN_HEAP_MB,
  OWN_IDLE_MS,
  OWN_LOAD_TIMEOUT_MS,
  OWN_TIME_LIMIT_MS,
  OWN_WAITING_THREADS,
  TOOL_QUEUE_PER_ACCOUNT_MAX,
  TOOL_TIMEOUT_MS,
} from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import type {
  FromCall,
  FromServing,
  OwnThreadOrder,
  ToolFile,
  ToServing,
} from "./own-tool-thread.ts";
import { createTurnQueue } from "./turn-queue.ts";

/**
 * The threads in which own tools run. Each tool has its own, so that what one leaves behind or breaks is not another's; they start with
 * the first calls and end when there are none. A thread has one call at a time, unless its tool says that it has more (`callsAtOnce`). When
 * a call takes too long, its thread gets no other, and is ended when it has none.
 */
export type OwnToolThreads = {
  /**
   * Throws an ApiError: those of a call, `tool_failed`, `tool_timeout`, or `unavailable` where too many wait. `begin` is called when the input
   * has been checked; if it rejects, the tool does not run, and its error is thrown.
   */
  run(tool: Tool, job: ToolJob, account: string, steps?: RunSteps): Promise<ToolResponse>;
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

/** `threadsMax`: for each tool that computes. `startThread`: starts a thread, or returns one that waits for its order. */
export function openOwnToolThreads(
  files: readonly ToolFile[],
  threadsMax: number,
  events: OwnToolEvents,
  startThread: () => Worker = startOwnThread,
): OwnToolThreads {
  const threads = new Map<string, ThreadsOfTool>();
  function threadsOf(tool: Tool): ThreadsOfTool {
    const found = threads.get(tool.name);
    if (found !== undefined) return found;
    const file = files.find(({ name }) => name === tool.name) as ToolFile;
    const made = new ThreadsOfTool(file, tool, threadsMax, startThread, events);
    threads.set(tool.name, made);
    return made;
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

class ThreadsOfTool {
  readonly #file: ToolFile;
  readonly #tool: Tool;
  readonly #threadsMax: number;
  readonly #startThread: () => Worker;
  readonly #threads = new Set<ToolThread>();
  readonly #queue = createTurnQueue<PromiseWithResolvers<void>>();
  readonly #events: OwnToolEvents;
  #running = 0;
  #isRetired = false;
  #isClosed = false;

  constructor(
    file: ToolFile,
    tool: Tool,
    threadsMax: number,
    startThread: () => Worker,
    events: OwnToolEvents,
  ) {
    this.#file = file;
    this.#tool = tool;
    // A tool that looks something up or acts waits rather than computes, so it may have more threads than cores.
    const isWaiting = tool.effect !== "none" && tool.callsAtOnce === undefined;
    this.#threadsMax = isWaiting ? Math.max(threadsMax, OWN_WAITING_THREADS) : threadsMax;
    this.#startThread = startThread;
    this.#events = events;
  }

  waiting(): number {
    return this.#queue.size();
  }

  async run(job: ToolJob, account: string, steps: RunSteps): Promise<ToolResponse> {
    await this.#takeTurn(account);
    try {
      return await (this.#free() ?? this.#start()).run(job, steps);
    } finally {
      if (this.#isRetired) this.retire();
      this.#endTurn();
    }
  }

  /** The oldest thread that takes a call, so that those which only a burst needed end. */
  #free(): ToolThread | undefined {
    for (const thread of this.#threads) if (thread.takesCall()) return thread;
    return undefined;
  }

  /** How many calls may have a thread. One thread starts at a time, so that a burst of short calls waits for one start and not for all. */
  #callsMax(): number {
    let ready = 0;
    for (const thread of this.#threads) if (thread.isReady()) ready += 1;
    return Math.min(this.#threadsMax, ready + 1) * (this.#tool.callsAtOnce ?? 1);
  }

  /** Resolves when a thread takes the account's call, or may start. */
  #takeTurn(account: string): Promise<void> {
    if (this.#isClosed) return Promise.reject(stopping());
    if (this.#running < this.#callsMax()) {
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
    this.#running -= 1;
    this.#giveTurns();
  }

  #giveTurns(): void {
    while (this.#queue.size() > 0 && this.#running < this.#callsMax()) {
      this.#running += 1;
      this.#queue.next()?.resolve();
    }
  }

  #start(): ToolThread {
    const tool = this.#tool;
    const thread = new ToolThread(this.#startThread(), this.#file, tool, {
      onReady: () => this.#giveTurns(),
      onFault: (cause) => this.#events.onFault(tool.name, cause),
      onLog: (message, callId) => this.#events.onLog(tool.name, message, callId),
      onEnd: () => this.#threads.delete(thread),
    });
    this.#threads.add(thread);
    return thread;
  }

  retire(): void {
    this.#isRetired = true;
    for (const thread of this.#threads) thread.retire();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (let turn = this.#queue.next(); turn !== undefined; turn = this.#queue.next())
      turn.reject(stopping());
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }
}

type Watch = {
  onReady(): void;
  onEnd(): void;
  onFault(cause: unknown): void;
  onLog(message: string, callId: string): void;
};

/** A call that a thread has. */
type ThreadCall = PromiseWithResolvers<ToolResponse> & {
  /** By which its messages name it. */
  readonly number: number;
  /** Pays for the call before it runs. */
  readonly begin: BeginCall | undefined;
  limit?: NodeJS.Timeout;
};

/** A thread with the code of a tool, and the calls that it has. */
class ToolThread {
  readonly #tool: Tool;
  readonly #worker: Worker;
  readonly #watch: Watch;
  readonly #loaded = Promise.withResolvers<void>();
  readonly #calls = new Map<number, ThreadCall>();
  #lastNumber = 0;
  /** What the thread has thrown outside of a call. */
  #cause: unknown;
  #isReady = false;
  /** It gets no more calls, and is ended when it has none. */
  #isRetired = false;
  #hasEnded = false;
  /** How many calls it has been told to end and has not heard of yet. */
  #aborting = 0;
  #load: NodeJS.Timeout;
  #rest: NodeJS.Timeout | undefined;

  constructor(worker: Worker, file: ToolFile, tool: Tool, watch: Watch) {
    this.#tool = tool;
    this.#watch = watch;
    this.#loaded.promise.catch(() => {});
    this.#worker = worker;
    worker.postMessage({ kind: "serve", file } satisfies OwnThreadOrder);
    this.#load = setTimeout(() => {
      this.#fail("The file did not load in time");
      void this.end();
    }, OWN_LOAD_TIMEOUT_MS);
    this.#worker.on("message", (message: FromServing) => this.#receive(message));
    this.#worker.on("error", (cause) => {
      this.#cause = cause;
    });
    this.#worker.on("exit", (code) =>
      this.#fail(this.#cause ?? `It ended its thread with exit code ${code}`),
    );
  }

  isReady(): boolean {
    return this.#isReady && !this.#isRetired;
  }

  takesCall(): boolean {
    return !this.#isRetired && this.#calls.size < (this.#tool.callsAtOnce ?? 1);
  }

  async run(job: ToolJob, { onThread, begin }: RunSteps): Promise<ToolResponse> {
    this.#lastNumber += 1;
    const { promise, resolve, reject } = Promise.withResolvers<ToolResponse>();
    const call: ThreadCall = { promise, resolve, reject, number: this.#lastNumber, begin };
    this.#calls.set(call.number, call);
    const start = () => {
      if (!this.#has(call)) return;
      onThread?.();
      this.#startLimit(call);
      this.#post(call, job);
    };
    try {
      if (this.#isReady) start();
      else this.#loaded.promise.then(start, () => {});
      return await call.promise;
    } finally {
      clearTimeout(call.limit);
      this.#calls.delete(call.number);
      this.#restOrEnd();
    }
  }

  /** It gets no more calls, and is ended when it has none. */
  retire(): void {
    this.#isRetired = true;
    this.#restOrEnd();
  }

  async end(): Promise<void> {
    this.#isRetired = true;
    await this.#worker.terminate();
  }

  async close(): Promise<void> {
    this.#isRetired = true;
    this.#fail(stopping());
    await this.end();
  }

  #has({ number }: ThreadCall): boolean {
    return this.#calls.has(number);
  }

  /** Bytes that are not needed again are moved; a view of a larger buffer would take the whole buffer along. */
  #post({ number }: ThreadCall, job: ToolJob): void {
    const { body } = job;
    const isWhole = body.byteLength === body.buffer.byteLength;
    const sent = isWhole && !job.fingerprint ? body : body.slice();
    // The body of every call that has a file is the same.
    const moved = sent.byteLength === 0 ? [] : [sent.buffer as ArrayBuffer];
    this.#send({ kind: "call", call: number, job: { ...job, body: sent } }, moved);
  }

  #send(message: ToServing, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  #startLimit(call: ThreadCall): void {
    const limitMs = this.#tool.timeLimitMs ?? OWN_TIME_LIMIT_MS;
    call.limit = setTimeout(() => this.#stop(call, limitMs), limitMs);
  }

  /** The tool learns by its signal that the time of the call is over. The thread's other calls go on, if they can, until theirs is. */
  #stop(call: ThreadCall, limitMs: number): void {
    this.#send({ kind: "abort", call: call.number });
    this.#aborting += 1;
    this.#isRetired = true;
    call.reject(toolTimeout(this.#tool.name, limitMs));
  }

  /** The time limit is of the tool's own work: it begins anew when the call is paid. */
  async #pay(call: ThreadCall, prepared: PreparedCall): Promise<void> {
    if (call.begin === undefined) return;
    clearTimeout(call.limit);
    try {
      const callId = await call.begin(prepared);
      if (!this.#has(call)) return;
      this.#startLimit(call);
      this.#send({ kind: "go", call: call.number, callId });
    } catch (error) {
      this.#send({ kind: "stop", call: call.number });
      call.reject(error);
    }
  }

  #receive(message: FromServing): void {
    if (message.kind === "log") this.#watch.onLog(message.message, message.callId);
    else if (message.kind === "aborted") {
      this.#aborting -= 1;
      this.#restOrEnd();
    } else if (message.kind === "ready") {
      clearTimeout(this.#load);
      this.#isReady = true;
      this.#loaded.resolve();
      this.#watch.onReady();
    } else {
      const call = this.#calls.get(message.call);
      // Otherwise its time was over.
      if (call !== undefined) this.#receiveOf(call, message);
    }
  }

  #receiveOf(call: ThreadCall, message: FromCall): void {
    if (message.kind === "prepared") void this.#pay(call, message.prepared);
    else if (message.kind === "response") call.resolve(message.response);
    else if (message.kind === "failed") call.reject(toolFailed(this.#tool.name, message.cause));
    else {
      const { code, message: text, details } = message.fault;
      call.reject(new ApiError(code, text, { ...details, cause: message.cause ?? undefined }));
    }
  }

  /** Of a thread that has no call. What was aborted has a moment to react, once it hears of it: a loop never does. */
  #restOrEnd(): void {
    if (this.#calls.size > 0 || this.#hasEnded) return;
    // One timer for all calls: most threads get the next one long before.
    if (!this.#isRetired && this.#rest !== undefined) return void this.#rest.refresh();
    clearTimeout(this.#rest);
    const graceMs = this.#aborting > 0 ? OWN_ABORT_HEARD_MS : OWN_ABORT_GRACE_MS;
    const forMs = this.#isRetired ? graceMs : OWN_IDLE_MS;
    this.#rest = setTimeout(() => {
      if (this.#calls.size === 0) void this.end();
    }, forMs).unref();
  }

  #fail(cause: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#load);
    clearTimeout(this.#rest);
    this.#watch.onEnd();
    this.#loaded.reject(cause);
    if (this.#calls.size === 0 && !this.#isRetired) this.#watch.onFault(cause);
    const error = cause instanceof ApiError ? cause : toolFailed(this.#tool.name, cause);
    for (const call of this.#calls.values()) call.reject(error);
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
