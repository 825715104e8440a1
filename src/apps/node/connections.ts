import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Gives each connection's requests their turn, and closes connections.
 *
 * A pipelined request waits until the response before it has been sent: if that response closes the connection, whatever the reason,
 * the request is never served, so it costs nothing (RFC 9112, section 9.3.2). While requests wait, no more are read.
 *
 * Closing with unread bytes would reset the connection and discard the response in transit (RFC 9112, section 9.6). So the server
 * ends its side first, then reads and drops bytes until the client ends, pauses or sends for too long.
 */
export type Connections = {
  /**
   * Records a response, and returns whether it is its turn. If not, call `wait`. Called for every request, so it must be cheap.
   */
  enter(outgoing: ServerResponse): boolean;
  /** Calls `serve` when it is the turn of a response; never if the connection is closed before. */
  wait(outgoing: ServerResponse, serve: () => void): void;
  /** Returns the responses in progress in request order, of one connection or of all. */
  underWay(socket?: Socket): ServerResponse[];
  /** No request has arrived on the connection after the one of this response. */
  isLast(outgoing: ServerResponse): boolean;
  /** Ends the connection after the written bytes. `incoming` is the request whose body is still arriving. */
  close(socket: Socket, incoming?: IncomingMessage): void;
  isClosing(socket: Socket): boolean;
  /**
   * Calls `reject` for a request that is late: at once, or, if the server did not read because requests waited, when it has not
   * arrived `graceMs` after that. Node reports a late request only once.
   */
  whenLate(socket: Socket, graceMs: number, reject: () => void): void;
  /** Destroys connections on which no request has arrived, not even a part of one, since the last response was sent. */
  closeIdle(): void;
  /** Destroys connections that were closed and still linger. */
  cut(): void;
};

/** `heldAt`: when requests last waited, so that nothing was read, by the monotonic clock. */
type Connection = { responses: ServerResponse[]; waiting: (() => void)[]; heldAt: number };

const PAUSE_MAX_MS = 2_000;
/** 10 MB at 1 MB/s, with a margin. */
const LINGER_MAX_MS = 15_000;

export function watchConnections(server: Server): Connections {
  const connections = new Map<Socket, Connection>();
  const closing = new Set<Socket>();

  server.on("connection", (socket) => {
    const connection: Connection = { responses: [], waiting: [], heldAt: Number.NEGATIVE_INFINITY };
    const { responses } = connection;
    connections.set(socket, connection);
    socket.once("close", () => {
      connections.delete(socket);
      closing.delete(socket);
    });
    // The client sends no more, and still reads.
    socket.once("end", () => {
      const last = responses.at(-1);
      if (last !== undefined && !last.headersSent) last.setHeader("Connection", "close");
    });
    // Node calls this after the last response; it would reset a client that is still sending.
    const destroySoon = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const incoming = responses.find((each) => !each.req.complete)?.req;
      if (socket.readableEnded) destroySoon();
      else close(socket, incoming);
    };
  });

  function enter(outgoing: ServerResponse): boolean {
    const { socket } = outgoing.req;
    const responses = connections.get(socket)?.responses;
    // After a response that closes the connection.
    if (responses === undefined || !socket.writable) return false;
    // The usual case is one finished response: overwrite it and keep the array.
    const isOver = responses.length === 0 || responses.at(-1)?.writableFinished === true;
    if (isOver && responses.length > 1) responses.length = 1;
    if (isOver) responses[0] = outgoing;
    else responses.push(outgoing);
    return isOver;
  }

  function wait(outgoing: ServerResponse, serve: () => void): void {
    const { socket } = outgoing.req;
    const connection = connections.get(socket);
    if (connection === undefined || !socket.writable) return void outgoing.req.resume();
    const { waiting } = connection;
    waiting.push(serve);
    if (waiting.length === 1) serveAfterCurrent(socket, connection);
    // Node resumes the socket at the end of each request that it parses.
    process.nextTick(() => {
      if (waiting.length > 0) socket.pause();
    });
  }

  function serveAfterCurrent(socket: Socket, connection: Connection): void {
    const { responses, waiting } = connection;
    responses.at(-1 - waiting.length)?.once("close", () => {
      if (!socket.writable) return;
      responses.splice(0, responses.length - waiting.length);
      const serve = waiting.shift();
      if (waiting.length > 0) serveAfterCurrent(socket, connection);
      else {
        connection.heldAt = performance.now();
        socket.resume();
      }
      serve?.();
    });
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
    socket.resume();
  }

  function whenLate(socket: Socket, graceMs: number, reject: () => void): void {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    const { responses, waiting, heldAt } = connection;
    if (waiting.length === 0 && performance.now() - heldAt > graceMs) {
      reject();
      return;
    }
    const last = responses.at(-1);
    const wasComplete = last?.req.complete;
    setTimeout(() => {
      const hasArrived = responses.at(-1) !== last || last?.req.complete !== wasComplete;
      if (!socket.destroyed && !hasArrived) whenLate(socket, graceMs, reject);
    }, graceMs).unref();
  }

  const isUnderWay = (each: ServerResponse) => !each.writableFinished && !each.destroyed;

  function underWay(socket?: Socket): ServerResponse[] {
    const some = socket === undefined ? connections.values() : [connections.get(socket)];
    return [...some].flatMap((each) => each?.responses.filter(isUnderWay) ?? []);
  }

  return {
    enter,
    wait,
    underWay,
    isLast: (outgoing) => connections.get(outgoing.req.socket)?.responses.at(-1) === outgoing,
    close,
    isClosing: (socket) => closing.has(socket),
    whenLate,
    closeIdle() {
      // Node takes a response for sent once it is written, so closeIdleConnections() would destroy connections whose last response is
      // still leaving.
      const busy = [...connections.keys()].filter((socket) => underWay(socket).length > 0);
      for (const socket of busy) socket.destroy = () => socket;
      server.closeIdleConnections();
      for (const socket of busy) delete (socket as Partial<Socket>).destroy;
    },
    cut() {
      for (const socket of closing) socket.destroy();
    },
  };
}
