/** A receiver of webhooks on this machine, which verifies them with the Standard Webhooks package as users would. */
import type { ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import { Webhook } from "standardwebhooks";
import { bodyOf, serveHttp } from "../support/http-server.ts";

export type Received = { id: string; body: string; isGood: boolean };

/** `result` decides by the number of webhooks received before. */
export async function startReceiver(
  t: TestContext,
  secret: () => string,
  result: (before: number, response: ServerResponse) => void = (_, response) => response.end(),
) {
  const received: Received[] = [];
  const origin = await serveHttp(t, async (request, response) => {
    const body = await bodyOf(request);
    const headers = request.headers as Record<string, string>;
    let isGood = true;
    try {
      new Webhook(secret()).verify(body, headers);
    } catch {
      isGood = false;
    }
    received.push({ id: headers["webhook-id"] ?? "", body, isGood });
    result(received.length - 1, response);
  });
  return { received, url: `${origin}/hooks` };
}
