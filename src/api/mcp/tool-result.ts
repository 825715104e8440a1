import type { ApiResponse } from "#calls/exchange.ts";
import { ECHOED_STRUCTURE_BYTES_MAX, MCP_TEXT_BYTES_MAX } from "#limits.ts";
import { toBase64 } from "#tools/base64.ts";
import { mediaType, textIn } from "#tools/media-type.ts";
import { CODES, type Params, RpcError } from "./protocol.ts";

/**
 * The response of a call as the result of an MCP tool, in pieces of JSON text: what a tool returns is written into the
 * result as it is, never parsed and written again. What the protocol leaves to the server, the credits and the request id
 * among it, is in `_meta` under names that begin with that of the service.
 */
export type ToolResult = {
  /** By names without that of the service. */
  meta: Params;
  /** The JSON of the list of contents. */
  content: Piece[];
  /** Null if there is none. */
  structured: Piece[] | null;
  isError: boolean;
};

/** A text, or bytes that are sent as they come. `bytes` is null if the length is not known. */
export type Piece = string | { stream: AsyncIterable<Uint8Array>; bytes: number | null };

/**
 * What a response of a tool is for a host: a picture with a few words about it, JSON that a client wrote, JSON of ours, or whatever a
 * service behind the tool sends.
 */
export type ResponseKind = "picture" | "verbatim" | "object" | "passed";

/** A problem of the API: `calls/problem.ts`. */
export type Problem = {
  type: string;
  code: string;
  status: number;
  /** Names every fault, and the cure. */
  detail: string;
  limitSource?: string;
};

/** Throws an `RpcError` where the arguments were not JSON. `mayBeLarge`: a large response may be sent as it comes. */
export async function toolResult(
  kind: ResponseKind,
  response: ApiResponse,
  mayBeLarge: boolean,
): Promise<ToolResult> {
  const meta = describeCall(response.headers);
  const success = (content: Piece[], structured: Piece[] | null = null) => {
    return { meta, content, structured, isError: false };
  };
  if (response.status !== 200) {
    return problemResult(JSON.parse(await readAll(response.body)), response.headers);
  }
  if (kind === "passed") return success([await passedContent(response)]);
  const large = mayBeLarge && kind !== "picture" ? largeBody(response) : null;
  if (large !== null && kind === "verbatim") {
    const quoted = { stream: quote(large.stream), bytes: null };
    return success(['[{"type":"text","text":"', quoted, '"}]']);
  }
  if (large !== null) {
    const text = `The result is in structuredContent: ${large.bytes} bytes of JSON.`;
    return success([contentText(text)], [large]);
  }
  const text = await readAll(response.body);
  if (kind === "picture") return success([pictureContent(JSON.parse(text))]);
  const isSafe =
    kind === "object" || (text.length <= ECHOED_STRUCTURE_BYTES_MAX && survivesParsing(text));
  return success([contentText(text)], isSafe ? [text] : null);
}

/** The body, if it is too large to be in a result twice. A runtime with little memory says its length, and streams it. */
function largeBody({ headers, body }: ApiResponse) {
  if (body instanceof ReadableStream) {
    const bytes = Number(headers["Content-Length"]);
    return bytes > MCP_TEXT_BYTES_MAX ? { stream: body, bytes } : null;
  }
  if (body === null || body.length <= MCP_TEXT_BYTES_MAX) return null;
  const bytes = typeof body === "string" ? utf8.encode(body) : body;
  return { stream: once(bytes), bytes: bytes.byteLength };
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The same text as the content of a JSON string. */
async function* quote(json: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for await (const chunk of json) {
    yield utf8.encode(JSON.stringify(decoder.decode(chunk, { stream: true })).slice(1, -1));
  }
}

const utf8 = new TextEncoder();

const readAll = async (body: ApiResponse["body"]): Promise<string> =>
  typeof body === "string"
    ? body
    : new Response(body as ReadableStream | Uint8Array<ArrayBuffer> | null).text();

/**
 * Whether parsing this JSON and writing it again changes nothing but white space and the spelling of strings. A host that
 * passes on what it has parsed would change any other text without notice: `1.0`, a repeated name, names that
 * JavaScript moves. `__proto__` gets lost when members are copied.
 */
function survivesParsing(json: string): boolean {
  const plain = json.replace(STRING_OR_SPACE, (token) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token).toWellFormed()) : "",
  );
  return plain === JSON.stringify(JSON.parse(json)) && !plain.includes('"__proto__":');
}

const STRING_OR_SPACE = /"[^"\\]*(?:\\.[^"\\]*)*"|\s+/g;

const contentText = (text: string) => JSON.stringify([{ type: "text", text }]);

type Picture = { output: string } & Params;

/**
 * The picture, and the other fields of the response as JSON. Without `structuredContent`: hosts that find it show the
 * model nothing else, and the picture would be lost on them.
 */
function pictureContent({ output, ...rest }: Picture): string {
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(output) ?? [];
  const picture =
    data === undefined ? { type: "text", text: output } : { type: "image", data, mimeType };
  return JSON.stringify([picture, { type: "text", text: JSON.stringify(rest) }]);
}

/** A text as it is, a picture as a picture, and other bytes as a file. */
async function passedContent({ headers, body }: ApiResponse): Promise<string> {
  const type = headers["Content-Type"] ?? "";
  const mimeType = mediaType(type);
  // Not `bytes`, which fails in the `Response` that the server of Node puts in place of the runtime's.
  const sent = new Response(body as ReadableStream | Uint8Array<ArrayBuffer> | string | null);
  const bytes = new Uint8Array(await sent.arrayBuffer());
  const text = textIn(bytes, type);
  if (text !== null) return contentText(text);
  const data = toBase64(bytes);
  return JSON.stringify([
    mimeType.startsWith("image/")
      ? { type: "image", data, mimeType }
      : { type: "resource", resource: { uri: "response:///", mimeType, blob: data } },
  ]);
}

/** What a model can act on: what happened, when to try again, and where it is documented. */
function problemResult(problem: Problem, headers: Record<string, string>): ToolResult {
  const { code, status, detail, type } = problem;
  if (code === "invalid_json" || code === "invalid_utf8") {
    throw new RpcError(CODES.parseError, `Parse error in the arguments: ${detail}`);
  }
  const retryAfter = headers["Retry-After"];
  const lines = [
    `${code} (${status}): ${detail}`,
    ...(retryAfter === undefined ? [] : [`Try again after ${retryAfter} s.`]),
    `More: ${type}`,
  ];
  return {
    meta: { ...describeCall(headers), problem: problem },
    content: [contentText(lines.join("\n"))],
    structured: null,
    isError: true,
  };
}

/** What the headers of the API say of the call. */
function describeCall(headers: Record<string, string>): Params {
  const number = (name: string, key: string) =>
    headers[name] === undefined ? {} : { [key]: Number(headers[name]) };
  return {
    ...number("Credits-Charged", "credits-charged"),
    ...number("Credits-Remaining", "credits-remaining"),
    ...("Idempotency-Replayed" in headers ? { "idempotency-replayed": true } : {}),
    "request-id": headers["X-Request-Id"],
  };
}
