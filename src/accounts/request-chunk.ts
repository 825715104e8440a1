import { packRequest, type RequestChunk, type RequestEntry } from "./request-log.ts";

/** Builds the chunks that the recorders of all runtimes hand over to the request log. */

/** `at`: the time of its first request. */
export const startChunk = (account: string, at: number): RequestChunk => ({
  ...{ account, firstAt: at, lastAt: at, count: 0, errors: 0 },
  tools: [],
  packed: "",
});

export function addToChunk(chunk: RequestChunk, entry: RequestEntry): void {
  const { at, tool, status } = entry;
  const packed = packRequest(entry);
  chunk.packed = chunk.count === 0 ? packed : `${chunk.packed},${packed}`;
  const isError = status >= 400 ? 1 : 0;
  addTool(chunk, tool, isError);
  chunk.count += 1;
  chunk.errors += isError;
  // Requests are recorded in the order of their responses.
  if (at > chunk.lastAt) chunk.lastAt = at;
  else if (at < chunk.firstAt) chunk.firstAt = at;
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
