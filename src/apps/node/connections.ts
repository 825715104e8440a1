import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Tracks the responses in progress on each connection, and closes connections whose client may still be sending. Closing
 * with unread bytes would reset the connection and discard the response in transit (RFC 9112, section 9.6). So the
 * server ends its side first, then reads and drops bytes until the client ends, pauses or sends for too long.
 */
export type Connections = {
  /** Records a response. Called for every request, so it must be cheap. */
  track(outgoing: ServerResponse): void;
  /** Returns the responses in progress in request order, of one connection or of all. */
  underWay(socket?: Socket): ServerResponse[];
  /** Ends the connection after the written bytes. `incoming` is the request whose body is still arriving. */
  close(socket: Socket, incoming?: IncomingMessage): void;
  isClosing(socket: Socket): boolean;
  /** No request is being served. Part of one may have arrived. */
  isIdle(socket: Socket): boolean;
  /** Destroys connections that were closed and still linger. */
  cut(): void;
};

const PAUSE_MAX_MS = 2_000;
/** 10 MB at 1 MB/s, with a margin. */
const LINGER_MAX_MS = 15_000;

export function watchConnections(server: Server): Connections {
  const responsesOf = new Map<Socket, ServerResponse[]>();
  const closing = new Set<Socket>();

  server.on("connection", (socket) => {
    const responses: ServerResponse[] = [];
    responsesOf.set(socket, responses);
    socket.once("close", () => {
      responsesOf.delete(socket);
      closing.delete(socket);
    });
    // Node calls this after the last response; it would reset a client that is still sending.
    const destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const incoming = responses.at(-1)?.req;
      if (incoming === undefined || incoming.complete) destroySoon();
      else close(socket, incoming);
    };
  });

  function track(outgoing: ServerResponse): void {
    const responses = responsesOf.get(outgoing.req.socket);
    if (responses === undefined) return;
    // The usual case is one finished response: overwrite it and keep the array.
    const isOver = responses.at(-1)?.writableFinished === true;
    if (isOver && responses.length > 1) responses.length = 1;
    if (isOver) responses[0] = outgoing;
    else responses.push(outgoing);
  }

  function close(socket: Socket, incoming?: IncomingMessage): void {
    if (closing.has(socket) || socket.destroyed) return;
    closing.add(socket);
    const deadline = setTimeout(() => socket.destroy(), LINGER_MAX_MS).unref();
    socket.setTimeout(PAUSE_MAX_MS, () => socket.destroy());
    socket.once("close", () => clearTimeout(deadline));
    socket.end();
    // The previous reader has stopped; resume() lets the rest flow without keeping it.
    incoming?.removeAllListeners("data");
    incoming?.once("end", () => socket.destroy());
    incoming?.resume();
  }

  function underWay(socket?: Socket): ServerResponse[] {
    const responses =
      socket === undefined ? [...responsesOf.values()].flat() : responsesOf.get(socket);
    return (responses ?? []).filter((each) => !each.writableFinished && !each.destroyed);
  }

  return {
    track,
    underWay,
    isIdle: (socket) => underWay(socket).length === 0,
    close,
    isClosing: (socket) => closing.has(socket),
    cut() {
      for (const socket of closing) socket.destroy();
    },
  };
}
