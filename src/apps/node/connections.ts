import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * The connections of a server: which answers are under way on each, and how one is closed whose client may still be
 * sending. To close with bytes unread would reset the connection, and a reset throws away the answer that is on its way
 * (RFC 9112, section 9.6). So our side ends, and what still comes is read and dropped until the client has ended too,
 * or pauses, or goes on for too long.
 */
export type Connections = {
  /** Called for every request, so it costs next to nothing. */
  note(outgoing: ServerResponse): void;
  /** The answers under way, in the order of their requests; of one connection, or of all. */
  underWay(socket?: Socket): ServerResponse[];
  /** Ends the connection after what was written. `incoming`: the request whose body is still coming. */
  close(socket: Socket, incoming?: IncomingMessage): void;
  isClosing(socket: Socket): boolean;
  /** Cuts those that were closed and still linger. */
  cut(): void;
};

const PAUSE_MAX_MS = 2_000;
/** 10 MB at 1 MB/s, and some. */
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
    // What Node calls after the last answer: it would reset a client that is still sending.
    const destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const incoming = responses.at(-1)?.req;
      if (incoming === undefined || incoming.complete) destroySoon();
      else close(socket, incoming);
    };
  });

  function note(outgoing: ServerResponse): void {
    const responses = responsesOf.get(outgoing.req.socket);
    if (responses === undefined) return;
    // Most often there is one, of which nobody wants to know any more: its place is taken, and the list stays as it is.
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
    // Whoever read the body so far has stopped; without a reader it flows, and nothing is kept.
    incoming?.removeAllListeners("data");
    incoming?.once("end", () => socket.destroy());
    incoming?.resume();
  }

  return {
    note,
    underWay(socket) {
      const responses =
        socket === undefined ? [...responsesOf.values()].flat() : responsesOf.get(socket);
      return (responses ?? []).filter((each) => !each.writableFinished && !each.destroyed);
    },
    close,
    isClosing: (socket) => closing.has(socket),
    cut() {
      for (const socket of closing) socket.destroy();
    },
  };
}
