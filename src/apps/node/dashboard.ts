import { AUTH_PATH } from "#accounts/auth-options.ts";
import type { RequestChunk } from "#accounts/request-log.ts";
import type { Handed } from "#accounts/request-recorder.ts";
import type { Rejection } from "#api/dashboard/rejections.ts";
import { type NodeThread, startThread } from "#node-thread.ts";
import type { ServiceConfig, ToolOffered } from "#service/parts.ts";
import type { NodeLog } from "./log.ts";
import type { DashboardCounts } from "./metrics.ts";
import type { NodeStore, StoreConnection } from "./store.ts";

/**
 * How many requests of each kind the thread may have at once: those to sign in, which a flood consists of, leave room for the others.
 */
export const REQUESTS_MAX = { "sign-in": 250, other: 250, operator: 50 } as const;
export type RequestKind = keyof typeof REQUESTS_MAX;

export const kindOf = ({ url }: Pick<Request, "url">): RequestKind =>
  new URL(url).pathname.startsWith(`${AUTH_PATH}/`) ? "sign-in" : "other";

/** What the thread starts with. */
export type ThreadData = {
  config: ServiceConfig;
  connection: StoreConnection;
  tools: readonly ToolOffered[];
};

type HeaderList = readonly (readonly [string, string])[];

export type ToDashboard =
  | {
      kind: "request";
      id: number;
      method: string;
      url: string;
      headers: [string, string][];
      body: Uint8Array | null;
      peer: string | null;
      /** Whether it came through the socket in the data folder. */
      isLocal: boolean;
    }
  | { kind: "requests"; id: number; chunks: readonly RequestChunk[] }
  | { kind: "stop" };

export type FromDashboard =
  | { kind: "ready" }
  | {
      kind: "response";
      id: number;
      status: number;
      headers: HeaderList;
      /** A stream for downloads, which may be larger than the memory; it is transferred, not copied. */
      body: Uint8Array | ReadableStream<Uint8Array>;
    }
  | { kind: "handed"; id: number; outcome: Handed }
  | { kind: "log"; method: LogMethod; args: unknown[] }
  | { kind: "rejection"; reason: Rejection }
  | { kind: "counts"; counts: DashboardCounts };

/** What the thread writes to the log, which is in the main thread. */
export type LogMethod = "info" | "warn" | "logError" | "email" | "show";

export type DashboardThread = {
  /**
   * Handles a request; `peer` is the client's network address. Rejects if the thread is down, or if it already has as many
   * requests of this kind as it may.
   */
  fetch(
    request: Request,
    body: Uint8Array | null,
    peer: string | null,
    kind?: RequestKind,
    isLocal?: boolean,
  ): Promise<Response>;
  /** Hands requests over to the request log. Never rejects. */
  logRequests(chunks: readonly RequestChunk[]): Promise<Handed>;
  /** What the thread last counted; null before its first report. */
  counts(): DashboardCounts | null;
  stop(): Promise<void>;
};

export class DashboardUnavailable extends Error {}

/** The thread did not get the request. */
export class NotForwarded extends DashboardUnavailable {}

/** The thread works, but has as many requests as it may have at once. */
export class DashboardBusy extends NotForwarded {}

const RESPONSE_TIMEOUT_MS = 30_000;
/** The audit and the copy of a large database take minutes. */
const OPERATOR_TIMEOUT_MS = 10 * 60_000;
/** The delay doubles after each death, so that a permanent fault does not fill the log. */
const RESTART_FIRST_MS = 500;
const RESTART_MAX_MS = 30_000;
/** After this time a stop ends the thread, whatever it does. */
const STOP_TIMEOUT_MS = 4_000;

/** Headers about the connection instead of the request. The body arrives read and decompressed. */
const CONNECTION_HEADERS = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
]);

type Waiting = { kind: RequestKind; resolve(response: Response): void; reject(error: Error): void };

/**
 * The thread starts with the first request for it, at the latest after this time, because emails and events of an earlier run may wait.
 * Calls need none of it, and starting it takes more CPU time than all the rest of the server.
 */
const START_AFTER_MS = 2_000;

export type DashboardOptions = {
  tools: ThreadData["tools"];
  onRejection: (reason: Rejection) => void;
  stopTimeoutMs: number;
};

/** Starts the thread, and restarts it when it dies or fails to start. Requests in the meantime get an error that asks to retry. */
export function startDashboard(
  config: ServiceConfig,
  connect: NodeStore["connect"],
  log: NodeLog,
  {
    tools = [],
    onRejection = () => {},
    stopTimeoutMs = STOP_TIMEOUT_MS,
  }: Partial<DashboardOptions> = {},
): DashboardThread {
  const waiting = new Map<number, Waiting>();
  /** Cuts off each download that is running. */
  const downloads = new Set<(cause: Error) => void>();
  /** Requests on their way to the request log. */
  const handing = new Map<number, (outcome: Handed) => void>();
  let count = 0;
  let counts: DashboardCounts | null = null;
  let thread: NodeThread<ToDashboard> | undefined;
  let isStopped = false;
  const starting = setTimeout(start, START_AFTER_MS).unref();

  function start(): NodeThread<ToDashboard> {
    clearTimeout(starting);
    thread ??= startThread<ToDashboard, FromDashboard>({
      name: "The dashboard thread",
      entry: new URL("./dashboard-thread.ts", import.meta.url),
      start() {
        const connection = connect();
        const transferList = "orders" in connection ? [connection.orders] : [];
        return { workerData: { config, connection, tools } satisfies ThreadData, transferList };
      },
      onMessage: receive,
      onEnd() {
        const ended = new DashboardUnavailable("The thread ended");
        for (const each of waiting.values()) each.reject(ended);
        for (const each of handing.values()) each("lost");
        handing.clear();
        for (const cutOff of downloads) cutOff(ended);
      },
      onDeath(cause, hasRun) {
        const what = hasRun ? "died; restarting" : "failed to start; retrying";
        log.logError(`Dashboard thread ${what}`, { cause });
      },
      restartAfterMs: (deaths) => Math.min(RESTART_MAX_MS, RESTART_FIRST_MS * 2 ** deaths),
    });
    return thread;
  }

  /** Resolves to what sends a message to the thread, and returns false if it is down. */
  async function whenStarted(): Promise<(order: ToDashboard) => boolean> {
    // A stopped server starts nothing.
    if (isStopped && thread === undefined) return () => false;
    const running = start();
    await running.started.catch(() => {});
    return running.post;
  }

  function receive(message: FromDashboard): void {
    if (message.kind === "response") {
      const { id, status, headers, body } = message;
      const asked = waiting.get(id);
      // The client got an error, because the response took too long.
      if (asked === undefined && !(body instanceof Uint8Array)) dropStream(body);
      asked?.resolve(
        new Response(body instanceof Uint8Array ? bytesOf(body) : cutOffAtDeath(body, downloads), {
          status,
          headers: headers.map(([...pair]) => pair),
        }),
      );
    } else if (message.kind === "handed") {
      handing.get(message.id)?.(message.outcome);
      handing.delete(message.id);
    } else if (message.kind === "log") {
      const write = log[message.method] as (...args: unknown[]) => void;
      write(...message.args);
    } else if (message.kind === "rejection") onRejection(message.reason);
    else if (message.kind === "counts") ({ counts } = message);
  }

  /** Counted when asked, because there are few. */
  const waitingOf = (kind: RequestKind) =>
    [...waiting.values()].filter((each) => each.kind === kind).length;

  return {
    async fetch(request, body, peer, kind = "other", isLocal = false) {
      const send = await whenStarted();
      if (waitingOf(kind) >= REQUESTS_MAX[kind]) {
        onRejection("dashboard_busy");
        throw new DashboardBusy("Too many requests at once");
      }
      count += 1;
      const id = count;
      const headers = [...request.headers].filter(([name]) => !CONNECTION_HEADERS.has(name));
      const { method, url } = request;
      const order = { kind: "request" as const, id, method, url, headers, body, peer, isLocal };
      if (!send(order)) throw new NotForwarded("No thread");
      const { promise, resolve, reject } = Promise.withResolvers<Response>();
      waiting.set(id, { kind, resolve, reject });
      const late = setTimeout(
        () => reject(new DashboardUnavailable("No response in time")),
        kind === "operator" ? OPERATOR_TIMEOUT_MS : RESPONSE_TIMEOUT_MS,
      );
      return promise.finally(() => {
        clearTimeout(late);
        waiting.delete(id);
      });
    },
    async logRequests(chunks) {
      const send = await whenStarted();
      count += 1;
      if (!send({ kind: "requests", id: count, chunks })) return "again";
      const { promise, resolve } = Promise.withResolvers<Handed>();
      handing.set(count, resolve);
      return promise;
    },
    counts: () => counts,
    async stop() {
      isStopped = true;
      clearTimeout(starting);
      await thread?.stop({ kind: "stop" }, stopTimeoutMs);
    },
  };
}

const bytesOf = (body: Uint8Array) =>
  body.byteLength === 0 ? null : (body as Uint8Array<ArrayBuffer>);

function dropStream(body: ReadableStream<Uint8Array>): void {
  body.cancel().catch(() => {});
}

/**
 * A stream of the thread, which never ends by itself if the thread dies. Then it is cut off, so that the client does not take its part
 * for the whole, or wait for ever.
 */
function cutOffAtDeath(
  body: ReadableStream<Uint8Array>,
  downloads: Set<(cause: Error) => void>,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let cutOff: (cause: Error) => void = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        cutOff = (cause) => {
          downloads.delete(cutOff);
          controller.error(cause);
        };
        downloads.add(cutOff);
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!downloads.has(cutOff)) return;
          if (!done) return controller.enqueue(value);
          downloads.delete(cutOff);
          controller.close();
        } catch (cause) {
          cutOff(cause as Error);
        }
      },
      cancel(cause) {
        downloads.delete(cutOff);
        return reader.cancel(cause);
      },
    },
    { highWaterMark: 0 },
  );
}
