/** The port to whoever carries webhooks away. */
export type WebhookRequest = { url: string; headers: Record<string, string>; body: string };

export type WebhookTransport = {
  /**
   * One POST. Resolves with the status of the answer, whatever it is; redirects are answers. Rejects with `NotReached`
   * where there was none. Its time has a bound; an abort makes it reject soon.
   */
  post(request: WebhookRequest, signal: AbortSignal): Promise<{ status: number }>;
};

/** No answer came; the message is for the owner of the endpoint, in words. */
export class NotReached extends Error {}

/** The same wherever it is found out. */
export const REFUSED_ADDRESS =
  "The name leads to an address that is not on the public internet; nothing was sent.";
export const tooLate = (ms: number) => `No answer came within ${Math.round(ms / 1_000)} seconds.`;
