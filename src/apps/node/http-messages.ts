import type { MessagePort, TransferListItem, Worker } from "node:worker_threads";
import type { RequestChunk } from "#accounts/request-log.ts";
import type { ErrorDetails } from "#api/app-context.ts";
import type { PriceList } from "#billing/price-list.ts";
import type { Config } from "#config/config.ts";
import type { CallRef, DebitOrder, KeyStatusOrder } from "#ledger/port.ts";
import type { MemoryLimits } from "#limits.ts";
import type { ConnectionEvent } from "./connection-limits.ts";
import type { RequestCount } from "./request-counts.ts";
import type { SentError } from "./sent-errors.ts";
import type { NodeServerOptions } from "./server.ts";

/** What the HTTP threads and the main thread send each other. An `id` is that of a question, and the response has it too. */
export type FromHttpThread =
  | { kind: "listening" }
  | { kind: "keyStatus"; id: number; order: KeyStatusOrder }
  | { kind: "debit"; id: number; order: DebitOrder; isCounted: boolean }
  | { kind: "reverse"; id: number; call: CallRef }
  | { kind: "request"; id: number; request: RelayedRequest }
  | { kind: "body"; id: number; chunk: Chunk }
  /** The response has been handed to the network, or its connection is closed. */
  | { kind: "sent"; id: number }
  /** The client reads on, or went away: `isCancelled`. */
  | { kind: "read"; id: number; isCancelled: boolean }
  | { kind: "lines"; text: string }
  | {
      kind: "error";
      message: string;
      details: Omit<ErrorDetails, "cause">;
      cause: SentError | undefined;
    }
  | { kind: "requests"; id: number; chunks: readonly RequestChunk[] }
  | { kind: "notLogged"; count: number }
  | { kind: "connectionClosed"; event: ConnectionEvent }
  /** The outcome is an `Admission`. */
  | { kind: "opened"; id: number; connection: number; peer: string; isProxy: boolean }
  | { kind: "closed"; connection: number }
  /** In response to a question of the main thread. */
  | { kind: "connections"; id: number; ids: number[] }
  | { kind: "counts"; counts: readonly RequestCount[] }
  /** All that the thread has counted has been sent. */
  | { kind: "counted" }
  | { kind: "stopped" };

export type ToHttpThread =
  | { kind: "outcome"; id: number; outcome: unknown }
  | { kind: "failed"; id: number; error: SentError }
  /** The app reads the body on. */
  | { kind: "pull"; id: number }
  /** Null: the request cannot be made. */
  | { kind: "response"; id: number; response: RelayedResponse | null }
  | { kind: "chunk"; id: number; chunk: Chunk }
  | { kind: "count" }
  | { kind: "findIdle"; id: number; peers: readonly string[]; max: number }
  | { kind: "closeIdle"; id: number; ids: readonly number[] }
  | { kind: "stop" };

/** Part of a body; null at its end. */
export type Chunk = Uint8Array | null | { error: string };

export type RelayedRequest = {
  /** A small call, whose body follows without being asked for. */
  isCall: boolean;
  method: string;
  url: string;
  /** The request line's, which is not normalized. */
  target: string;
  /** Names and values in turn, as Node's `rawHeaders`. */
  headers: readonly string[];
  hasBody: boolean;
  /** The client waits for `100 Continue`. */
  isWaiting: boolean;
  /** The address of the connection's other end. */
  peer: string | undefined;
  forwardedFor: string | string[] | undefined;
};

export type RelayedResponse = {
  status: number;
  headers: [string, string][];
  /** If it is a stream, only its beginning: the rest follows, each chunk when it is asked for. */
  body: string | Uint8Array | null;
  isStream: boolean;
};

/** What a thread needs to know at its start. */
export type HttpThreadSettings = {
  config: Config;
  port: number;
  publicUrl: string;
  secrets: readonly string[];
  prices: PriceList | null;
  connectionsMax: number;
  connectionsPerPeer: number;
  /** The bytes that large calls hold, by thread; the main thread is the first. Shared memory. */
  heldBytes: Float64Array;
  /** The place of this thread in it. */
  thread: number;
} & Pick<NodeServerOptions, "headersTimeoutMs" | "requestTimeoutMs" | "newMs">;

/** The part of the limits on memory that is common to all threads. */
export const sharedLimits = (
  heldBytes: Float64Array,
  own: number,
): Required<Pick<MemoryLimits, "others" | "onChange">> => ({
  others: () => heldBytes.reduce((sum, bytes, at) => (at === own ? sum : sum + bytes), 0),
  onChange(bytes) {
    heldBytes[own] = bytes;
  },
});

/** Questions to another thread that wait for their outcome. */
export type Questions = {
  /** `send` gets the id of the question. */
  ask<Outcome>(send: (id: number) => void): Promise<Outcome>;
  resolve(id: number, outcome: unknown): void;
  reject(id: number, error: Error): void;
  /** The other thread is gone. */
  resolveAll(outcome: unknown): void;
};

export function createQuestions(): Questions {
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  let count = 0;
  function take(id: number) {
    const question = waiting.get(id);
    waiting.delete(id);
    return question;
  }
  return {
    ask<Outcome>(send: (id: number) => void): Promise<Outcome> {
      count += 1;
      const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
      waiting.set(count, { resolve, reject });
      send(count);
      return promise;
    },
    resolve: (id, outcome) => take(id)?.resolve(outcome as never),
    reject: (id, error) => take(id)?.reject(error),
    resolveAll(outcome) {
      for (const id of [...waiting.keys()]) take(id)?.resolve(outcome as never);
    },
  };
}

export type Send<Message> = (message: Message, transferred?: TransferListItem[]) => void;

/** Gathers the messages of one turn of the event loop, because waking the other thread costs as much as many messages. */
export function gatherMessages<Message>(
  to: Pick<Worker | MessagePort, "postMessage">,
): Send<Message> {
  let messages: Message[] = [];
  let transferList: TransferListItem[] = [];
  function flush(): void {
    const gathered = messages;
    const moved = transferList;
    messages = [];
    transferList = [];
    to.postMessage(gathered, moved);
  }
  return (message, transferred) => {
    if (messages.length === 0) setImmediate(flush);
    messages.push(message);
    if (transferred !== undefined) transferList.push(...transferred);
  };
}

/** A copy that can be transferred. The bytes may be part of a larger buffer, which would be copied as a whole. */
export function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
