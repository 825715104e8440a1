import assert from "node:assert/strict";
import { Agent, type RequestOptions, request } from "node:http";

/**
 * A client with one connection: it fails where an answer was the end of it, since the next request would be on another.
 * Ends with the test.
 */
export function openOneConnection(t: { after(close: () => unknown): void }, port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const sockets = new Set<unknown>();
  /** The status of the answer. `sent`: what is told of where it went wrong. */
  return async (sent: string, options: RequestOptions, body: string): Promise<number> => {
    const { status, socket } = await send(
      { ...options, agent, port, host: "127.0.0.1" },
      body,
    ).catch((error) => {
      throw new Error(`${sent}: ${error}`);
    });
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
