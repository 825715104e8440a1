/**
 * Bounds the connections of one peer and of all, so that nobody keeps others out by holding connections. At a bound, idle
 * connections are closed first, those of the peer with the most connections before others. If none is idle, the newest
 * connection gets an error in place of its first response.
 *
 * The bound of a peer does not hold for proxies, which carry the connections of many clients: trusted ones, and those on
 * this machine, because a proxy beside the service works without being named in the settings.
 *
 * The connections may be on several threads, which share these bounds.
 */
export type ConnectionLimits = {
  /** Counts a new connection, and decides about it; at once unless a bound was reached. */
  opened(connection: NewConnection): Admission | Promise<Admission>;
  closed(connection: ConnectionId): void;
  /** A place is gone, with its connections. */
  lost(place: ConnectionPlace): void;
  /** The number of open connections in a place. */
  countIn(place: ConnectionPlace): number;
};

/** `peer`, `all`: the bound that was reached, so that the connection gets an error. `dropped`: it is closed without a word. */
export type Admission = "admitted" | "dropped" | ConnectionEvent["bound"];

/** `bound`: the one that was reached. */
export type ConnectionEvent = { bound: "peer" | "all"; connection: "idle" | "new" };

/** The id is unique in its place. */
export type ConnectionId = { place: ConnectionPlace; id: number };
export type NewConnection = ConnectionId & { peer: string; isProxy: boolean };

/** Where connections are. Only it knows which of them are idle. */
export type ConnectionPlace = {
  /** Returns idle connections of these peers, in their order, of each peer the oldest first; none that is not decided about. */
  findIdle(peers: readonly string[], max: number): number[] | Promise<number[]>;
  /** Closes those that are still idle, and returns them. */
  closeIdle(ids: readonly number[]): number[] | Promise<number[]>;
};

export type LimitOptions = {
  connectionsPerPeer: number;
  connectionsMax: number;
  onConnectionClosed(event: ConnectionEvent): void;
};

/** Connections that wait for their error, within the bound of all. Further ones are closed without a word. */
const REJECTED_MAX = 100;
/** Looking for idle connections costs time for each connection, so many are closed at once. */
const CLOSED_AT_ONCE = 100;

type Peer = { name: string; isProxy: boolean; count: number };
type Open = NewConnection & { order: number; isRejected: boolean };

export function createConnectionLimits({
  connectionsPerPeer,
  connectionsMax,
  onConnectionClosed,
}: LimitOptions): ConnectionLimits {
  const peers = new Map<string, Peer>();
  const places = new Map<ConnectionPlace, Map<number, Open>>();
  let count = 0;
  let opened = 0;
  let rejected = 0;
  /** One connection after the other is decided about, because each changes what is idle. */
  let deciding: Promise<unknown> | null = null;

  function reached(peer: Peer): ConnectionEvent["bound"] | null {
    if (!peer.isProxy && peer.count > connectionsPerPeer) return "peer";
    return count > connectionsMax - REJECTED_MAX ? "all" : null;
  }

  async function decide(connection: Open, peer: Peer): Promise<Admission> {
    const bound = reached(peer);
    if (bound === null || !isOpen(connection)) return "admitted";
    const closed = await (bound === "peer"
      ? closeIdle([peer.name], 1)
      : closeIdle(largestFirst(), CLOSED_AT_ONCE));
    for (let each = 0; each < closed; each += 1) onConnectionClosed({ bound, connection: "idle" });
    if (closed > 0) return "admitted";
    onConnectionClosed({ bound, connection: "new" });
    if (rejected >= REJECTED_MAX || count > connectionsMax) return "dropped";
    if (isOpen(connection)) rejected += 1;
    connection.isRejected = true;
    return bound;
  }

  const isOpen = ({ place, id }: Open) => places.get(place)?.has(id) === true;

  const largestFirst = (): string[] =>
    [...peers.values()]
      .sort((one, other) => Number(one.isProxy) - Number(other.isProxy) || other.count - one.count)
      .map(({ name }) => name);

  /** Closes idle connections, of each peer the oldest first. Returns how many. */
  async function closeIdle(names: readonly string[], max: number): Promise<number> {
    const rank = new Map(names.map((name, at) => [name, at]));
    const found = await Promise.all(
      [...places].map(async ([place, connections]) => {
        const ids = await place.findIdle(names, max);
        return ids.flatMap((id) => connections.get(id) ?? []);
      }),
    );
    const chosen = found
      .flat()
      .sort(
        (one, other) =>
          (rank.get(one.peer) ?? 0) - (rank.get(other.peer) ?? 0) || one.order - other.order,
      )
      .slice(0, max);
    const closed = await Promise.all(
      [...places.keys()].map(async (place) => {
        const ids = chosen.filter((each) => each.place === place).map(({ id }) => id);
        const done = ids.length === 0 ? [] : await place.closeIdle(ids);
        for (const id of done) remove({ place, id });
        return done.length;
      }),
    );
    return closed.reduce((sum, each) => sum + each, 0);
  }

  function remove({ place, id }: ConnectionId): void {
    const connections = places.get(place);
    const connection = connections?.get(id);
    if (connections === undefined || connection === undefined) return;
    connections.delete(id);
    if (connections.size === 0) places.delete(place);
    count -= 1;
    if (connection.isRejected) rejected -= 1;
    const peer = peers.get(connection.peer) as Peer;
    peer.count -= 1;
    if (peer.count === 0) peers.delete(peer.name);
  }

  return {
    opened(added) {
      const { place, id, peer: name, isProxy } = added;
      const peer = peers.get(name) ?? { name, isProxy, count: 0 };
      peers.set(name, peer);
      peer.count += 1;
      count += 1;
      opened += 1;
      const connection = { ...added, order: opened, isRejected: false };
      const connections = places.get(place) ?? new Map<number, Open>();
      places.set(place, connections.set(id, connection));
      if (deciding === null && reached(peer) === null) return "admitted";
      const decision = (deciding ?? Promise.resolve()).then(() => decide(connection, peer));
      const last = decision.finally(() => {
        if (deciding === last) deciding = null;
      });
      deciding = last;
      return decision;
    },
    closed: remove,
    countIn: (place) => places.get(place)?.size ?? 0,
    lost(place) {
      for (const id of places.get(place)?.keys() ?? []) remove({ place, id });
    },
  };
}
