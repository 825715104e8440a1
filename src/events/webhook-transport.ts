import { DELIVERY_TIMEOUT_MS } from "./bounds.ts";
import { checkEndpointUrl, type WebhookNetworks } from "./endpoint-url.ts";

/** The port through which webhooks are sent. */
export type WebhookRequest = { url: string; headers: Record<string, string>; body: string };

export type WebhookTransport = {
  /**
   * Sends one POST and resolves with the status of the response, redirects included. Rejects with `NotReached` where there is
   * no response within the transport's time limit, and soon after an abort.
   */
  post(request: WebhookRequest, signal: AbortSignal): Promise<{ status: number }>;
};

/** There was no response. The message is a sentence for the owner of the endpoint. */
export class NotReached extends Error {}

/** The same message in every transport. */
export const PRIVATE_ADDRESS =
  "The host name resolves to an address outside the public internet. Nothing was sent.";
export const noResponseWithin = (ms: number) =>
  `No response within ${Math.round(ms / 1_000)} seconds.`;

/**
 * Sends webhooks with `fetch`, for runtimes without sockets. It cannot check what a host name resolves to, so it is only for
 * networks from which no private address is reachable, such as Cloudflare's.
 */
export function createFetchWebhookTransport(
  networks: WebhookNetworks,
  timeoutMs: number = DELIVERY_TIMEOUT_MS,
): WebhookTransport {
  return {
    async post({ url, headers, body }, signal) {
      const checked = checkEndpointUrl(url, networks);
      if ("error" in checked) throw new NotReached(checked.error);
      const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      try {
        const response = await fetch(checked.url, {
          method: "POST",
          headers,
          body,
          signal: within,
          redirect: "manual",
        });
        // The status is enough. An unread body would keep the connection open.
        await response.body?.cancel().catch(() => {});
        return { status: response.status };
      } catch (cause) {
        const isLate = cause instanceof Error && cause.name === "TimeoutError";
        const message = isLate ? noResponseWithin(timeoutMs) : "Could not connect.";
        throw new NotReached(message, { cause });
      }
    },
  };
}
