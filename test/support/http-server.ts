import { createServer, type RequestListener } from "node:http";
import { listen } from "./ports.ts";

/** Serves HTTP on this machine until the test ends. Returns the origin. */
export async function serveHttp(
  t: { after(close: () => unknown): unknown },
  listener: RequestListener,
): Promise<string> {
  const server = createServer(listener);
  const port = await listen(server);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}

/** The body of a request as a text. */
export async function bodyOf(request: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}
