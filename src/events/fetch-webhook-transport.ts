import { DELIVERY_TIMEOUT_MS } from "./bounds.ts";
import { checkEndpointUrl, type WebhookNetworks } from "./endpoint-address.ts";
import { NotReached, tooLate, type WebhookTransport } from "./webhook-transport.ts";

/**
 * Webhooks by `fetch`, for runtimes that have no sockets. What a name leads to is not known here: it is for networks from
 * which nothing private can be reached, such as Cloudflare's.
 */
export function createFetchWebhookTransport(
  networks: WebhookNetworks,
  timeoutMs: number = DELIVERY_TIMEOUT_MS,
): WebhookTransport {
  return {
    async post({ url, headers, body }, signal) {
      const judged = checkEndpointUrl(url, networks);
      if ("fault" in judged) throw new NotReached(judged.fault);
      const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      try {
        const response = await fetch(judged.url, {
          ...{ method: "POST", headers, body, signal: within },
          redirect: "manual",
        });
        // Its status says enough. Unread, its connection would stay taken.
        await response.body?.cancel().catch(() => {});
        return { status: response.status };
      } catch (cause) {
        const isLate = (cause as Error | undefined)?.name === "TimeoutError";
        throw new NotReached(isLate ? tooLate(timeoutMs) : "No connection could be made.", {
          cause,
        });
      }
    },
  };
}
