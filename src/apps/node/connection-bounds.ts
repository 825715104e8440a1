import type { Server } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "#errors.ts";
import { CONNECTIONS_MAX, CONNECTIONS_PER_PEER_DEFAULT } from "#limits.ts";
import { networkOf } from "#networks.ts";
import type { Connections } from "./connections.ts";

/**
 * Bounds the connections of one peer and of all, so that nobody keeps others out by holding connections. At a bound, idle
 * connections are closed first, those of the peer with the most connections before others. If none is idle, the newest
 * connection gets an error in place of its first response.
 *
 * The bound of a peer does not hold for proxies, which carry the connections of many clients: trusted ones, and those on
 * this machine, because a proxy beside the service works without being named in the settings.
 */
export type ConnectionBounds = {
  /** The error for every request on this connection; undefined if the connection is within the bounds. */
  errorOf(socket: Socket): ApiError | undefined;
};

export type ConnectionBoundOptions = {
  connectionsPerPeer?: number;
  connectionsMax?: number;
  isProxy?: (address: string) => boolean;
  newMs?: number;
  onConnectionClosed?: (event: ConnectionEvent) => void;
};

/** `bound`: the one that was reached. */
export type ConnectionEvent = { bound: "peer" | "all"; connection: "idle" | "new" };

/** Connections that wait for their error, within the bound of all. Further ones are closed without a word. */
const REJECTED_MAX = 100;
/** For the first request of such a connection. */
const REJECTED_MS = 2_000;
/** A newer connection is not idle: its first request may be on its way. */
const NEW_MS = 1_000;
/** Looking for idle connections costs time for each connection, so many are closed at once. */
const CLOSED_AT_ONCE = 100;

/** `sockets`: with the time at which each was accepted, the oldest first. */
type Peer = { isProxy: boolean; sockets: Map<Socket, number> };

export function boundConnections(
  server: Server,
  connections: Pick<Connections, "isIdle">,
  options: ConnectionBoundOptions,
): ConnectionBounds {
  const {
    connectionsPerPeer = CONNECTIONS_PER_PEER_DEFAULT,
    connectionsMax = CONNECTIONS_MAX,
    isProxy = () => false,
    newMs = NEW_MS,
    onConnectionClosed = () => {},
  } = options;
  const peers = new Map<string, Peer>();
  const rejected = new Map<Socket, ApiError>();
  let count = 0;
  // Node closes connections beyond this number itself.
  server.maxConnections = connectionsMax;
  server.on("drop", () => onConnectionClosed({ bound: "all", connection: "new" }));

  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress;
    // It was closed before it was accepted.
    if (address === undefined) return;
    const name = networkOf(address);
    const peer = peers.get(name) ?? { isProxy: isProxy(address), sockets: new Map() };
    peers.set(name, peer);
    peer.sockets.set(socket, performance.now());
    count += 1;
    socket.once("close", () => {
      count -= 1;
      rejected.delete(socket);
      peer.sockets.delete(socket);
      if (peer.sockets.size === 0) peers.delete(name);
    });
    if (!peer.isProxy && peer.sockets.size > connectionsPerPeer) {
      if (closeIdle([peer], socket, 1, "peer") === 0) reject(socket, "peer");
    } else if (count > connectionsMax - REJECTED_MAX) {
      if (closeIdle(largestFirst(), socket, CLOSED_AT_ONCE, "all") === 0) reject(socket, "all");
    }
  });

  const largestFirst = (): Peer[] =>
    [...peers.values()].sort(
      (one, other) =>
        Number(one.isProxy) - Number(other.isProxy) || other.sockets.size - one.sockets.size,
    );

  /** Closes idle connections, of each peer the oldest first. Returns how many. */
  function closeIdle(
    from: Iterable<Peer>,
    except: Socket,
    max: number,
    bound: ConnectionEvent["bound"],
  ): number {
    let closed = 0;
    const before = performance.now() - newMs;
    for (const { sockets } of from) {
      for (const [socket, since] of sockets) {
        if (closed === max) return closed;
        if (socket === except || since > before || socket.destroyed) continue;
        if (!connections.isIdle(socket)) continue;
        socket.destroy();
        onConnectionClosed({ bound, connection: "idle" });
        closed += 1;
      }
    }
    return closed;
  }

  function reject(socket: Socket, bound: ConnectionEvent["bound"]): void {
    onConnectionClosed({ bound, connection: "new" });
    if (rejected.size >= REJECTED_MAX) {
      socket.destroy();
      return;
    }
    rejected.set(socket, bound === "peer" ? tooManyOfPeer(connectionsPerPeer) : tooMany());
    const timer = setTimeout(() => socket.destroy(), REJECTED_MS).unref();
    socket.once("close", () => clearTimeout(timer));
  }

  return { errorOf: (socket) => rejected.get(socket) };
}

const tooManyOfPeer = (max: number) =>
  new ApiError(
    "rate_limited",
    `Your network address has more than ${max} connections open. Close some, or use the open ones for more requests.`,
    { members: { limitSource: "connections" }, headers: { "Retry-After": "1" } },
  );

const tooMany = () =>
  new ApiError(
    "unavailable",
    "The service has as many connections as it can handle. Try again in a moment.",
    { headers: { "Retry-After": "1" } },
  );
