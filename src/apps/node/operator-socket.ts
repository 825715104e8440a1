import { mkdirSync, unlinkSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { connect } from "node:net";
import { SOCKET_PATH_TOO_LONG, socketPathOf } from "./socket-path.ts";

export type OperatorSocket = { close(): Promise<void> };

/**
 * Listens for the command line on a socket in the data folder, which only the server's user and root may open. Without the socket the
 * server works all the same, so a fault is a warning.
 */
export async function listenForCommands(
  dataDir: string,
  respond: (request: Request) => Promise<Response>,
  warn: (sentence: string) => void,
): Promise<OperatorSocket> {
  const server = createServer(async (incoming, outgoing) => {
    const { getRequestListener } = await import("@hono/node-server");
    await getRequestListener(respond, { hostname: "localhost" })(incoming, outgoing);
  });
  const file = socketPathOf(dataDir);
  try {
    if (file === null) throw new Error(SOCKET_PATH_TOO_LONG);
    // With PostgreSQL, nothing else may have made the folder yet.
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    await listenAlone(server, file);
  } catch (error) {
    warn(`Commands cannot reach this server without --remote. ${(error as Error).message}`);
  }
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS).unref();
      }),
  };
}

/** How long a shutdown waits for commands. */
const CLOSE_TIMEOUT_MS = 2_000;

/** A server that was killed leaves its socket behind, at which no process listens. */
async function listenAlone(server: Server, file: string): Promise<void> {
  try {
    await listen(server, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    if (await isListenedTo(file))
      throw new Error(`Another server listens on ${file}: nodes that share a DATA_DIR share it.`);
    unlinkSync(file);
    await listen(server, file);
  }
}

function listen(server: Server, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // The socket is made within the call, with this mode from the beginning.
    const mask = process.umask(0o177);
    try {
      server.listen(file, () => {
        server.off("error", reject);
        resolve();
      });
    } finally {
      process.umask(mask);
    }
  });
}

function isListenedTo(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(file, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
