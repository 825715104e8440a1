import { DELIVERY_TIMEOUT_MS } from "./bounds.ts";
import { checkEndpointUrl, type WebhookNetworks } from "./endpoint-url.ts";
import { NotReached, noResponseWithin, type WebhookTransport } from "./webhook-transport.ts";

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
