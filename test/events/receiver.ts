/** A receiver of webhooks on this machine, which verifies them with the Standard Webhooks package as users would. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { Webhook } from "standardwebhooks";

export type Received = { id: string; body: string; isGood: boolean };

/** `result` decides by the number of webhooks received before. */
export async function startReceiver(
  t: TestContext,
  secret: () => string,
  result: (before: number, response: ServerResponse) => void = (_, response) => response.end(),
) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
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
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  t.after(stop);
  return { received, stop, url: `http://127.0.0.1:${port}/hooks` };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
