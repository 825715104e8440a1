/**
 * Sends webhooks over Node's sockets. Each attempt resolves the host name once, checks every address, and connects to a checked
 * address, so a resolver whose answers change in between gains nothing. Each attempt has its own connection, without a proxy
 * of the environment. Redirects are not followed.
 */
import { lookup, Resolver } from "node:dns/promises";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { hostOf, isLiteral, isPublicAddress } from "#hosts.ts";
import { DELIVERY_TIMEOUT_MS, RESPONSE_BYTES_MAX } from "./bounds.ts";
import { checkEndpointUrl, type WebhookNetworks } from "./endpoint-url.ts";
import {
  NotReached,
  noResponseWithin,
  PRIVATE_ADDRESS,
  type WebhookRequest,
  type WebhookTransport,
} from "./webhook-transport.ts";

export type Resolved = { address: string; family: 4 | 6 };
/** Returns the addresses of a host name; rejects or returns none where it does not exist. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly Resolved[]>;

export type NodeWebhookOptions = {
  networks: WebhookNetworks;
  timeoutMs?: number;
  resolve?: Resolve;
  /** Whether an address may be connected to, unless `networks` is `any`. */
  isAllowed?: (address: string) => boolean;
  /** Trusted certificate authorities in PEM, instead of the default ones. */
  ca?: string;
};

export function createNodeWebhookTransport(options: NodeWebhookOptions): WebhookTransport {
  const { networks, timeoutMs = DELIVERY_TIMEOUT_MS } = options;
  const resolve = options.resolve ?? (networks === "any" ? resolveLocally : resolvePublicly);
  const isAllowed = networks === "any" ? () => true : (options.isAllowed ?? isPublicAddress);
  return {
    async post(request, signal) {
      const checked = checkEndpointUrl(request.url, networks);
      if ("error" in checked) throw new NotReached(checked.error);
      const url = new URL(checked.url);
      const timeout = AbortSignal.timeout(timeoutMs);
      const within = AbortSignal.any([signal, timeout]);
      try {
        const addresses = await resolveHost(hostOf(url), resolve, within);
        if (!addresses.every(({ address }) => isAllowed(address))) {
          throw new NotReached(PRIVATE_ADDRESS);
        }
        return { status: await send(url, request, addresses, within, options.ca) };
      } catch (cause) {
        if (cause instanceof NotReached) throw cause;
        const message = timeout.aborted
          ? noResponseWithin(timeoutMs)
          : describeError(cause as NodeError);
        throw new NotReached(message, { cause });
      }
    },
  };
}

async function resolveHost(
  host: string,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<readonly Resolved[]> {
  if (isLiteral(host)) return [{ address: host, family: host.includes(":") ? 6 : 4 }];
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  const addresses = await Promise.race([resolve(host, signal), aborted]);
  if (addresses.length === 0) throw new NotReached(UNKNOWN_HOST);
  return addresses;
}

const UNKNOWN_HOST = "The host name does not exist (DNS).";
const LOOKUP_FAILED = "The host name could not be looked up (DNS).";

/**
 * Resolves over the network without the system's resolver. That one blocks a thread of the pool that also reads files, and
 * a customer's name server may never respond.
 */
export const resolvePublicly: Resolve = async (host, signal) => {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  signal.removeEventListener("abort", cancel);
  const addresses = [
    ...(four.status === "fulfilled" ? four.value : []).map((address) => ({ address, family: 4 })),
    ...(six.status === "fulfilled" ? six.value : []).map((address) => ({ address, family: 6 })),
  ] as Resolved[];
  const errorCodes = [four, six].flatMap((each) =>
    each.status === "rejected" ? each.reason.code : [],
  );
  if (addresses.length === 0 && !errorCodes.every((code) => NO_SUCH_HOST.includes(code))) {
    throw new NotReached(LOOKUP_FAILED);
  }
  return addresses;
};

/** Error codes for a host name that does not exist or has no address of this family. */
const NO_SUCH_HOST = ["ENOTFOUND", "ENODATA"];

/** Resolves like other programs on this machine, including names of its hosts file and its network. */
export const resolveLocally: Resolve = async (host) =>
  (await lookup(host, { all: true })) as Resolved[];

/** Resolves with the status of the response, once enough of its body has arrived. */
function send(
  url: URL,
  { headers, body }: WebhookRequest,
  addresses: readonly Resolved[],
  signal: AbortSignal,
  ca: string | undefined,
): Promise<number> {
  const lookupChecked: LookupFunction = (_host, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const { request } = url.protocol === "https:" ? https : http;
  const sending = request(url, {
    method: "POST",
    headers: { ...headers, "Content-Length": String(Buffer.byteLength(body)) },
    agent: false,
    lookup: lookupChecked,
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
    discard(response, () => {
      resolve(status ?? 0);
      sending.destroy();
    });
  });
  // A server that switches protocols (101) causes neither a response nor an error, and an abort then does nothing.
  sending.on("close", () => reject(Object.assign(new Error(), { code: "ECONNRESET" })));
  sending.end(body);
  return promise;
}

/** Reads and discards at most `RESPONSE_BYTES_MAX`, so that an ordinary response is not cut off. */
function discard(response: IncomingMessage, done: () => void): void {
  let bytes = 0;
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes >= RESPONSE_BYTES_MAX) done();
  });
  for (const end of ["end", "close", "error"]) response.on(end, done);
}

type NodeError = Error & { code?: string; errors?: NodeError[] };

const MESSAGES: Record<string, string> = {
  ENOTFOUND: UNKNOWN_HOST,
  ENODATA: UNKNOWN_HOST,
  EAI_AGAIN: LOOKUP_FAILED,
  ECONNREFUSED: "The server refused the connection.",
  ECONNRESET: "The connection closed before a response arrived.",
  EPIPE: "The connection closed before a response arrived.",
  EHOSTUNREACH: "The address is unreachable.",
  ENETUNREACH: "The address is unreachable.",
  ETIMEDOUT: "The connection timed out.",
  HPE_HEADER_OVERFLOW: "The response headers are too long.",
};

/** Uses only the error's code, because its message may name addresses of our network. */
function describeError(error: NodeError): string {
  const code = error.code ?? error.errors?.[0]?.code ?? "";
  const message = MESSAGES[code];
  if (message !== undefined) return message;
  if (/^HPE_/.test(code)) return `The response is not HTTP (${code}).`;
  if (/CERT|SELF_SIGNED|VERIFY|ISSUER|TLS|SSL|EPROTO/.test(code))
    return `No secure connection could be established (${code}).`;
  return code === "" ? "The request failed." : `The request failed (${code}).`;
}
