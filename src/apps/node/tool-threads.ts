import type { Worker } from "node:worker_threads";
import type { BeginCall, PreparedCall, RunSteps, ToolJob, ToolResponse } from "#calls/run-tool.ts";
import { ApiError } from "#errors.ts";
import {
  OWN_ABORT_GRACE_MS,
  OWN_ABORT_HEARD_MS,
  OWN_IDLE_MS,
  OWN_LOAD_TIMEOUT_MS,
  TOOL_QUEUE_PER_ACCOUNT_MAX,
} from "#limits.ts";
import type { FromCall, FromServing, ToServing } from "./serve-calls.ts";
import { Turns } from "./turn-queue.ts";

/** What threads serve, and what becomes of the calls that they do not complete. */
export type Served = {
  /** Starts a thread (`serve-calls.ts`). */
  start(): Worker;
  threadsMax: number;
  /** Calls that a thread has at once. */
  callsAtOnce: number;
  /** So many threads stay when there are no calls. */
  threadsKept: number;
  /** How long a call waits for a thread, and how long it may run. */
  patienceMs: number;
  limitMs: number;
  tooMany(cause: Error): ApiError;
  late(): ApiError;
  /** The tool has thrown, or its thread has ended. */
  failed(cause: unknown): Error;
  onReady?(): void;
  /** A thread has ended by itself, before its calls get their error. `hasRun`: whether it was ready. */
  onDeath(cause: unknown, calls: number, hasRun: boolean): void;
  /** A tool writes to the log. `callId`: empty where it runs before its call is charged. */
  onLog?(message: string, callId: string): void;
};

/**
 * Threads that serve calls. They start with the first calls and end when there are none. When a call takes too long, its thread gets no
 * other, and is ended when it has none.
 */
export class ToolThreads {
  readonly #served: Served;
  readonly #threads = new Set<ToolThread>();
  readonly #turns: Turns;
  #isRetired = false;
  #isClosed = false;

  constructor(served: Served) {
    this.#served = served;
    this.#turns = new Turns(() => this.#callsMax(), TOOL_QUEUE_PER_ACCOUNT_MAX, served.tooMany);
  }

  /** How many calls wait for a thread. */
  waiting(): number {
    return this.#turns.waiting();
  }

  async run(job: ToolJob, account: string, steps: RunSteps): Promise<ToolResponse> {
    if (this.#isClosed) throw stopping();
    await this.#turns.take(account, this.#served.patienceMs);
    try {
      return await (this.#free() ?? this.#start()).run(job, steps);
    } finally {
      if (this.#isRetired) this.retire();
      this.#turns.end();
    }
  }

  /** The oldest thread that takes a call, so that those which only a burst needed end. */
  #free(): ToolThread | undefined {
    for (const thread of this.#threads) if (thread.takesCall()) return thread;
    return undefined;
  }

  /** How many threads are ready. */
  ready(): number {
    let ready = 0;
    for (const thread of this.#threads) if (thread.isReady()) ready += 1;
    return ready;
  }

  /** How many calls may have a thread. One thread starts at a time, so that a burst of short calls waits for one start and not for all. */
  #callsMax(): number {
    const { threadsMax, callsAtOnce } = this.#served;
    return Math.min(threadsMax, this.ready() + 1) * callsAtOnce;
  }

  /** Starts a thread for the calls to come. `onDeath` is told if that fails. */
  start(): void {
    try {
      this.#start();
    } catch {}
  }

  #start(): ToolThread {
    const served = this.#served;
    const watch = {
      onReady: () => {
        served.onReady?.();
        this.#turns.give();
      },
      onEnd: () => this.#threads.delete(thread),
      mayEnd: () => this.#threads.size > served.threadsKept,
    };
    let thread: ToolThread;
    try {
      thread = new ToolThread(served, watch);
    } catch (cause) {
      // Where the system has no more threads, Node throws at once.
      served.onDeath(cause, 1, false);
      throw served.failed(cause);
    }
    this.#threads.add(thread);
    return thread;
  }

  /** Rejects the calls that wait. */
  refuse(error: Error): void {
    this.#turns.refuse(error);
  }

  /** Ends each thread when it has no call. */
  retire(): void {
    this.#isRetired = true;
    for (const thread of this.#threads) thread.retire();
  }

  /** Ends all threads. Calls that wait or run fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.refuse(stopping());
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }
}

/** Whether the system gave no thread: Node throws that, or reports it as an error of the thread. */
export const isNotStarted = (cause: unknown): cause is Error =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_INIT_FAILED";

type Watch = { onReady(): void; onEnd(): void; mayEnd(): boolean };

/** A call that a thread has. */
type ThreadCall = PromiseWithResolvers<ToolResponse> & {
  /** By which its messages name it. */
  readonly number: number;
  /** Pays for the call before it runs. */
  readonly begin: BeginCall | undefined;
  limit?: NodeJS.Timeout;
};

/** A thread, and the calls that it has. */
class ToolThread {
  readonly #served: Served;
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

  constructor(served: Served, watch: Watch) {
    this.#served = served;
    this.#watch = watch;
    this.#loaded.promise.catch(() => {});
    this.#worker = served.start();
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
    return !this.#isRetired && this.#calls.size < this.#served.callsAtOnce;
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

  /**
   * Bytes that are not needed again are moved: with an idempotency key they may be, for a replay. A view of a larger buffer would take the
   * whole buffer along.
   */
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
    call.limit = setTimeout(() => this.#stop(call), this.#served.limitMs);
  }

  /** The tool learns by its signal that the time of the call is over. The thread's other calls go on, if they can, until theirs is. */
  #stop(call: ThreadCall): void {
    this.#send({ kind: "abort", call: call.number });
    this.#aborting += 1;
    this.#isRetired = true;
    call.reject(this.#served.late());
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
    if (message.kind === "log") this.#served.onLog?.(message.message, message.callId);
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
      // Otherwise its time was over, or it was not paid.
      if (call !== undefined) this.#receiveOf(call, message);
    }
  }

  #receiveOf(call: ThreadCall, message: FromCall): void {
    if (message.kind === "prepared") void this.#pay(call, message.prepared);
    else if (message.kind === "response") call.resolve(message.response);
    else if (message.kind === "failed") call.reject(this.#served.failed(message.cause));
    else {
      const { code, message: text, details } = message.fault;
      const cause = message.cause === null ? {} : { cause: message.cause };
      call.reject(new ApiError(code, text, { ...details, ...cause }));
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
      if (this.#calls.size === 0 && (this.#isRetired || this.#watch.mayEnd())) void this.end();
    }, forMs).unref();
  }

  #fail(cause: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#load);
    clearTimeout(this.#rest);
    this.#watch.onEnd();
    this.#loaded.reject(cause);
    if (!this.#isRetired) this.#served.onDeath(cause, this.#calls.size, this.#isReady);
    const error = cause instanceof ApiError ? cause : this.#served.failed(cause);
    for (const call of this.#calls.values()) call.reject(error);
  }
}

const stopping = () =>
  new ApiError("unavailable", "The service is stopping. The call was not charged. Try again.", {
    headers: { "Retry-After": "2" },
  });
