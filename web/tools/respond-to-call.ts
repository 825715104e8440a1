import { readBody } from "#api/pipeline/body.ts";
import { parseBody } from "#api/pipeline/parse-body.ts";
import { errorDocsUrl, problemBody } from "#api/problem.ts";
import { ApiError } from "#errors.ts";
import { checkInput } from "#tools/check-input.ts";
import type { Tool, ToolContext } from "#tools/define-tool.ts";

/** What the service would send: the status, and the body letter for letter. */
export type CallResponse = { status: number; body: string };

/** What the service knows of a call beside its body. */
export type CallPlace = { apiUrl: string; requestId: string };

/**
 * A call without the service: the code that reads, checks and answers it there runs here. Time, random bytes and
 * digests are supplied by the caller, so a test that supplies the same gets the same bytes from both.
 */
export async function respondToCall(
  tool: Tool<unknown>,
  body: Uint8Array,
  context: ToolContext,
  place: CallPlace,
): Promise<CallResponse> {
  try {
    const bytes = await readBody(asRequest(body), tool.bodyBytesMax, () => {});
    const { input } = checkInput(tool, parseBody(tool, bytes, "application/json"));
    const output = await tool.run(input, context);
    return { status: 200, body: tool.encode?.(output) ?? JSON.stringify(output) };
  } catch (fault) {
    if (!(fault instanceof ApiError)) throw fault;
    const problem = problemBody(fault, place.requestId, errorDocsUrl(place.apiUrl));
    return { status: fault.status, body: JSON.stringify(problem) };
  }
}

/** The body as it arrives from a client that tells its length; a browser's own Request cannot be given one. */
function asRequest(body: Uint8Array): Request {
  const request: Pick<Request, "headers" | "body" | "bodyUsed" | "arrayBuffer"> = {
    headers: new Headers({ "Content-Length": String(body.byteLength) }),
    body: null,
    bodyUsed: true,
    arrayBuffer: async () => body.slice().buffer as ArrayBuffer,
  };
  return request as Request;
}
