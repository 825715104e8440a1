import { Worker } from "node:worker_threads";
import type { AuthOptions } from "#accounts/auth-options.ts";
import type { KeyBounds } from "#accounts/key-limits.ts";
import type { RequestChunk, RequestLogBounds } from "#accounts/request-log.ts";
import type { Starter } from "#accounts/welcome.ts";
import type { Rejection } from "#api/dashboard/rejections.ts";
import type { PriceList } from "#billing/price-list.ts";
import type { StripeSettings } from "#config/read-settings.ts";
import type { MailSettings } from "#email/read-mail-settings.ts";
import type { WebhookNetworks } from "#events/endpoint-url.ts";
import type { JobCount } from "#jobs/job-queue.ts";
import type { OperatorAction } from "#operator/actions.ts";
import type { OperatorToken } from "#operator/perform.ts";
import type { NodeLog } from "./log.ts";
import type { SignUpCounts } from "./metrics.ts";
import { REQUESTS_MAX, type RequestKind } from "./request-kind.ts";
import type { Handed } from "./request-recorder.ts";

/** The settings of the dashboard thread, as plain data. */
export type DashboardSettings = {
  /** `blocked` is shared with the main thread, which watches the database files: see files-watch.ts. */
  data: { file: string; blocked?: SharedArrayBuffer | undefined } | { databaseUrl: string };
  dataDir: string;
  publicUrl: string;
  origins: readonly string[];
  secrets: readonly string[];
  signUp: "open" | "closed";
  starter: Starter;
  providers: AuthOptions["providers"];
  mail: MailSettings;
  /** The price list and the payment provider; null without one. */
  prices: PriceList | null;
  stripe: StripeSettings | null;
  /** Networks that customers' webhook endpoints may be in. */
  webhookNetworks: WebhookNetworks;
  keyBounds: KeyBounds;
  operatorTokens: readonly OperatorToken[];
  requestLog: RequestLogBounds;
  /** Whether the log may contain the links of emails in the outbox. */
  isOwnMachine: boolean;
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
  | { kind: "email"; text: string }
  | { kind: "show"; text: string }
  | { kind: "warning"; message: string }
  | { kind: "rejection"; reason: Rejection }
  | { kind: "action"; message: string; action: OperatorAction & { requestId: string } }
  | { kind: "jobs"; counts: readonly JobCount[]; signUps: SignUpCounts }
  | {
      kind: "error";
      message: string;
      requestId?: string | undefined;
      cause?: string | undefined;
    };

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
  ): Promise<Response>;
  /** Hands requests over to the request log. Never rejects. */
  logRequests(chunks: readonly RequestChunk[]): Promise<Handed>;
  /** The job counts that the thread last reported. */
  countJobs(): readonly JobCount[];
  /** What the thread last reported about sign-ups; null before its first report. */
  countSignUps(): SignUpCounts | null;
  stop(): Promise<void>;
};

export class DashboardUnavailable extends Error {}

/** The thread works, but has as many requests as it may have at once. */
export class DashboardBusy extends DashboardUnavailable {}

const RESPONSE_TIMEOUT_MS = 30_000;
/** The delay doubles after each failed start, so that a permanent fault does not fill the log. */
const RESTART_FIRST_MS = 500;
const RESTART_MAX_MS = 30_000;
/** A thread that ran for this long counts as started successfully. */
const GOOD_AFTER_MS = 60_000;
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
 * Starts the thread, and restarts it when it dies or fails to start. Requests in the meantime get an error that asks to
 * retry. Resolves after the first attempt.
 */
export async function startDashboard(
  settings: DashboardSettings,
  log: NodeLog,
  {
    onRejection = () => {},
    stopTimeoutMs = STOP_TIMEOUT_MS,
  }: { onRejection?: (reason: Rejection) => void; stopTimeoutMs?: number } = {},
): Promise<DashboardThread> {
  const waiting = new Map<number, Waiting>();
  /** Requests on their way to the request log. */
  /** Cuts off each download that is running. */
  const downloads = new Set<(cause: Error) => void>();
  const handing = new Map<number, (outcome: Handed) => void>();
  let count = 0;
  let stopping = false;
  let deaths = 0;
  let jobs: readonly JobCount[] = [];
  let signUps: SignUpCounts | null = null;
  let thread: Worker | undefined = await tryToStart();

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
    } else if (message.kind === "email") log.email(message.text);
    else if (message.kind === "show") log.show(`\n${message.text}\n`);
    else if (message.kind === "warning") log.warn(message.message);
    else if (message.kind === "rejection") onRejection(message.reason);
    else if (message.kind === "action") log.info(message.message, message.action);
    else if (message.kind === "jobs") ({ counts: jobs, signUps } = message);
    else if (message.kind === "error") {
      const { requestId, cause } = message;
      log.logError(message.message, { ...(requestId === undefined ? {} : { requestId }), cause });
    }
  }

  async function start(): Promise<Worker> {
    const fresh = await startThread(settings);
    let cause: Error | undefined;
    fresh.on("message", receive);
    fresh.on("error", (error) => {
      cause = error as Error;
    });
    const startedAt = Date.now();
    fresh.on("exit", (code) => {
      thread = undefined;
      for (const each of waiting.values())
        each.reject(new DashboardUnavailable("The thread ended"));
      for (const each of handing.values()) each("lost");
      handing.clear();
      for (const cutOff of downloads) cutOff(new DashboardUnavailable("The thread ended"));
      if (stopping) return;
      if (Date.now() - startedAt >= GOOD_AFTER_MS) deaths = 0;
      log.logError("Dashboard thread died; restarting", {
        cause: cause ?? new Error(`exit code ${code}`),
      });
      restart();
    });
    return fresh;
  }

  /** Counted when asked, because there are few. */
  const waitingOf = (kind: RequestKind) =>
    [...waiting.values()].filter((each) => each.kind === kind).length;

  async function tryToStart(): Promise<Worker | undefined> {
    try {
      return await start();
    } catch (cause) {
      log.logError("Dashboard thread failed to start; retrying", { cause });
      restart();
      return undefined;
    }
  }

  function restart(): void {
    const wait = Math.min(RESTART_MAX_MS, RESTART_FIRST_MS * 2 ** deaths);
    deaths += 1;
    setTimeout(async () => {
      if (stopping) return;
      thread = await tryToStart();
      if (stopping) thread?.postMessage({ kind: "stop" } satisfies ToDashboard);
    }, wait).unref();
  }

  return {
    async fetch(request, body, peer, kind = "other") {
      if (thread === undefined) throw new DashboardUnavailable("No thread");
      if (waitingOf(kind) >= REQUESTS_MAX[kind]) {
        onRejection("dashboard_busy");
        throw new DashboardBusy("Too many requests at once");
      }
      count += 1;
      const id = count;
      const { promise, resolve, reject } = Promise.withResolvers<Response>();
      waiting.set(id, { kind, resolve, reject });
      const late = setTimeout(
        () => reject(new DashboardUnavailable("No response in time")),
        RESPONSE_TIMEOUT_MS,
      );
      const headers = [...request.headers].filter(([name]) => !CONNECTION_HEADERS.has(name));
      const { method, url } = request;
      thread.postMessage({
        kind: "request",
        id,
        method,
        url,
        headers,
        body,
        peer,
      } satisfies ToDashboard);
      return promise.finally(() => {
        clearTimeout(late);
        waiting.delete(id);
      });
    },
    logRequests(chunks) {
      const { promise, resolve } = Promise.withResolvers<Handed>();
      if (thread === undefined) return Promise.resolve("again");
      count += 1;
      handing.set(count, resolve);
      thread.postMessage({ kind: "requests", id: count, chunks } satisfies ToDashboard);
      return promise;
    },
    countJobs: () => jobs,
    countSignUps: () => signUps,
    async stop() {
      stopping = true;
      if (thread === undefined) return;
      const gone = new Promise((resolve) => thread?.once("exit", resolve));
      thread.postMessage({ kind: "stop" } satisfies ToDashboard);
      const force = setTimeout(() => void thread?.terminate(), stopTimeoutMs);
      await gone;
      clearTimeout(force);
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

/** Resolves when the thread accepts requests; rejects with the cause if it cannot start. */
function startThread(settings: DashboardSettings): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL("./dashboard-thread.ts", import.meta.url), {
      workerData: settings,
    });
    const ended = (code: number) =>
      reject(new Error(`The dashboard thread exited with code ${code}`));
    thread.once("error", reject);
    thread.once("exit", ended);
    thread.once("message", () => {
      thread.off("error", reject);
      thread.off("exit", ended);
      resolve(thread);
    });
  });
}
