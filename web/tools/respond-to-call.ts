import { readBody } from "#calls/body.ts";
import { errorDocsUrl, problemBody } from "#calls/problem.ts";
import { bodyBytesMaxOf, readInput } from "#calls/read-input.ts";
import { ApiError } from "#errors.ts";
import { checkInput } from "#tools/check-input.ts";
import type { Tool, ToolContext } from "#tools/define-tool.ts";
import type { CallBody } from "./call-plan.ts";

/** The response that the service would send; the body is identical byte for byte. */
export type CallResponse = { status: number; body: string };

/** What the service knows about a call besides what is sent. */
export type CallContext = { apiUrl: string; requestId: string };

/** The context in which the page runs a tool. Tests pass their own to `respondToCall`. */
export const toolContextOf = (receivedAt: number): ToolContext => ({
  receivedAt,
  random: (count) => crypto.getRandomValues(new Uint8Array(count)),
  // Loaded on demand, because only one tool needs it.
  digest: async (algorithm, bytes) => (await import("./hash-stream.ts")).digest(algorithm, bytes),
});

/**
 * Runs a call in the browser, with the service's own code to parse, validate and answer it. Time, random bytes and digests
 * come from `context`, so that a test can compare the bytes with those of the service.
 */
export async function respondToCall(
  tool: Tool<unknown>,
  { body, contentType, query }: CallBody,
  context: ToolContext,
  callContext: CallContext,
): Promise<CallResponse> {
  try {
    const bytes = await readBody(asRequest(body), bodyBytesMaxOf(tool, contentType), null);
    const { value, octets, parameters, hint } = readInput(tool, {
      body: bytes,
      contentType,
      query,
    });
    const { input } = checkInput(tool, value, parameters, hint);
    const output = await tool.run(input, octets === null ? context : { ...context, octets });
    return { status: 200, body: tool.encode?.(output) ?? JSON.stringify(output) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const problem = problemBody(error, callContext.requestId, errorDocsUrl(callContext.apiUrl));
    return { status: error.status, body: JSON.stringify(problem) };
  }
}

/** A request with a Content-Length header, which the browser's `Request` does not allow to be set. */
function asRequest(body: Uint8Array): Request {
  const request: Pick<Request, "headers" | "body" | "bodyUsed" | "arrayBuffer"> = {
    headers: new Headers({ "Content-Length": String(body.byteLength) }),
    get body() {
      return new Blob([body.slice()]).stream();
    },
    // Nothing has to be read of a body that is rejected.
    bodyUsed: true,
    arrayBuffer: async () => body.slice().buffer as ArrayBuffer,
  };
  return request as Request;
}
