import { waitUntil } from "cloudflare:workers";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { probeReadiness } from "#api/readiness.ts";
import type { AppContext } from "#calls/app-context.ts";
import { runToolInPieces } from "#calls/run-tool.ts";
import type { RandomBytes } from "#ids.ts";
import { REQUEST_TIMEOUT_MS, WORKER_MEMORY } from "#limits.ts";
import { callLedgerOfObjects, ledgerOfObjects } from "#stores/durable-object/ledger.ts";
import { type ObjectNamespace, objectsOf } from "#stores/durable-object/objects.ts";
import {
  createFaultReports,
  READINESS_OBJECT,
  type ReadinessStub,
} from "#stores/durable-object/readiness.ts";
import type { RequestLogStub } from "#stores/durable-object/request-log-stub.ts";
import type { LedgerStub, OtherRelease } from "#stores/durable-object/rpc.ts";
import type { D1 } from "#stores/sql/d1-database.ts";
import type { Tool } from "#tools/define-tool.ts";
import { openEdgeRequestLog, recordCalls } from "./request-log.ts";
import { requireSecrets, runOwnTool } from "./run-own-tool.ts";
import { type SiteBinding, salesKnownTo } from "./sales.ts";
import { readWorkerSettings, textsIn } from "./settings.ts";

/** The bindings of the API Worker, besides its settings, which are text bindings. */
export type WorkerEnv = {
  LEDGER: ObjectNamespace<LedgerStub & ReadinessStub & RequestLogStub>;
  /** Stores calls that could not be reversed immediately. */
  DB?: D1;
  /** The site Worker, which knows the price list; a service of calls alone has none. */
  SITE?: SiteBinding;
} & Record<string, unknown>;

/** The context of calls on Cloudflare. `tools`: none where calls load theirs (`tools.ts`). Throws a `ConfigError` if settings are invalid. */
export function createEdgeAppContext(
  env: WorkerEnv,
  tools: readonly Tool[] = [],
  random: RandomBytes = randomBytes,
): AppContext {
  const { settings, requestLog, warnings } = readWorkerSettings(env);
  for (const warning of warnings) logError(warning, {});
  const texts = textsIn(env);
  requireSecrets(texts);
  const objects = objectsOf(env.LEDGER, env);
  const find = ({ account }: { account?: string }) =>
    account === undefined ? objects.ofService(READINESS_OBJECT) : objects.ofAccount({ account });
  const ledger = ledgerOfObjects(find);
  const clocks = { now: () => Date.now(), elapsed: () => performance.now() };
  const faultReports = createFaultReports(() => objects.ofService(READINESS_OBJECT));
  const onOtherRelease = ({ message }: OtherRelease) => waitUntil(faultReports.send(message));
  const sources = { random, digest };
  return {
    settings,
    sales: salesKnownTo(env.SITE, settings.publicUrl),
    ledger,
    readiness: probeReadiness({ ledger, ...clocks }),
    calls: callLedgerOfObjects(find, settings.rateLimit, onOtherRelease),
    // The platform waits for the module too, which the first call that needs it loads: hardly any does.
    reverseLater: async (call) =>
      waitUntil(
        import("./reverse-call.ts").then(({ reverseCall }) =>
          reverseCall({ ledger, now: clocks.now, logError }, call, env.DB),
        ),
      ),
    tools,
    waitUntil,
    memory: WORKER_MEMORY,
    uploads: null,
    bodyTimeoutMs: REQUEST_TIMEOUT_MS,
    runTool: (tool, job, _, { begin } = {}) =>
      tool.isOwn === true
        ? runOwnTool(tool.name, job, { ...sources, begin }, texts)
        : runToolInPieces(tool, job, { ...sources, begin }),
    whenSent: null,
    hasLeft: null,
    sendStream: ofKnownLength,
    clientAddress: (request) => clientAddressOf(request as Request | undefined),
    ...clocks,
    random,
    hashKey: (key) => bytesToHex(sha256(utf8.encode(key))),
    // Cloudflare compresses responses itself.
    compress: null,
    metrics: null,
    record: recordCalls({ ...openEdgeRequestLog(env), ...clocks, bounds: requestLog, logError }),
    logError,
  };
}

/**
 * Returns the client's address from a header that only the platform can set; null when running locally, where a client may also send
 * the header itself: no other text passes as an address.
 */
export function clientAddressOf(request: Request | undefined): string | null {
  const address = request?.headers.get("cf-connecting-ip") ?? null;
  return address !== null && ADDRESS.test(address) ? address : null;
}

const ADDRESS = /^[\d.:a-f]{2,45}$/i;

export const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));

const logError: AppContext["logError"] = (message, { cause, ...ids }) =>
  console.error(
    JSON.stringify({ message, ...ids, ...(cause === undefined ? {} : { cause: String(cause) }) }),
  );

/** Wraps the chunks in a fixed-length stream, without which the platform sends no Content-Length. When the client disconnects, the chunks end too. */
function ofKnownLength(pieces: ReadableStream<Uint8Array>, bytes: number) {
  const { readable, writable } = new FixedLengthStream(bytes);
  waitUntil(pieces.pipeTo(writable).catch(() => undefined));
  return readable;
}

const utf8 = new TextEncoder();

const ALGORITHMS = { sha1: "SHA-1", sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" };
/** Up to this size the promise of the platform's digest costs more than it saves (docs/decisions/0010). */
const HASHED_AT_ONCE_BYTES_MAX = 1024;

function digest(
  name: keyof typeof ALGORITHMS,
  bytes: Uint8Array,
): Uint8Array | Promise<Uint8Array> {
  if (name === "sha256" && bytes.byteLength <= HASHED_AT_ONCE_BYTES_MAX) return sha256(bytes);
  return crypto.subtle
    .digest(ALGORITHMS[name], bytes as Uint8Array<ArrayBuffer>)
    .then((digested) => new Uint8Array(digested));
}
