import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Starts a server on a free port of 127.0.0.1, and returns the port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as { port: number }).port;
}

/** Below the ports that a system gives to whoever asks for any, and above those that browsers refuse. */
const [LOWEST, HIGHEST] = [11_000, 32_000];

/**
 * A port on which nothing listens, for what starts to listen later, or again after a pause. A port of the system's choice would meanwhile
 * be given to a server or a connection of another test.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    const server = createServer();
    const tried = once(server, "listening").then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === "EADDRINUSE") return false;
        throw error;
      },
    );
    server.listen(port, "127.0.0.1");
    if (!(await tried)) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
