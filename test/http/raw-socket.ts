/** Requests as bytes on a connection, for what no client would send, and the answers as bytes off it. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { HANGS_MS } from "../support/deadline.ts";
import { openNodeSocket } from "./node-socket.ts";
import { createShared } from "./shared.ts";
import {
  type Caller,
  createCaller,
  openService,
  PUBLIC_URL,
  type TestService,
} from "./test-api.ts";

export type RawResponse = {
  status: number;
  headers: Map<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what its test asserts.
  json(): any;
};

export type RawConnection = {
  socket: Socket;
  write(data: string | Uint8Array): void;
  /** The next answer; rejects where the connection ends before it is whole. */
  response(): Promise<RawResponse>;
  /** Resolves when the server has closed: with what came and was not asked for, and with the error where it was reset. */
  closed(): Promise<{ rest: string; error: string | null }>;
};

export function openRaw(port: number): RawConnection {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let unread = Buffer.alloc(0);
  let error: string | null = null;
  let isClosed = false;
  let wake = () => {};
  const woken = () => {
    wake();
    wake = () => {};
  };
  socket.on("data", (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    woken();
  });
  socket.on("error", (fault: NodeJS.ErrnoException) => {
    error = fault.code ?? fault.message;
  });
  socket.on("close", () => {
    isClosed = true;
    woken();
  });
  const deadline = setTimeout(() => socket.destroy(new Error("deadline")), HANGS_MS);
  socket.on("close", () => clearTimeout(deadline));
  const more = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });

  return {
    socket,
    write: (data) => void (socket.writable && socket.write(data)),
    async response() {
      for (;;) {
        const found = readResponse(unread);
        if (found !== undefined) {
          unread = unread.subarray(found.bytes);
          return found.response;
        }
        if (isClosed)
          throw new Error(
            `closed (${error ?? "ended"}) after: ${unread.toString("latin1").slice(0, 300)}`,
          );
        await more();
      }
    },
    async closed() {
      while (!isClosed) await more();
      return { rest: unread.toString("latin1"), error };
    },
  };
}

function readResponse(bytes: Buffer): { response: RawResponse; bytes: number } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [line = "", ...fields] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(line.split(" ")[1]);
  const headers = new Map(
    fields.map((field) => [
      field.slice(0, field.indexOf(":")).toLowerCase(),
      field.slice(field.indexOf(":") + 1).trim(),
    ]),
  );
  const length =
    status < 200 || status === 204 ? 0 : Number(headers.get("content-length") ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(`an answer without a length: ${line}`);
  const start = end + 4;
  if (bytes.length < start + length) return undefined;
  const text = bytes.subarray(start, start + length).toString("utf8");
  return {
    response: { status, headers, text, json: () => JSON.parse(text) },
    bytes: start + length,
  };
}

/** A POST as bytes; `Content-Length` is that of the body unless a header says otherwise. */
export function rawPost(path: string, body: string, headers: Record<string, string> = {}): string {
  const all: Record<string, string> = {
    Host: "127.0.0.1",
    "Content-Length": String(Buffer.byteLength(body)),
    ...headers,
  };
  if ("Transfer-Encoding" in headers) delete all["Content-Length"];
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** An error of the HTTP server itself has what every error has. */
export function assertRefused(response: RawResponse, status: number, code: string) {
  assert.equal(response.status, status, response.text);
  assert.equal(response.headers.get("content-type"), "application/problem+json");
  const problem = response.json();
  assert.deepEqual([problem.ok, problem.status, problem.code], [false, status, code]);
  assert.equal(problem.type, `${PUBLIC_URL}/docs/errors#${code}`);
  assert.equal(problem.requestId, response.headers.get("x-request-id"));
  for (const name of ["cache-control", "server-timing", "access-control-allow-origin"]) {
    assert.ok(response.headers.has(name), name);
  }
}

export type RawService = {
  service: TestService;
  port: number;
  caller: Caller;
  key: Record<string, string>;
  close(): Promise<void>;
};

/** A server behind a real socket without a rate limit, its port, and a caller with credits to waste. */
export async function openRawService(
  timeouts: Parameters<typeof openNodeSocket>[1] = {},
): Promise<RawService> {
  const opened = await openNodeSocket({ rateLimit: 0 }, timeouts);
  const opener = { name: "a Node socket", cannot: {}, open: async () => opened };
  const service = await openService(opener, { rateLimit: 0 });
  const caller = await createCaller(service, { credits: 10_000 });
  const key = { Authorization: `Bearer ${caller.key}` };
  return { service, port: opened.port, caller, key, close: service.close };
}

const shared = createShared(() => openRawService());

/** Such a service, which the files of a folder share: a file calls `close` when its tests have ended. */
export async function shareRawService(): Promise<RawService> {
  shared.hold();
  return { ...(await shared.get()), close: shared.release };
}

/** Sends bytes on a connection of their own and returns the response, which may leave the connection open. */
export async function sendRaw(port: number, bytes: string | Uint8Array): Promise<RawResponse> {
  const raw = openRaw(port);
  raw.write(bytes);
  const response = await raw.response();
  raw.socket.destroy();
  return response;
}

/** Asserts that bytes are rejected, and that the connection is closed in order and with nothing more sent. */
export async function assertClosedWith(
  port: number,
  bytes: string | Uint8Array,
  status: number,
  code: string,
): Promise<void> {
  const raw = openRaw(port);
  raw.write(bytes);
  const response = await raw.response();
  assertRefused(response, status, code);
  assert.equal(response.headers.get("connection"), "close");
  assert.deepEqual(await raw.closed(), { rest: "", error: null });
}
