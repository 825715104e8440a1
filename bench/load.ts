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
  /** Distributed over the connections. A connection sends those of its own in turn. */
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

export type PacedTarget = Target & { perSecond: number };

/**
 * Fixed rate: calls are spread over the connections in turn. A call waits for the previous response on its connection, but its
 * time counts from when the generator's timer fired, so that a stalled server is charged for the calls that it delayed, and
 * not for the timer.
 */
export async function runPaced(target: PacedTarget): Promise<LoadResult> {
  const { result } = await runSchedule(target, false);
  return result;
}

/**
 * Fixed rate, as `runPaced`, but a call counts from the moment at which it was due, whatever delayed it (open loop, without
 * coordinated omission). To send on time, the generator polls the clock before a call is due, which keeps a core busy.
 * `lateness` is how late the calls were sent (ms, sorted): the part of the latencies that may be the generator's.
 */
export async function runOpenLoop(
  target: PacedTarget,
): Promise<LoadResult & { lateness: Float64Array }> {
  const { result, lateness } = await runSchedule(target, true);
  return { ...result, lateness: sortedSamples(lateness) };
}

/** Timers have a resolution of 1 ms and are often later. */
const POLL_MS = 2;

async function runSchedule(
  target: PacedTarget,
  isOpenLoop: boolean,
): Promise<{ result: LoadResult; lateness: number[] }> {
  const tally = createTally();
  const connections = openConnections(target);
  const count = Math.floor((target.durationMs / 1000) * target.perSecond);
  const lines = connections.map(() => ({ since: [] as number[], busy: false }));
  const lateness: number[] = [];
  const dueAt = (call: number) => tally.started + (call * 1000) / target.perSecond;

  const all = new Promise<void>((resolve, reject) => {
    let fired = 0;
    let responded = 0;
    connections.forEach((connection, i) => {
      const line = lines[i] as (typeof lines)[number];
      connection.onFault = reject;
      connection.onResponse = (status) => {
        const now = performance.now();
        tally.add(status, now - (line.since.shift() as number), now);
        responded += 1;
        line.busy = line.since.length > 0;
        if (line.busy) connection.send();
        else if (responded === count) resolve();
      };
    });
    const fire = () => {
      const now = performance.now();
      while (fired < count && dueAt(fired) <= now) {
        const i = fired % connections.length;
        const line = lines[i] as (typeof lines)[number];
        const sentAt = performance.now();
        lateness.push(sentAt - dueAt(fired));
        line.since.push(isOpenLoop ? dueAt(fired) : sentAt);
        if (!line.busy) connections[i]?.send();
        line.busy = true;
        fired += 1;
      }
      if (fired === count) return;
      const waitMs = dueAt(fired) - now;
      if (isOpenLoop && waitMs < POLL_MS) setImmediate(fire);
      else setTimeout(fire, isOpenLoop ? waitMs - POLL_MS : waitMs);
    };
    fire();
  });
  return { result: await finish([all], connections, target, tally), lateness };
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
    openConnection(target.port, requestsOf(target, i)),
  );
}

/** Returns the requests of a connection: all that have its number when the requests are dealt out. */
export function requestsOf(
  { requests, connections }: Pick<Target, "requests" | "connections">,
  connection: number,
): Buffer[] {
  const own = requests.filter((_, i) => i % connections === connection);
  return own.length > 0 ? own : [requests[connection % requests.length] as Buffer];
}

function openConnection(port: number, requests: readonly Buffer[]): Connection {
  let next = 0;
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
    send() {
      socket.write(requests[next] as Buffer);
      next = (next + 1) % requests.length;
    },
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
