import http from "node:http";
import https from "node:https";
import type { Arguments } from "./arguments.ts";

/** Sends a request to the deployed service. */
export type FetchService = (url: string, init?: RequestInit) => Promise<Response>;

const RESPONSE_TIMEOUT_MS = 30_000;

/**
 * Returns `fetch`, or with an address a function that connects there instead of the address of the URL's host. As with curl's
 * `--connect-to`, the TLS name and the Host header stay those of the URL, so the certificate is checked for the domain.
 */
export function createFetch(connectTo: Arguments["connectTo"], stop: AbortSignal): FetchService {
  if (connectTo === null) {
    return (url, init = {}) =>
      fetch(url, { redirect: "manual", ...init, signal: bound(init, stop) });
  }
  const { host, port } = connectTo;
  return (text, init = {}) => {
    const url = new URL(text);
    const { request } = url.protocol === "https:" ? https : http;
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          host,
          port,
          servername: url.hostname,
          method: init.method ?? "GET",
          path: `${url.pathname}${url.search}`,
          headers: { ...Object.fromEntries(new Headers(init.headers)), Host: url.host },
          agent: false,
          signal: bound(init, stop),
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
          incoming.on("error", reject);
          incoming.on("end", () => {
            const headers = new Headers();
            for (const [name, value] of Object.entries(incoming.headersDistinct))
              for (const one of value ?? []) headers.append(name, one);
            const { statusCode: status = 502 } = incoming;
            const isEmpty = status === 204 || status === 304;
            resolve(new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers }));
          });
        },
      );
      outgoing.on("error", reject);
      outgoing.end(init.body as string | undefined);
    });
  };
}

const bound = ({ signal }: RequestInit, stop: AbortSignal): AbortSignal =>
  AbortSignal.any([stop, signal ?? AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]);
