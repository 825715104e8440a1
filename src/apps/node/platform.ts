import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { RequestRecorder } from "#accounts/request-recorder.ts";
import { accessLogEntry, requestLogEntry } from "#api/access-log.ts";
import type { CallPlatform } from "#calls/app-context.ts";
import { runTool, type Sources } from "#calls/run-tool.ts";
import type { FileStore } from "#calls/stored-file.ts";
import type { Config } from "#config/config.ts";
import { hostOf, isLoopback } from "#hosts.ts";
import type { RandomBytes } from "#ids.ts";
import { NODE_MEMORY } from "#limits.ts";
import { isLoopbackAddress } from "#networks.ts";
import type { Tool } from "#tools/define-tool.ts";
import { createClientAddress } from "./client-address.ts";
import type { NodeLog } from "./log.ts";
import { countRequest, type NodeMetrics } from "./metrics.ts";
import type { OwnToolThreads } from "./own-tool-threads.ts";
import { digest, hashKey, random } from "./runtime.ts";
import { whenSent } from "./server.ts";
import type { ToolPool } from "./tool-pool.ts";

/** What the platform of calls is made of. */
type Parts = {
  config: Pick<Config, "trustedProxies" | "metricsToken">;
  tools: readonly Tool[];
  pool: Pick<ToolPool, "run">;
  /** Omitted: the operator has no tools of their own. */
  own?: Pick<OwnToolThreads, "run">;
  log: Pick<NodeLog, "access" | "logError">;
  metrics: NodeMetrics;
  /** Omitted: no tool takes a file. */
  uploads?: FileStore | null;
  /** Omitted: there is no request log. */
  requests?: Pick<RequestRecorder, "record"> | null;
  /** Defaults to the runtime's. */
  random?: RandomBytes;
};

export const elapsed = () => performance.now();

/** What Node supplies to calls. */
export function createNodePlatform({
  config,
  tools,
  pool,
  own,
  log,
  metrics,
  requests = null,
  uploads = null,
  ...parts
}: Parts): CallPlatform {
  const sources: Sources = { random: parts.random ?? random, digest };
  const clientAddress = createClientAddress(config.trustedProxies);
  return {
    tools,
    waitUntil: null,
    memory: NODE_MEMORY,
    uploads,
    bodyTimeoutMs: null,
    clientAddress: (connection) => clientAddress(connection as IncomingMessage),
    now: Date.now,
    elapsed,
    random: sources.random,
    hashKey,
    runTool: (tool, job, account, steps) => {
      if (tool.isOwn && own !== undefined) return own.run(tool, job, account, steps);
      if (steps?.begin !== undefined) return runTool(tool, job, { ...sources, begin: steps.begin });
      return job.body.byteLength >= tool.heavyFromBytes
        ? pool.run({ ...job, tool: tool.name }, account, steps?.onThread)
        : runTool(tool, job, sources);
    },
    whenSent: (connection, then) => whenSent(connection as IncomingMessage | undefined, then),
    hasLeft: (connection) =>
      (connection as IncomingMessage | undefined)?.socket?.destroyed === true,
    sendStream: (pieces) => pieces,
    compress: (encoding, bytes) => (encoding === "br" ? brotli(bytes) : gzipped(bytes)),
    metrics: {
      token: config.metricsToken,
      // A proxy may add no header of its own, and a page may have its name resolve to 127.0.0.1.
      isLocal: (request, connection) =>
        isLoopback(hostOf(request.url)) &&
        isLoopbackPeer(connection as IncomingMessage | undefined),
      read: metrics.read,
      countThrottledKey: () => metrics.throttledKeys.inc(),
      countLateSettlement: () => metrics.lateSettlements.inc(),
    },
    record(context, status, durationMs, connection) {
      whenSent(connection as IncomingMessage | undefined, (isDelivered) => {
        const entry = accessLogEntry(context, status, durationMs, isDelivered);
        countRequest(metrics, entry);
        log.access(entry);
        const logged = requests && requestLogEntry(entry, context, Buffer.byteLength);
        if (logged != null) requests?.record(logged.account, logged.entry);
      });
    },
    logError: log.logError,
  };
}

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** Quality 4 compresses responses as well as gzip's best level does, in a fifth of the time of the default (11), which is meant for files. */
const brotli = (bytes: Uint8Array | string) =>
  brotliAsync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
const gzipped = (bytes: Uint8Array | string) => gzipAsync(bytes);

const isLoopbackPeer = (incoming: IncomingMessage | undefined): boolean =>
  isLoopbackAddress(incoming?.socket.remoteAddress ?? "");
