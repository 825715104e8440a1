import { createServer } from "node:net";
import { Worker } from "node:worker_threads";
import type { App } from "#api/app.ts";
import type { AppContext } from "#api/app-context.ts";
import { ConfigError } from "#config/read-settings.ts";
import type { CallLedger, Counted } from "#ledger/call-ledger.ts";
import type { DebitOutcome, KeyStatus, KeyStatusOrder } from "#ledger/port.ts";
import {
  type ConnectionLimits,
  type ConnectionPlace,
  createConnectionLimits,
} from "./connection-limits.ts";
import {
  createQuestions,
  type FromHttpThread,
  gatherMessages,
  type HttpThreadSettings,
  type ToHttpThread,
} from "./http-messages.ts";
import type { NodeLog } from "./log.ts";
import type { NodeMetrics } from "./metrics.ts";
import { serveRelay } from "./relay.ts";
import type { RecorderOptions } from "./request-recorder.ts";
import { describeError, errorOf } from "./sent-errors.ts";
import { listen, type NodeServer } from "./server.ts";

/** The HTTP threads, and what the main thread does for them: it counts the rates, has the ledger, and serves what they relay. */
export type HttpThreads = NodeServer & {
  /** Has every thread send what it has counted to the metrics. */
  gather(): Promise<void>;
  /** The open connections of each thread. */
  connections(): number[];
};

/** What the threads need of the main thread. */
export type HttpThreadDeps = {
  app: App;
  calls: CallLedger;
  reverseLater: AppContext["reverseLater"];
  log: Pick<NodeLog, "lines" | "logError">;
  metrics: Pick<NodeMetrics, "add" | "onConnectionClosed" | "onRequestsNotLogged">;
  /** Hands requests over to the request log. */
  logRequests: RecorderOptions["send"];
};

type Options = {
  count: number;
  /** Called with the port, before the first request. */
  open(port: number): HttpThreadDeps & { settings: Omit<HttpThreadSettings, "port" | "thread"> };
  host: string;
  port: number;
  /** The file that a thread runs. */
  entry?: URL;
};

/** The delay doubles after each failed start, so that a permanent fault does not fill the log. */
const RESTART_FIRST_MS = 100;
const RESTART_MAX_MS = 30_000;
/** A thread that ran for this long counts as started successfully. */
const GOOD_AFTER_MS = 60_000;

/** `wanted`: TOOLBOOTH_HTTP_THREADS. Only Linux spreads connections over the listeners of a port. Throws a ConfigError. */
export function httpThreadsOf(wanted: number, platform: string = process.platform): number {
  if (platform === "linux" || wanted === 1) return wanted;
  throw new ConfigError(
    `TOOLBOOTH_HTTP_THREADS is ${wanted}, but on this system only one thread can listen on the port. Set it to 1, or leave it out.`,
  );
}

const ENTRY = new URL("./http-thread.ts", import.meta.url);

export async function startHttpThreads({
  count,
  open,
  entry = ENTRY,
  ...at
}: Options): Promise<HttpThreads> {
  const port = await findPort(at);
  const deps = open(port);
  const { settings } = deps;
  const limits = createConnectionLimits({
    connectionsPerPeer: settings.connectionsPerPeer,
    connectionsMax: settings.connectionsMax,
    onConnectionClosed: deps.metrics.onConnectionClosed,
  });
  const start = (thread: number, onDeath: OnDeath) =>
    runThread({ ...deps, limits }, { ...settings, port, thread }, entry, onDeath);
  const threads = await Promise.all(
    Array.from({ length: count }, (_, at) =>
      // The main thread is the first.
      keepThread((onDeath) => start(at + 1, onDeath), deps.log),
    ),
  );
  return {
    port,
    connections: () => threads.map((thread) => thread.connections()),
    gather: async () => void (await Promise.all(threads.map((thread) => thread.gather()))),
    stop: async () => void (await Promise.all(threads.map((thread) => thread.stop()))),
  };
}

/** Listens for a moment without sharing: a port of another process that shares it would go unnoticed otherwise. */
async function findPort(at: { host: string; port: number }): Promise<number> {
  const server = createServer();
  const port = await listen(server, at);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

type Thread = { gather(): Promise<void>; connections(): number; stop(): Promise<void> };

/** Starts a thread, and restarts it when it dies. The first start must succeed. */
async function keepThread(
  startThread: (onDeath: OnDeath) => Promise<Thread>,
  log: HttpThreadDeps["log"],
): Promise<Thread> {
  let isStopping = false;
  let deaths = 0;
  let running: Thread | null = await start();

  async function start(): Promise<Thread> {
    const startedAt = Date.now();
    return startThread((cause) => {
      running = null;
      if (isStopping) return;
      if (Date.now() - startedAt >= GOOD_AFTER_MS) deaths = 0;
      log.logError("An HTTP thread died; restarting", { cause });
      restart();
    });
  }

  function restart(): void {
    const wait = Math.min(RESTART_MAX_MS, RESTART_FIRST_MS * 2 ** deaths);
    deaths += 1;
    setTimeout(async () => {
      if (isStopping) return;
      try {
        running = await start();
        if (isStopping) await running.stop();
      } catch (cause) {
        log.logError("An HTTP thread failed to start; retrying", { cause });
        restart();
      }
    }, wait).unref();
  }

  return {
    gather: async () => running?.gather(),
    connections: () => running?.connections() ?? 0,
    async stop() {
      isStopping = true;
      await running?.stop();
    },
  };
}

type Shared = HttpThreadDeps & { limits: ConnectionLimits };
type OnDeath = (cause: Error) => void;

/** Runs a thread until it ends. Resolves when it listens; rejects if it could not. `onDeath`: called if it ended after that. */
function runThread(
  { app, calls, reverseLater, log, metrics, logRequests, limits }: Shared,
  settings: HttpThreadSettings,
  entry: URL,
  onDeath: OnDeath,
): Promise<Thread> {
  const worker = new Worker(entry, { workerData: settings });
  const send = gatherMessages<ToHttpThread>(worker);
  const relay = serveRelay(app, send);
  const questions = createQuestions();
  const place: ConnectionPlace = {
    findIdle: (peers, max) => questions.ask((id) => send({ kind: "findIdle", id, peers, max })),
    closeIdle: (ids) => questions.ask((id) => send({ kind: "closeIdle", id, ids })),
  };
  const listening = Promise.withResolvers<Thread>();
  const ended = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  let gathered = Promise.withResolvers<void>();
  let isListening = false;
  let cause: Error | undefined;

  async function sendOutcome(id: number, carriedOut: unknown): Promise<void> {
    try {
      send({ kind: "outcome", id, outcome: await carriedOut });
    } catch (error) {
      send({ kind: "failed", id, error: describeError(error) });
    }
  }

  /** A key that does not work is counted here, because the threads relay the next call that has it. */
  async function watchKey<Outcome extends DebitOutcome | KeyStatus>(
    order: KeyStatusOrder,
    counted: Promise<Counted<Outcome>>,
  ): Promise<Counted<Outcome>> {
    const result = await counted;
    const { outcome } = result.outcome;
    if (outcome === "invalid_key" || outcome === "key_expired") {
      const { account, keySha256, address = null } = order;
      app.rejectKey({ account, keySha256, address });
    }
    return result;
  }

  function receive(message: FromHttpThread): void {
    switch (message.kind) {
      case "debit":
        void sendOutcome(
          message.id,
          watchKey(message.order, calls.debit(message.order, message.isCounted)),
        );
        break;
      case "keyStatus":
        void sendOutcome(message.id, watchKey(message.order, calls.keyStatus(message.order)));
        break;
      case "reverse":
        void sendOutcome(message.id, reverseLater(message.call));
        break;
      case "lines":
        log.lines(message.text);
        break;
      case "error": {
        const { details, cause: sent } = message;
        log.logError(message.message, { ...details, ...(sent && { cause: errorOf(sent) }) });
        break;
      }
      case "requests":
        void sendOutcome(message.id, logRequests(message.chunks));
        break;
      case "notLogged":
        metrics.onRequestsNotLogged(message.count);
        break;
      case "opened": {
        const { id, connection, peer, isProxy } = message;
        void sendOutcome(id, limits.opened({ place, id: connection, peer, isProxy }));
        break;
      }
      case "closed":
        limits.closed({ place, id: message.connection });
        break;
      case "connections":
        questions.resolve(message.id, message.ids);
        break;
      case "connectionClosed":
        metrics.onConnectionClosed(message.event);
        break;
      case "counts":
        metrics.add(message.counts);
        break;
      case "counted":
        gathered.resolve();
        break;
      case "listening":
        isListening = true;
        listening.resolve({ gather, connections: () => limits.countIn(place), stop });
        break;
      case "stopped":
        stopped.resolve();
        break;
      default:
        relay.receive(message);
    }
  }

  async function gather(): Promise<void> {
    gathered = Promise.withResolvers();
    send({ kind: "count" });
    await Promise.race([gathered.promise, ended.promise]);
  }

  async function stop(): Promise<void> {
    send({ kind: "stop" });
    await Promise.race([stopped.promise, ended.promise]);
    await worker.terminate();
  }

  worker.on("message", (messages: FromHttpThread[]) => {
    for (const message of messages) receive(message);
  });
  worker.on("error", (error) => {
    cause = error as Error;
  });
  worker.on("exit", (code) => {
    relay.close();
    limits.lost(place);
    settings.heldBytes[settings.thread] = 0;
    questions.resolveAll([]);
    ended.resolve();
    const reason = cause ?? new Error(`exit code ${code}`);
    if (isListening) onDeath(reason);
    else listening.reject(reason);
  });
  return listening.promise;
}
