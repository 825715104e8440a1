import { hash, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Config } from "#config.ts";
import type { House } from "#http/house.ts";
import type { Ledger } from "#ledger/port.ts";
import { NODE_ROOM } from "#limits.ts";
import { SETTINGS } from "#settings.ts";
import packageJson from "../../package.json" with { type: "json" };
import type { NodeLog } from "./node-log.ts";
import type { NodeMetrics } from "./node-metrics.ts";
import type { ToolPool } from "./node-tool-pool.ts";

/** What Node supplies to the hall. */
type Parts = {
  config: Config;
  publicUrl: string;
  secrets: readonly string[];
  ledger: Ledger;
  pool: ToolPool;
  log: NodeLog;
  metrics: NodeMetrics;
  reverseLater: House["reverseLater"];
  people: House["people"];
  pages: House["pages"];
};

export const version: string = packageJson.version;

export const random = (count: number) => new Uint8Array(randomBytes(count));
export const hashKey = (key: string) => hash("sha256", key);

export function createNodeHouse(parts: Parts): House {
  const { config, publicUrl, secrets, ledger, pool, log, metrics, people, pages } = parts;
  const { reverseLater } = parts;
  return {
    settings: {
      publicUrl,
      version,
      secrets,
      rateLimit: config.rateLimit,
      metricsToken: config.metricsToken,
      table: SETTINGS,
    },
    ...{ ledger, people, pages },
    farLedger: null,
    reverseLater,
    waitUntil: null,
    room: NODE_ROOM,
    bodyTimeoutMs: null,
    repliesInPieces: false,
    now: () => Date.now(),
    elapsed: () => performance.now(),
    random,
    hashKey,
    digest: (algorithm, bytes) => hash(algorithm, bytes, "buffer"),
    runHeavy: (job) => pool.run(job),
    compress: (encoding, bytes) => (encoding === "br" ? brotli(bytes) : gzipped(bytes)),
    isLocal: (_, connection) => isLoopbackPeer(connection as IncomingMessage | undefined),
    metrics: metrics.read,
    observe(visit) {
      metrics.observe(visit);
      log.visit(visit);
    },
    complain: log.complain,
  };
}

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** Quality 4 makes answers as small as gzip's best in a fifth of the time of the default 11, which is meant for files. */
const brotli = (bytes: Uint8Array | string) =>
  brotliAsync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
const gzipped = (bytes: Uint8Array | string) => gzipAsync(bytes);

function isLoopbackPeer(incoming: IncomingMessage | undefined): boolean {
  const address = incoming?.socket.remoteAddress ?? "";
  return address === "::1" || /^(?:::ffff:)?127\./.test(address);
}
