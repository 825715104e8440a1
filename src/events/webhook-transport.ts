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
