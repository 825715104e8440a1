import type { Server } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "#errors.ts";
import { CONNECTIONS_PER_PEER_DEFAULT } from "#limits.ts";
import { networkOf } from "#networks.ts";
import type { Admission, ConnectionEvent, ConnectionLimits } from "./connection-limits.ts";
import type { Connections } from "./connections.ts";

/** Counts the connections of a server, and closes those that are too many: `connection-limits.ts` decides which. */
export type ConnectionBounds = {
  /** The error for every request on this connection; undefined if the connection is within the bounds. */
  errorOf(socket: Socket): ApiError | undefined;
  /** Resolves when it is decided; undefined if it is. */
  deciding(socket: Socket): Promise<void> | undefined;
};

export type ConnectionBoundOptions = {
  connectionsPerPeer?: number;
  connectionsMax?: number;
  isProxy?: (address: string) => boolean;
  newMs?: number;
  onConnectionClosed?: (event: ConnectionEvent) => void;
};

/** For the first request of a connection that waits for its error. */
const REJECTED_MS = 2_000;
/** A newer connection is not idle: its first request may be on its way. */
const NEW_MS = 1_000;

export function boundConnections(
  server: Server,
  connections: Pick<Connections, "isIdle">,
  limits: ConnectionLimits,
  { connectionsPerPeer = CONNECTIONS_PER_PEER_DEFAULT, newMs = NEW_MS, ...options }: Options,
): ConnectionBounds {
  const { connectionsMax, isProxy = () => false, onConnectionClosed = () => {} } = options;
  /** By peer, with the time at which each was accepted, the oldest first. */
  const peers = new Map<string, Map<number, { socket: Socket; since: number }>>();
  const peerOf = new Map<number, string>();
  const rejected = new Map<Socket, ApiError>();
  const deciding = new Map<Socket, Promise<void>>();
  let count = 0;
  // Node closes connections beyond this number itself.
  server.maxConnections = connectionsMax;
  server.on("drop", () => onConnectionClosed({ bound: "all", connection: "new" }));

  const place = {
    findIdle(names: readonly string[], max: number): number[] {
      const found: number[] = [];
      const before = performance.now() - newMs;
      for (const name of names) {
        for (const [id, { socket, since }] of peers.get(name) ?? []) {
          if (found.length === max) return found;
          if (since > before || socket.destroyed || deciding.has(socket)) continue;
          if (connections.isIdle(socket)) found.push(id);
        }
      }
      return found;
    },
    closeIdle(ids: readonly number[]): number[] {
      return ids.filter((id) => {
        const socket = peers.get(peerOf.get(id) ?? "")?.get(id)?.socket;
        if (socket === undefined || socket.destroyed || !connections.isIdle(socket)) return false;
        socket.destroy();
        return true;
      });
    },
  };

  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress;
    // It was closed before it was accepted.
    if (address === undefined) return;
    count += 1;
    const id = count;
    const peer = networkOf(address);
    const sockets = peers.get(peer) ?? new Map();
    peers.set(peer, sockets);
    sockets.set(id, { socket, since: performance.now() });
    peerOf.set(id, peer);
    socket.once("close", () => {
      rejected.delete(socket);
      deciding.delete(socket);
      peerOf.delete(id);
      sockets.delete(id);
      if (sockets.size === 0) peers.delete(peer);
      limits.closed({ place, id });
    });
    const admission = limits.opened({ place, id, peer, isProxy: isProxy(address) });
    if (!(admission instanceof Promise)) return admit(socket, admission);
    const decided = admission.then((made) => {
      deciding.delete(socket);
      admit(socket, made);
    });
    deciding.set(socket, decided);
  });

  function admit(socket: Socket, admission: Admission): void {
    if (admission === "admitted" || socket.destroyed) return;
    if (admission === "dropped") return void socket.destroy();
    rejected.set(socket, admission === "peer" ? tooManyOfPeer(connectionsPerPeer) : tooMany());
    const timer = setTimeout(() => socket.destroy(), REJECTED_MS).unref();
    socket.once("close", () => clearTimeout(timer));
  }

  return { errorOf: (socket) => rejected.get(socket), deciding: (socket) => deciding.get(socket) };
}

type Options = ConnectionBoundOptions & { connectionsMax: number };

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
