import assert from "node:assert/strict";
import { Agent, type RequestOptions, request } from "node:http";
import { DRAIN_WAIT_MS } from "#limits.ts";

/**
 * A client with one connection: it fails where an answer was the end of it, since the next request would be on another.
 * Ends with the test.
 */
export function openOneConnection(t: { after(close: () => unknown): void }, port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const sockets = new Set<unknown>();
  let isSlow = false;
  /** The status of the answer. `sent`: what is told of where it went wrong. */
  return async (sent: string, options: RequestOptions, body: string): Promise<number> => {
    // The server waits only so long for a body that it drops, and then closes the connection.
    if (isSlow) sockets.clear();
    const startedAt = performance.now();
    const { status, socket } = await send(
      { ...options, agent, port, host: "127.0.0.1" },
      body,
    ).catch((error) => {
      throw new Error(`${sent}: ${error}`);
    });
    isSlow = performance.now() - startedAt >= DRAIN_WAIT_MS;
    sockets.add(socket);
    assert.equal(sockets.size, 1, `another connection after ${sent}`);
    return status;
  };
}

function send(options: RequestOptions, body: string) {
  return new Promise<{ status: number; socket: unknown }>((resolve, reject) => {
    const sent = request(options, (response) => {
      const { socket } = response;
      response.resume().on("end", () => resolve({ status: response.statusCode ?? 0, socket }));
    });
    sent.on("error", reject).end(body);
  });
}
