import type { FieldError } from "#errors.ts";

/** What the request log has of a call. */
export type RequestEntry = {
  /** The `X-Request-Id` of the response. */
  id: string;
  /** When the request was received, in milliseconds since 1970 UTC. */
  at: number;
  tool: string;
  status: number;
  /** The error code; null for a 200. */
  code: string | null;
  /** The id of the key. */
  key: string;
  via: "http" | "mcp";
  /** In credits; null if it is not known what the call cost. */
  charged: number | null;
  replayed: boolean;
  /** In milliseconds; null for what did not happen. */
  times: { total: number; body: number | null; tool: number | null; ledger: number | null };
  /**
   * Of the bodies as transferred. `received` is null where the body was not read, `sent` where the connection was lost before the
   * response had left.
   */
  bytes: { received: number | null; sent: number | null };
  /** The network address of the client; null where it is not known. */
  address: string | null;
  /** The sentence of the error, cut (`kept-problem.ts`). Null for a 200, and where it was not kept. */
  detail: string | null;
  /** The first errors of the request, cut; null where the problem named none. */
  errors: readonly FieldError[] | null;
};

/** What a node or an isolate hands over at once: requests of one account in the order of their responses, as `packRequest` writes them. */
export type RequestChunk = {
  account: string;
  firstAt: number;
  lastAt: number;
  count: number;
  errors: number;
  /** How many of them each tool has. */
  tools: { tool: string; count: number; errors: number }[];
  /** The entries, separated by commas. */
  packed: string;
};

/** `at`: the time of its first request. */
export const startChunk = (account: string, at: number): RequestChunk => ({
  ...{ account, firstAt: at, lastAt: at, count: 0, errors: 0 },
  tools: [],
  packed: "",
});

/** Returns by how many characters the chunk has grown. */
export function addToChunk(chunk: RequestChunk, entry: RequestEntry): number {
  const { at, tool, status } = entry;
  const added = chunk.count === 0 ? packRequest(entry) : `,${packRequest(entry)}`;
  chunk.packed += added;
  const isError = status >= 400 ? 1 : 0;
  addTool(chunk, tool, isError);
  chunk.count += 1;
  chunk.errors += isError;
  // Requests are recorded in the order of their responses.
  if (at > chunk.lastAt) chunk.lastAt = at;
  else if (at < chunk.firstAt) chunk.firstAt = at;
  return added.length;
}

/** There are few tools, so a list is faster than a map. */
function addTool({ tools }: RequestChunk, tool: string, isError: number): void {
  for (const each of tools) {
    if (each.tool !== tool) continue;
    each.count += 1;
    each.errors += isError;
    return;
  }
  tools.push({ tool, count: 1, errors: isError });
}

/**
 * Writes an entry as a JSON array without member names. By hand, because it runs for every call: no value but those of an error needs
 * escaping, because ids and codes come from this code or were validated on arrival.
 */
export function packRequest(entry: RequestEntry): string {
  const { times, bytes } = entry;
  return (
    `[${entry.at},"${entry.id}","${entry.tool}",${entry.status},${text(entry.code)},"${entry.key}",${entry.via === "mcp" ? 1 : 0},` +
    `${entry.charged},${entry.replayed ? 1 : 0},${hundredths(times.total)},${hundredths(times.body)},${hundredths(times.tool)},` +
    `${hundredths(times.ledger)},${bytes.received},${bytes.sent},${text(entry.address)}${packProblem(entry)}]`
  );
}

/** A call that succeeded takes no room for it. */
const packProblem = ({ detail, errors }: RequestEntry): string =>
  detail === null ? "" : `,${JSON.stringify(detail)},${JSON.stringify(errors)}`;

const text = (value: string | null) => (value === null ? "null" : `"${value}"`);
/** V8 takes several times as long to format a fraction. */
const hundredths = (ms: number | null) => (ms === null ? null : Math.round(ms * 100));

/** What `packRequest` wrote. */
type Packed = [
  at: number,
  id: string,
  tool: string,
  status: number,
  code: string | null,
  key: string,
  isMcp: 0 | 1,
  charged: number | null,
  replayed: 0 | 1,
  total: number,
  body: number | null,
  toolTime: number | null,
  ledger: number | null,
  received: number | null,
  sent: number | null,
  address: string | null,
  detail?: string | null,
  errors?: readonly FieldError[] | null,
];

/** Reads the entries of a chunk. */
export const unpackRequests = (packed: string): RequestEntry[] =>
  (JSON.parse(`[${packed}]`) as Packed[]).map(unpack);

function unpack(packed: Packed): RequestEntry {
  const [at, id, tool, status, code, key, isMcp, charged, replayed, ...rest] = packed;
  const [total, body, ofTool, ledger, received, sent, address, detail = null, errors = null] = rest;
  return {
    ...{ id, at, tool, status, code, key, charged, address, detail, errors },
    via: isMcp === 1 ? "mcp" : "http",
    replayed: replayed === 1,
    times: { total: total / 100, body: inMs(body), tool: inMs(ofTool), ledger: inMs(ledger) },
    bytes: { received, sent },
  };
}

const inMs = (value: number | null) => (value === null ? null : value / 100);
