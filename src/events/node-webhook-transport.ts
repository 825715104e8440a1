/**
 * Webhooks over sockets of Node's own. A name is resolved once for each try, all that it leads to is judged, and the
 * connection goes to what was judged: an answer of the resolver that changes in between changes nothing. Each try has a
 * connection of its own, past any proxy of the environment; redirects are answers like others.
 */
import { lookup, Resolver } from "node:dns/promises";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { DELIVERY_TIMEOUT_MS, RESPONSE_BYTES_MAX } from "./bounds.ts";
import {
  checkEndpointUrl,
  hostOf,
  isLiteral,
  isPublicAddress,
  type WebhookNetworks,
} from "./endpoint-address.ts";
import {
  NotReached,
  REFUSED_ADDRESS,
  tooLate,
  type WebhookRequest,
  type WebhookTransport,
} from "./webhook-transport.ts";

export type Resolved = { address: string; family: 4 | 6 };
/** Rejects or gives nothing where the name is not known. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly Resolved[]>;

export type NodeWebhookOptions = {
  networks: WebhookNetworks;
  timeoutMs?: number;
  resolve?: Resolve;
  /** Whether a connection may go there, where networks are not `any`. */
  isAllowed?: (address: string) => boolean;
  /** Certificates that are trusted beside none of the usual ones. */
  ca?: string;
};

export function createNodeWebhookTransport(options: NodeWebhookOptions): WebhookTransport {
  const { networks, timeoutMs = DELIVERY_TIMEOUT_MS } = options;
  const resolve = options.resolve ?? (networks === "any" ? resolveLocally : resolvePublicly);
  const isAllowed = networks === "any" ? () => true : (options.isAllowed ?? isPublicAddress);
  return {
    async post(request, signal) {
      const judged = checkEndpointUrl(request.url, networks);
      if ("fault" in judged) throw new NotReached(judged.fault);
      const url = new URL(judged.url);
      const timeout = AbortSignal.timeout(timeoutMs);
      const within = AbortSignal.any([signal, timeout]);
      try {
        const places = await placesOf(hostOf(url), resolve, within);
        if (!places.every(({ address }) => isAllowed(address))) {
          throw new NotReached(REFUSED_ADDRESS);
        }
        return { status: await send(url, request, places, within, options.ca) };
      } catch (cause) {
        if (cause instanceof NotReached) throw cause;
        const words = timeout.aborted ? tooLate(timeoutMs) : wordsOf(cause as FaultOfNode);
        throw new NotReached(words, { cause });
      }
    },
  };
}

async function placesOf(
  host: string,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<readonly Resolved[]> {
  if (isLiteral(host)) return [{ address: host, family: host.includes(":") ? 6 : 4 }];
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  const places = await Promise.race([resolve(host, signal), aborted]);
  if (places.length === 0) throw new NotReached(UNKNOWN_NAME);
  return places;
}

const UNKNOWN_NAME = "The name of the address is not known (DNS).";
const NOT_LOOKED_UP = "The name of the address could not be looked up (DNS).";

/**
 * Asks name servers over the network by itself: those of strangers may keep quiet, and the pool of threads in which the
 * system's resolver waits hashes passwords too.
 */
const resolvePublicly: Resolve = async (host, signal) => {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  signal.removeEventListener("abort", cancel);
  const places = [
    ...(four.status === "fulfilled" ? four.value : []).map((address) => ({ address, family: 4 })),
    ...(six.status === "fulfilled" ? six.value : []).map((address) => ({ address, family: 6 })),
  ] as Resolved[];
  const faults = [four, six].flatMap((each) =>
    each.status === "rejected" ? each.reason.code : [],
  );
  if (places.length === 0 && !faults.every((code) => NO_SUCH_NAME.includes(code))) {
    throw new NotReached(NOT_LOOKED_UP);
  }
  return places;
};

/** What name servers say of a name that is not there, or has no address of this kind. */
const NO_SUCH_NAME = ["ENOTFOUND", "ENODATA"];

/** As this machine does: by its own names and those of its network too. */
const resolveLocally: Resolve = async (host) => (await lookup(host, { all: true })) as Resolved[];

/** The status of the answer, once enough of it has come. */
function send(
  url: URL,
  { headers, body }: WebhookRequest,
  places: readonly Resolved[],
  signal: AbortSignal,
  ca: string | undefined,
): Promise<number> {
  const toPlaces: LookupFunction = (_host, { all }, callback) => {
    const [first] = places;
    if (all === true) callback(null, [...places]);
    else callback(null, first?.address ?? "", first?.family);
  };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const { request } = url.protocol === "https:" ? https : http;
  const sending = request(url, {
    method: "POST",
    headers: { ...headers, "Content-Length": String(Buffer.byteLength(body)) },
    agent: false,
    lookup: toPlaces,
    signal,
    ...(ca === undefined ? {} : { ca }),
  });
  let status: number | undefined;
  sending.on("error", (error) => {
    if (status === undefined) reject(error);
    else resolve(status);
  });
  sending.on("response", (response) => {
    status = response.statusCode ?? 0;
    drop(response, () => {
      resolve(status ?? 0);
      sending.destroy();
    });
  });
  sending.end(body);
  return promise;
}

/** Reads an answer so far that its sender is not cut off in an ordinary one. What ends it early ends it too. */
function drop(response: IncomingMessage, done: () => void): void {
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes >= RESPONSE_BYTES_MAX) done();
  });
  for (const end of ["end", "close", "error"]) response.on(end, done);
}

type FaultOfNode = Error & { code?: string; errors?: FaultOfNode[] };

const WORDS: Record<string, string> = {
  ENOTFOUND: UNKNOWN_NAME,
  ENODATA: UNKNOWN_NAME,
  EAI_AGAIN: NOT_LOOKED_UP,
  ECONNREFUSED: "The connection was refused.",
  ECONNRESET: "The connection broke before an answer came.",
  EPIPE: "The connection broke before an answer came.",
  EHOSTUNREACH: "There is no way to the address.",
  ENETUNREACH: "There is no way to the address.",
  ETIMEDOUT: "The connection was not answered.",
  HPE_HEADER_OVERFLOW: "The headers of the answer are too long.",
};

/** Codes alone: what else a fault says may name our network. */
function wordsOf(fault: FaultOfNode): string {
  const code = fault.code ?? fault.errors?.[0]?.code ?? "";
  const words = WORDS[code];
  if (words !== undefined) return words;
  if (/^HPE_/.test(code)) return `The answer is not HTTP (${code}).`;
  if (/CERT|SELF_SIGNED|VERIFY|ISSUER|TLS|SSL|EPROTO/.test(code))
    return `No safe connection could be made (${code}).`;
  return code === "" ? "The request failed." : `The request failed (${code}).`;
}
