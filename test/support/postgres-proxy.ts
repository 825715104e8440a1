import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { listen } from "./ports.ts";

/** Proxies between a node and its PostgreSQL, which do what networks and poolers do. Both speak on 127.0.0.1 alone. */

const HOST = "127.0.0.1";

async function closeAll(server: Server, sockets: Set<Socket>): Promise<void> {
  server.close();
  for (const socket of sockets) socket.destroy();
  await once(server, "close");
}

function keep(sockets: Set<Socket>, socket: Socket): Socket {
  sockets.add(socket);
  socket.setNoDelay(true);
  // Whatever breaks here is meant to.
  socket.on("error", () => {});
  socket.once("close", () => sockets.delete(socket));
  return socket;
}

/** A network that can be slow, swallow answers, or end connections at the worst moment. */
export type Network = {
  port: number;
  /** Where connections lead from now on; those that are open stay where they are. */
  leadTo(port: number): void;
  /** Waits before anything goes on, in both directions. */
  delay(ms: number): void;
  /** From now on `count` answers to a COMMIT are lost: the connection ends when they would arrive, and `then` is called. */
  loseCommits(count: number, then?: () => void): void;
  /** Nothing goes through, and nobody is told. */
  swallow(isSwallowing: boolean): void;
  /** Ends every connection. */
  cut(): void;
  lost(): number;
  /** How many connections were asked for so far. */
  connections(): number;
  close(): Promise<void>;
};

export async function openNetwork(to: number): Promise<Network> {
  let [target, waitMs, toLose, lost, swallowing] = [to, 0, 0, 0, false];
  let connections = 0;
  let onLost = () => {};
  const sockets = new Set<Socket>();
  const later = (act: () => void) => (waitMs === 0 ? act() : setTimeout(act, waitMs));
  const server = createServer((client) => {
    connections += 1;
    keep(sockets, client);
    const backend = keep(sockets, connect(target, HOST));
    let commits = false;
    client.on("data", (data) => {
      commits = data.includes("COMMIT");
      if (!swallowing) later(() => backend.write(data));
    });
    backend.on("data", (data) => {
      if (swallowing) return;
      // The transaction is carried out: this is the answer that tells so.
      if (commits && toLose > 0 && data.includes("COMMIT\0")) {
        toLose -= 1;
        lost += 1;
        client.destroy();
        backend.destroy();
        onLost();
        return;
      }
      later(() => client.write(data));
    });
    client.once("close", () => backend.destroy());
    backend.once("close", () => client.destroy());
  });
  const port = await listen(server);
  return {
    port,
    leadTo: (next) => {
      target = next;
    },
    delay: (ms) => {
      waitMs = ms;
    },
    loseCommits: (count, then = () => {}) => {
      toLose = count;
      onLost = then;
    },
    swallow: (isSwallowing) => {
      swallowing = isSwallowing;
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    lost: () => lost,
    connections: () => connections,
    close: () => closeAll(server, sockets),
  };
}

/** A proxy that pools transactions, as poolers do, and unlike them gives each transaction another backend than the last. */
export type Pooler = { port: number; transactions(): number; close(): Promise<void> };

const STARTUP_SSL = 80_877_103;

export async function openPooler(
  target: number,
  options: { backends: number; user: string; database: string },
): Promise<Pooler> {
  const sockets = new Set<Socket>();
  const backends = await Promise.all(
    Array.from({ length: options.backends }, () => openBackend(target, options, sockets)),
  );
  let turn = 0;
  let transactions = 0;

  function takeBackend(): Backend | undefined {
    for (let tries = 0; tries < backends.length; tries += 1) {
      turn = (turn + 1) % backends.length;
      const backend = backends[turn];
      if (backend?.isFree) return backend;
    }
    return undefined;
  }

  const server = createServer((client) => {
    keep(sockets, client);
    let held: Backend | undefined;
    let waiting: Buffer[] = [];

    function forward(): void {
      if (waiting.length === 0) return;
      if (held === undefined) {
        const backend = takeBackend();
        if (backend === undefined) return void setTimeout(forward, 1);
        held = backend;
        transactions += 1;
        backend.isFree = false;
        backend.response = (data, isOver) => {
          client.write(data);
          if (!isOver) return;
          held = undefined;
          backend.isFree = true;
          forward();
        };
      }
      for (const data of waiting) held.socket.write(data);
      waiting = [];
    }

    greet(client, backends[0]?.greeting ?? Buffer.alloc(0), (data) => {
      // X: the client goes; the backend stays.
      if (data[0] === 0x58) return client.end();
      waiting.push(data);
      forward();
      return undefined;
    });
    // What it was in the middle of is undone by ending its backend.
    client.once("close", () => held?.socket.destroy());
  });
  const port = await listen(server);
  return { port, transactions: () => transactions, close: () => closeAll(server, sockets) };
}

type Backend = {
  socket: Socket;
  isFree: boolean;
  /** What a client is told after it has been let in. */
  greeting: Buffer;
  /** `isOver`: the transaction has ended. */
  response(data: Buffer, isOver: boolean): void;
};

async function openBackend(
  port: number,
  { user, database }: { user: string; database: string },
  sockets: Set<Socket>,
): Promise<Backend> {
  const socket = keep(sockets, connect(port, HOST));
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(196_608, 4);
  socket.write(Buffer.concat([head, body]));
  const backend: Backend = { socket, isFree: true, greeting: Buffer.alloc(0), response() {} };
  await new Promise<void>((resolve) => {
    readMessages(socket, (messages, isOver) => {
      if (backend.greeting.length > 0 || !isOver) return backend.response(messages, isOver);
      backend.greeting = messages;
      return resolve();
    });
  });
  return backend;
}

/** Whole messages at a time; the last one of a transaction is `Z` with the state `I` (protocol, "ReadyForQuery"). */
function readMessages(socket: Socket, tell: (data: Buffer, isOver: boolean) => void): void {
  let left = Buffer.alloc(0);
  socket.on("data", (data) => {
    left = Buffer.concat([left, data]);
    let at = 0;
    let isOver = false;
    while (left.length - at >= 5 && left.length - at >= 1 + left.readInt32BE(at + 1)) {
      const size = 1 + left.readInt32BE(at + 1);
      isOver = left[at] === 0x5a && left[at + 5] === 0x49;
      at += size;
    }
    const whole = left.subarray(0, at);
    left = left.subarray(at);
    if (whole.length > 0) tell(whole, isOver);
  });
}

/** Answers the first message of a client with the greeting of a backend; the rest goes on to `receive`. */
function greet(client: Socket, greeting: Buffer, receive: (data: Buffer) => void): void {
  let isGreeted = false;
  client.on("data", (data) => {
    if (isGreeted) return receive(data);
    if (data.readInt32BE(4) === STARTUP_SSL) return void client.write("N");
    isGreeted = true;
    return void client.write(greeting);
  });
}
