import { Worker, type WorkerOptions } from "node:worker_threads";

/** A thread that is started again when it dies. */
export type NodeThread<Order> = {
  /** Resolves when the first thread is ready. Rejects if it could not start; then another start follows all the same. */
  started: Promise<void>;
  /** Sends a message. Returns false if no thread is running. */
  post(order: Order): boolean;
  /** Sends a last message, by which the thread ends, and ends it by force after `timeoutMs`. No other thread follows. */
  stop(last: Order, timeoutMs: number): Promise<void>;
};

export type NodeThreadOptions<Message> = {
  /** The name of the thread at the start of an error. */
  name: string;
  /** The file that the thread runs. It sends any message when it is ready. */
  entry: URL;
  /** Returns what the next thread is started with. */
  start(): Pick<WorkerOptions, "workerData" | "transferList">;
  onMessage(message: Message): void;
  /** Called whenever a thread has ended: what was sent to it gets no response. */
  onEnd(): void;
  /** Called when a thread died, or could not start (`hasRun` is false). */
  onDeath(cause: Error, hasRun: boolean): void;
  /** How long to wait for the next start after so many deaths in a row. */
  restartAfterMs(deaths: number): number;
  /** Whether a thread may be started again now. If not, it is asked again later. */
  mayStart?(): boolean;
};

/** A thread that ran for this long was not started in vain: the count of deaths begins again. */
const GOOD_AFTER_MS = 60_000;

export function startThread<Order, Message>(
  options: NodeThreadOptions<Message>,
): NodeThread<Order> {
  const { name, entry, onMessage, onEnd, onDeath, restartAfterMs, mayStart = () => true } = options;
  /** The thread that runs or is being started. */
  let current: Worker | undefined;
  let isRunning = false;
  let isStopping = false;
  let deaths = 0;

  function start(): Promise<void> {
    const ready = Promise.withResolvers<void>();
    const startedAt = performance.now();
    const die = (death: Error, hasRun: boolean) => {
      ready.reject(death);
      if (isStopping) return;
      if (performance.now() - startedAt >= GOOD_AFTER_MS) deaths = 0;
      onDeath(death, hasRun);
      restartLater();
    };
    let worker: Worker;
    try {
      worker = new Worker(entry, options.start());
    } catch (error) {
      // Where the system has no more threads, Node throws at once.
      die(error as Error, false);
      return ready.promise;
    }
    current = worker;
    let cause: Error | undefined;
    worker.on("error", (error) => {
      cause = error as Error;
    });
    worker.once("message", () => {
      isRunning = true;
      worker.on("message", onMessage);
      ready.resolve();
    });
    worker.once("exit", (code) => {
      const hasRun = isRunning;
      current = undefined;
      isRunning = false;
      onEnd();
      die(cause ?? new Error(`${name} ended with exit code ${code}`), hasRun);
    });
    return ready.promise;
  }

  function restartLater(): void {
    const wait = restartAfterMs(deaths);
    deaths += 1;
    setTimeout(() => {
      if (isStopping) return;
      if (!mayStart()) return restartLater();
      // `onDeath` has had the cause.
      start().catch(() => {});
    }, wait).unref();
  }

  const started = start();
  // Some callers do not wait for it: `onDeath` has the cause.
  started.catch(() => {});
  return {
    started,
    post(order) {
      if (isRunning) current?.postMessage(order);
      return isRunning;
    },
    async stop(last, timeoutMs) {
      isStopping = true;
      const worker = current;
      if (worker === undefined) return;
      const exited = new Promise((resolve) => worker.once("exit", resolve));
      // One that is still starting has nothing to finish.
      if (isRunning) worker.postMessage(last);
      else void worker.terminate();
      const force = setTimeout(() => void worker.terminate(), timeoutMs);
      await exited;
      clearTimeout(force);
    },
  };
}
