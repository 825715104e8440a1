import type { MemoryLease } from "./memory-budget.ts";

/**
 * A request and a response as the pipeline has them, independent of the server. A web `Request` is an `ApiRequest` as it is;
 * `asWebResponse` makes a web `Response`. A server whose own objects are cheaper passes others (`apps/node/small-calls.ts`).
 */

/** Finds a header by its name in any case; several values are joined as in the web's `Headers`. */
export type HeaderLookup = { get(name: string): string | null };

export type ApiRequest = {
  method: string;
  /** With the query. May lack scheme and host. */
  url: string;
  headers: HeaderLookup;
  /** The body has been read, or its reading has begun. */
  bodyUsed: boolean;
  /** The whole body. Called only if it is small, or not counted. */
  arrayBuffer(): Promise<ArrayBuffer | Uint8Array>;
  /** Null if there is none. */
  body: ReadableStream<Uint8Array> | null;
  /** Only of a call in a message of MCP: the memory that the message holds, which counts for its calls. */
  lease?: MemoryLease;
};

export type ApiResponse = {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array | ReadableStream<Uint8Array> | null;
};

/** A call of a tool, from its key to its response. Never rejects. */
export type HandleCall = (request: ApiRequest, connection: unknown) => Promise<ApiResponse>;

export const asWebResponse = ({ status, headers, body }: ApiResponse): Response =>
  new Response(body as string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null, {
    status,
    headers,
  });

/** The pieces as a stream, which takes each of them when its reader asks for it. Texts are sent in UTF-8. */
export function streamOf(pieces: AsyncIterable<Uint8Array | string>): ReadableStream<Uint8Array> {
  const utf8 = new TextEncoder();
  const iterator = pieces[Symbol.asyncIterator]();
  let isBegun = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        isBegun = true;
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(typeof value === "string" ? utf8.encode(value) : value);
      },
      async cancel() {
        // A client may leave before the first piece. A generator that has not begun would not run its `finally`.
        if (!isBegun) await iterator.next();
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
