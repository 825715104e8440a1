import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/**
 * Closes connections whose client may still be sending. To close at once with bytes unread would reset the connection,
 * and a reset throws away the answer that is on its way (RFC 9112, section 9.6). So our side ends, and what still
 * comes is read and dropped until the client has ended too, or pauses, or goes on for too long.
 */
export type Lingering = {
  /** Ends the connection after what was written. `incoming`: the request whose body is still coming. */
  close(socket: Socket, incoming?: IncomingMessage): void;
  isClosing(socket: Socket): boolean;
  /** Cuts those that still linger. */
  cut(): void;
};

const PAUSE_MAX_MS = 2_000;
/** 10 MB at 1 MB/s, and some. */
const LINGER_MAX_MS = 15_000;

export function createLingering(): Lingering {
  const closing = new Set<Socket>();
  return {
    close(socket, incoming) {
      if (closing.has(socket) || socket.destroyed) return;
      closing.add(socket);
      const deadline = setTimeout(() => socket.destroy(), LINGER_MAX_MS).unref();
      socket.setTimeout(PAUSE_MAX_MS, () => socket.destroy());
      socket.once("close", () => {
        clearTimeout(deadline);
        closing.delete(socket);
      });
      socket.end();
      // Whoever read the body so far has stopped; without a reader it flows, and nothing is kept.
      incoming?.removeAllListeners("data");
      incoming?.once("end", () => socket.destroy());
      incoming?.resume();
    },
    isClosing: (socket) => closing.has(socket),
    cut() {
      for (const socket of closing) socket.destroy();
    },
  };
}
