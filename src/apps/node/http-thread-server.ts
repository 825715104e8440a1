import type { MessagePort } from "node:worker_threads";
import { type App, type Call, createApp } from "#api/app.ts";
import type { AppContext } from "#api/app-context.ts";
import type { ApiRequest } from "#api/pipeline/exchange.ts";
import { pathOf } from "#api/routes.ts";
import type { CallLedger } from "#ledger/call-ledger.ts";
import { ledgerOver } from "#ledger/ledger-over.ts";
import { NODE_MEMORY } from "#limits.ts";
import { isLoopbackAddress } from "#networks.ts";
import { TOOLS } from "#tools/registry.ts";
import { createNodeAppContext } from "./app-context.ts";
import { createIsTrusted } from "./client-address.ts";
import type { ConnectionLimits, ConnectionPlace } from "./connection-limits.ts";
import {
  createQuestions,
  type FromHttpThread,
  gatherMessages,
  type HttpThreadSettings,
  sharedLimits,
  type ToHttpThread,
} from "./http-messages.ts";
import { createAccessLines } from "./log.ts";
import { createRelay } from "./relay.ts";
import { createRequestCounts } from "./request-counts.ts";
import { createRequestRecorder, type Handed } from "./request-recorder.ts";
import { describeError, errorOf } from "./sent-errors.ts";
import { type NodeServerOptions, startNodeServer } from "./server.ts";

/** `Authorization` headers that a thread remembers, about 150 bytes each. */
const KNOWN_MAX = 20_000;
/** What a crash may lose of the metrics. */
const COUNTS_EVERY_MS = 1_000;

const neverHere = () => Promise.reject(new Error("This is left to the main thread"));

/**
 * An HTTP thread: it has a listener of its own on the port and makes the calls that need nothing of other requests but the ledger:
 * small ones with a key that has worked, and without an idempotency key. Everything else it relays to the main thread
 * (`relay.ts`), which also counts the rates and has the ledger. So nothing has to be kept equal between threads (docs/decisions/0039).
 */
export async function runHttpThread(
  port: MessagePort,
  settings: HttpThreadSettings,
  parts: Partial<Pick<AppContext, "now" | "earliestNow" | "elapsed" | "random">> = {},
  options: Pick<NodeServerOptions, "isProxy"> = {},
): Promise<void> {
  const { config } = settings;
  const send = gatherMessages<FromHttpThread>(port);

  const questions = createQuestions();
  const ask = <Outcome>(question: (id: number) => FromHttpThread) =>
    questions.ask<Outcome>((id) => send(question(id)));

  const calls: CallLedger = {
    isRemote: false,
    keyStatus: (order) => ask((id) => ({ kind: "keyStatus", id, order })),
    debit: (order, isCounted) => ask((id) => ({ kind: "debit", id, order, isCounted })),
    // Saves work, and decides nothing: the main thread counts the call before it debits it.
    isOverRate: () => false,
  };

  const lines = createAccessLines(config.logLevel, (text) => send({ kind: "lines", text }));
  const logError: AppContext["logError"] = (message, { cause, ...details }) => {
    lines.hand();
    send({
      kind: "error",
      message,
      details,
      cause: cause == null ? undefined : describeError(cause),
    });
  };
  const counts = createRequestCounts();
  const requests =
    config.requestLog.keptDays === 0
      ? null
      : createRequestRecorder({
          send: (chunks) => ask<Handed>((id) => ({ kind: "requests", id, chunks })),
          onLost: (count) => send({ kind: "notLogged", count }),
        });

  const context: AppContext = {
    ...createNodeAppContext({
      ...settings,
      ledger: ledgerOver(neverHere),
      readiness: neverHere,
      pool: { run: neverHere },
      log: { access: lines.add, logError },
      metrics: { record: counts.record, read: neverHere, countThrottledKey() {} },
      requests,
      reverseLater: (call) => ask((id) => ({ kind: "reverse", id, call })),
      ...parts,
    }),
    calls,
    memory: { ...NODE_MEMORY, ...sharedLimits(settings.heldBytes, settings.thread) },
    ...parts,
  };

  const relay = createRelay(send);
  const own = createApp(context, null);
  const heavyFrom = new Map(TOOLS.map((tool) => [pathOf(tool), tool.heavyFromBytes]));

  /** `Authorization` headers whose key has worked. The oldest is dropped first. */
  const known = new Set<string>();

  /** A call that this thread may make. `Call` never rejects. */
  function chooseThread(call: Call, heavyFromBytes: number): Call {
    const isOwn = ({ headers }: ApiRequest, authorization: string) =>
      known.has(authorization) &&
      headers.get("idempotency-key") === null &&
      Number(headers.get("content-length") ?? 0) < heavyFromBytes;

    return async (request, connection) => {
      const authorization = request.headers.get("authorization") ?? "";
      if (isOwn(request, authorization)) {
        const response = await call(request, connection);
        // The main thread throttles keys that do not work.
        if (response.status === 401) known.delete(authorization);
        return response;
      }
      const response = await relay.call(request, connection);
      if (response.status === 200 && !known.has(authorization)) {
        if (known.size >= KNOWN_MAX) known.delete(known.values().next().value as string);
        known.add(authorization);
      }
      return response;
    };
  }

  const app: App = {
    ...own,
    fetch: relay.fetch,
    calls: new Map(
      [...own.calls].map(([path, call]) => [path, chooseThread(call, heavyFrom.get(path) ?? 0)]),
    ),
  };

  const sendCounts = () => send({ kind: "counts", counts: counts.take() });
  setInterval(sendCounts, COUNTS_EVERY_MS).unref();

  /** Known from the first connection on. */
  let place: ConnectionPlace | null = null;
  const limits: ConnectionLimits = {
    opened({ place: own, id: connection, peer, isProxy }) {
      place = own;
      return ask((id) => ({ kind: "opened", id, connection, peer, isProxy }));
    },
    closed: ({ id }) => send({ kind: "closed", connection: id }),
    // Asked of the main thread alone.
    lost() {},
    countIn: () => 0,
  };
  const sendConnections = async (id: number, ids: number[] | Promise<number[]> = []) =>
    send({ kind: "connections", id, ids: await ids });

  const isTrusted = createIsTrusted(config.trustedProxies);
  const server = await startNodeServer(() => app, {
    ...config,
    ...settings,
    reusePort: true,
    limits,
    isProxy: (address) => isTrusted(address) || isLoopbackAddress(address),
    onConnectionClosed: (event) => send({ kind: "connectionClosed", event }),
    ...options,
  });

  async function stop(): Promise<void> {
    await server.stop();
    await requests?.stop();
    lines.hand();
    sendCounts();
    send({ kind: "stopped" });
  }

  function receive(message: ToHttpThread): void {
    switch (message.kind) {
      case "outcome":
        questions.resolve(message.id, message.outcome);
        break;
      case "failed":
        questions.reject(message.id, errorOf(message.error));
        break;
      case "findIdle":
        void sendConnections(message.id, place?.findIdle(message.peers, message.max));
        break;
      case "closeIdle":
        void sendConnections(message.id, place?.closeIdle(message.ids));
        break;
      case "count":
        lines.hand();
        sendCounts();
        send({ kind: "counted" });
        break;
      case "stop":
        void stop();
        break;
      default:
        relay.receive(message);
    }
  }

  port.on("message", (messages: ToHttpThread[]) => {
    for (const message of messages) receive(message);
  });
  send({ kind: "listening" });
}
