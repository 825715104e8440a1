import { connect, type Socket } from "node:net";
import { sortedSamples } from "./report.ts";

/**
 * A small load generator: keep-alive connections on 127.0.0.1 and prepared requests, one at a time per connection. It shares
 * the CPU cores with the measured server, so it reads only the status and the length of a response. A load ends when every
 * request has its response.
 */
export type LoadResult = {
  /** The number of responses by status. */
  statuses: Map<number, number>;
  responses: number;
  /** From the first request to the last response. */
  seconds: number;
  /** Sorted, in milliseconds. */
  latencies: Float64Array;
  /** The responses of each connection. Only under maximum load; empty otherwise. */
  byConnection: number[];
};

export type Target = {
  port: number;
  requests: readonly Buffer[];
  connections: number;
  durationMs: number;
};

/** How long responses may take after the end of the load. Later ones fail the load. */
const GRACE_MS = 20_000;

/** Prepares the bytes of a JSON POST. */
export function makeRequest(path: string, body: string, key?: string): Buffer {
  const bytes = Buffer.from(body);
  const authorization = key === undefined ? "" : `Authorization: Bearer ${key}\r\n`;
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** Maximum load: every connection sends its next request as soon as it has a response. */
export async function runFlatOut(target: Target): Promise<LoadResult> {
  const tally = createTally();
  const deadline = tally.started + target.durationMs;
  const connections = openConnections(target);
  const byConnection = connections.map(() => 0);
  const all = connections.map(
    (connection, at) =>
      new Promise<void>((resolve, reject) => {
        let sentAt = 0;
        const send = (now: number) => {
          sentAt = now;
          connection.send();
        };
        connection.onFault = reject;
        connection.onResponse = (status) => {
          const now = performance.now();
          tally.add(status, now - sentAt, now);
          byConnection[at] = (byConnection[at] ?? 0) + 1;
          if (now < deadline) send(now);
          else resolve();
        };
        send(performance.now());
      }),
  );
  return { ...(await finish(all, connections, target, tally)), byConnection };
}

/**
 * Fixed rate: calls are spread over the connections in turn. A call waits for the previous response on its connection, but its
 * time counts from when it was due, so that a stalled server is charged for the calls that it delayed.
 */
export async function runPaced(target: Target & { perSecond: number }): Promise<LoadResult> {
  const tally = createTally();
  const connections = openConnections(target);
  const count = Math.floor((target.durationMs / 1000) * target.perSecond);
  const lines = connections.map(() => ({ due: [] as number[], busy: false }));

  const all = new Promise<void>((resolve, reject) => {
    let fired = 0;
    let responded = 0;
    connections.forEach((connection, i) => {
      const line = lines[i] as (typeof lines)[number];
      connection.onFault = reject;
      connection.onResponse = (status) => {
        const now = performance.now();
        tally.add(status, now - (line.due.shift() as number), now);
        responded += 1;
        line.busy = line.due.length > 0;
        if (line.busy) connection.send();
        else if (responded === count) resolve();
      };
    });
    const fire = () => {
      const now = performance.now();
      // The generator's own timer may be late on a busy machine, which is not the server's delay.
      while (fired < count && tally.started + (fired * 1000) / target.perSecond <= now) {
        const i = fired % connections.length;
        const line = lines[i] as (typeof lines)[number];
        line.due.push(performance.now());
        if (!line.busy) connections[i]?.send();
        line.busy = true;
        fired += 1;
      }
      if (fired < count) setTimeout(fire, tally.started + (fired * 1000) / target.perSecond - now);
    };
    fire();
  });
  return finish([all], connections, target, tally);
}

function createTally() {
  const statuses = new Map<number, number>();
  const samples: number[] = [];
  const started = performance.now();
  let last = started;
  return {
    started,
    add(status: number, latencyMs: number, now: number) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      samples.push(latencyMs);
      last = now;
    },
    result: (): LoadResult => ({
      statuses,
      responses: samples.length,
      seconds: (last - started) / 1000,
      latencies: sortedSamples(samples),
      byConnection: [],
    }),
  };
}

async function finish(
  all: Promise<void>[],
  connections: Connection[],
  target: Target,
  tally: ReturnType<typeof createTally>,
): Promise<LoadResult> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `Responses were still missing ${GRACE_MS / 1000} s after the end of the load`;
    timer = setTimeout(() => reject(new Error(message)), target.durationMs + GRACE_MS);
  });
  try {
    await Promise.race([Promise.all(all), late]);
    return tally.result();
  } finally {
    clearTimeout(timer);
    for (const connection of connections) connection.close();
  }
}

type Connection = {
  send(): void;
  close(): void;
  onResponse: (status: number) => void;
  onFault: (error: Error) => void;
};

function openConnections(target: Target): Connection[] {
  return Array.from({ length: target.connections }, (_, i) =>
    openConnection(target.port, target.requests[i % target.requests.length] as Buffer),
  );
}

function openConnection(port: number, request: Buffer): Connection {
  const read = createResponseReader((status) => connection.onResponse(status));
  const fail = (error: Error) => {
    socket.destroy();
    connection.onFault(error);
  };
  // One buffer per connection instead of one per chunk.
  const buffer = Buffer.allocUnsafe(64 * 1024);
  const socket: Socket = connect({
    host: "127.0.0.1",
    port,
    noDelay: true,
    onread: {
      buffer,
      callback(size) {
        try {
          read(buffer, size);
        } catch (error) {
          fail(error as Error);
        }
        return true;
      },
    },
  });
  const connection: Connection = {
    send: () => socket.write(request),
    close: () => socket.destroy(),
    onResponse: () => {},
    onFault: () => {},
  };
  socket.on("error", fail);
  socket.on("end", () => fail(new Error("The server closed a connection that was in use")));
  return connection;
}

/** Longer than the head of any response. The rest of a chunk is not decoded. */
const HEAD_BYTES_MAX = 4_096;

/** Reads responses with a Content-Length, which all measured servers send. */
function createResponseReader(onResponse: (status: number) => void) {
  let head = "";
  let status = 0;
  let bodyBytesLeft = 0;
  return (chunk: Buffer, size: number): void => {
    let at = 0;
    while (at < size) {
      if (bodyBytesLeft === 0) {
        const before = head.length;
        const until = Math.min(size, at + HEAD_BYTES_MAX);
        head += chunk.toString("latin1", at, until);
        const end = head.indexOf("\r\n\r\n");
        if (end === -1) {
          at = until;
          continue;
        }
        at += end + 4 - before;
        const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head);
        if (length === null)
          throw new Error(`The response has no Content-Length: ${head.slice(0, 200)}`);
        status = Number(head.slice(9, 12));
        bodyBytesLeft = Number(length[1]);
        head = "";
      }
      const taken = Math.min(bodyBytesLeft, size - at);
      bodyBytesLeft -= taken;
      at += taken;
      if (bodyBytesLeft === 0) onResponse(status);
    }
  };
}
