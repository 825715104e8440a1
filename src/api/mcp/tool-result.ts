import { MCP_TEXT_BYTES_MAX } from "#limits.ts";

/**
 * The response of a call as the result of an MCP tool. What the protocol leaves to the server, the credits and the
 * request id among it, is in `_meta` under names that begin with `toolbooth/`.
 */
type ToolContent =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string };

type ToolResult = {
  content: ToolContent[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta: Record<string, unknown>;
};

/** A problem of the API: `api/problem.ts`. */
type Problem = {
  type: string;
  code: string;
  status: number;
  /** Names every fault, and the cure. */
  detail: string;
};

/** The arguments are not JSON, so the whole message is not: an error of the protocol, not of the tool. */
export class NotJsonError extends Error {}

/** A response that is not parsed, but written into the result as it is. */
export type LargeResponse = { stream: ReadableStream<Uint8Array>; bytes: number };

/** The structured content of a result in whose place a `LargeResponse` belongs. */
const STAND_IN = { isLarge: true };

/**
 * Returns the result and, where the response is over `MCP_TEXT_BYTES_MAX`, what belongs into it. Throws a `NotJsonError`
 * where the arguments were not JSON.
 */
export async function toolResult(
  response: Response,
  mayBeLarge: boolean,
): Promise<{ result: ToolResult; large: LargeResponse | null }> {
  const _meta = describeCall(response.headers);
  const isOk = response.status === 200;
  // A runtime with little memory says the length of a large response, and streams it.
  const length = Number(response.headers.get("content-length") ?? 0);
  if (isOk && mayBeLarge && length > MCP_TEXT_BYTES_MAX && response.body !== null) {
    const large = { stream: response.body, bytes: length };
    return { result: largeResult(length, _meta), large };
  }
  const body = new Uint8Array(await response.arrayBuffer());
  if (isOk && mayBeLarge && body.byteLength > MCP_TEXT_BYTES_MAX) {
    const large = { stream: streamOf(body), bytes: body.byteLength };
    return { result: largeResult(body.byteLength, _meta), large };
  }
  const text = utf8.decode(body);
  const parsed = JSON.parse(text) as Record<string, unknown>;
  if (!isOk)
    return { result: errorResult(parsed as Problem, response.headers, _meta), large: null };
  const result: ToolResult = isPicture(parsed)
    ? { content: pictureContent(parsed), _meta }
    : { content: [{ type: "text", text }], structuredContent: parsed, _meta };
  return { result, large: null };
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

const utf8 = new TextDecoder();

const largeResult = (bytes: number, _meta: Record<string, unknown>): ToolResult => ({
  content: [{ type: "text", text: `The result is in structuredContent: ${bytes} bytes of JSON.` }],
  structuredContent: STAND_IN,
  _meta,
});

/**
 * Splits the JSON of a result around its `STAND_IN`. No string in it can look like one, because the quotes of a string
 * are escaped.
 */
export function splitAtStandIn(json: string): [head: string, tail: string] {
  const member = `"structuredContent":`;
  const standIn = JSON.stringify(STAND_IN);
  const at = json.indexOf(member + standIn);
  if (at === -1) throw new Error("The result of a large response has no place for it.");
  const from = at + member.length;
  return [json.slice(0, from), json.slice(from + standIn.length)];
}

type Picture = { mimeType: unknown; output: unknown };

/** Whether a response is a picture with a few words about it: it has its media type beside it. */
export const isPicture = <Members extends object>(
  response: Members,
): response is Members & Picture => "mimeType" in response && "output" in response;

/**
 * The picture, and the other fields of the response as JSON. Without `structuredContent`: hosts that find it show the
 * model nothing else, and the picture would be lost on them.
 */
function pictureContent({ output, ...rest }: Picture): ToolContent[] {
  const [, mimeType = "", data] = /^data:([^;,]+);base64,(.*)$/s.exec(String(output)) ?? [];
  const picture: ToolContent =
    data === undefined ? { type: "text", text: String(output) } : { type: "image", data, mimeType };
  return [picture, { type: "text", text: JSON.stringify(rest) }];
}

/** What a model can act on: what happened, when to try again, and where it is documented. */
function errorResult(
  problem: Problem,
  headers: Headers,
  meta: Record<string, unknown>,
): ToolResult {
  const { code, status, detail, type } = problem;
  if (code === "invalid_json" || code === "invalid_utf8") throw new NotJsonError(detail);
  const retryAfter = headers.get("retry-after");
  const lines = [
    `${code} (${status}): ${detail}`,
    ...(retryAfter === null ? [] : [`Try again after ${retryAfter} s.`]),
    `More: ${type}`,
  ];
  return {
    content: [{ type: "text", text: lines.join("\n") }],
    isError: true,
    _meta: { ...meta, "toolbooth/problem": problem },
  };
}

/** What the headers of the API say of the call. */
function describeCall(headers: Headers): Record<string, unknown> {
  const numbers = (name: string, key: string) => {
    const value = headers.get(name);
    return value === null ? {} : { [key]: Number(value) };
  };
  return {
    ...numbers("credits-charged", "toolbooth/credits-charged"),
    ...numbers("credits-remaining", "toolbooth/credits-remaining"),
    ...(headers.has("idempotency-replayed") ? { "toolbooth/idempotency-replayed": true } : {}),
    "toolbooth/request-id": headers.get("x-request-id"),
  };
}
