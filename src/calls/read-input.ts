import { ApiError } from "#errors.ts";
import { toBase64 } from "#tools/base64.ts";
import { NO_PARAMETERS, type SentInput, typedArguments } from "#tools/check-input.ts";
import type { Tool } from "#tools/define-tool.ts";
import { nestsTooDeep } from "#tools/json-depth.ts";
import { mediaType, OCTETS_TYPE } from "#tools/media-type.ts";
import { utf8LengthOver } from "#tools/text.ts";
import {
  bodyKindOf,
  decodeUtf8,
  howToSendBytes,
  notJson,
  otherType,
  otherWays,
  requireUtf8,
  strictUtf8,
} from "./body-types.ts";
import { readForm } from "./multipart.ts";
import { addQuery, hasField, readFields, valueOfParts } from "./read-fields.ts";
import type { ReceivedFile } from "./stored-file.ts";

/** A request as the tool's input is read from it. Plain data, so that another thread can read it. */
export type SentRequest = {
  body: Uint8Array;
  contentType: string | null;
  /** The query of the URL, without its question mark. */
  query: string;
  /** A model wrote the body, as the arguments of MCP. */
  isOfModel?: boolean;
  /** What was received in place of the body of a tool that takes a file. */
  file?: ReceivedFile;
};

/**
 * Decodes the body and the query of a call. Throws an ApiError `invalid_utf8`, `invalid_json`, `invalid_request`,
 * `unsupported_media_type` or `too_large`.
 */
export function readInput(tool: Tool<unknown>, request: SentRequest): SentInput {
  const sent =
    request.file === undefined ? readBodyInput(tool, request) : readFileFields(tool, request.file);
  if (request.isOfModel === true) return { ...sent, value: typedArguments(tool, sent.value) };
  return request.query === "" ? sent : addQuery(tool, sent, request.query);
}

/** The most bytes that a body of this type may have. Only the bytes of a raw body are those of its field. */
export function bodyBytesMaxOf(tool: Tool<unknown>, contentType: string | null): number {
  const { rawBody, bodyBytesMax, fieldBytesMax } = tool;
  if (contentType === null || rawBody === undefined) return bodyBytesMax;
  const isRaw = bodyKindOf(tool, contentType) === "raw";
  return isRaw ? (fieldBytesMax[rawBody.field] ?? bodyBytesMax) : bodyBytesMax;
}

/** Throws an ApiError `unsupported_media_type` where the tool takes no body of this type. */
export function requireBodyType(tool: Tool<unknown>, contentType: string | null): void {
  if (bodyKindOf(tool, contentType) === null) throw otherType(tool, contentType as string);
}

function readBodyInput(tool: Tool<unknown>, { body, contentType }: SentRequest): SentInput {
  const kind = bodyKindOf(tool, contentType);
  // A client may name a type on every request, with an empty body too.
  if (kind === null && body.byteLength > 0) throw otherType(tool, contentType as string);
  if (kind === "raw") return readRaw(tool, body, contentType as string);
  if (kind === null || kind === "json" || isBlankBytes(body)) {
    return asJson(readJson(tool, body, contentType));
  }
  if (kind === "form") return readFormInput(tool, body, contentType as string);
  if (kind === "fields") {
    return beginsLikeJson(body)
      ? asJson(readJson(tool, body, contentType))
      : readFields(tool, body, contentType as string);
  }
  const value = readObjectWithMainField(tool, body);
  return value === undefined ? readRaw(tool, body, contentType as string) : asJson(value);
}

/** The fields beside a file. */
const readFileFields = (tool: Tool<unknown>, { parts }: ReceivedFile): SentInput => ({
  kind: parts === null ? "raw" : "form",
  value: parts === null ? {} : valueOfParts(tool, parts).value,
  ...{ octets: null, parameters: NO_PARAMETERS },
});

const asJson = (value: unknown): SentInput => ({
  kind: "json",
  value,
  octets: null,
  parameters: NO_PARAMETERS,
});

function readRaw(tool: Tool<unknown>, body: Uint8Array, contentType: string): SentInput {
  return {
    kind: "raw",
    ...fillField(tool, body, contentType, "The body"),
    parameters: NO_PARAMETERS,
  };
}

/** The file of a form is the main field; the other parts are fields. */
function readFormInput(tool: Tool<unknown>, body: Uint8Array, contentType: string): SentInput {
  const { value, file } = valueOfParts(tool, readForm(body, contentType));
  const filled = file && fillField(tool, file.bytes, "", "The file");
  return {
    kind: "form",
    value: { ...filled?.value, ...value },
    octets: filled?.octets ?? null,
    parameters: NO_PARAMETERS,
  };
}

/** The value of the main field from bytes. A tool that takes octets gets the bytes, and its field is empty. */
function fillField(
  tool: Tool<unknown>,
  bytes: Uint8Array,
  contentType: string,
  what: string,
): { value: Record<string, unknown>; octets: Uint8Array | null } {
  const { field, octets, octetsField } = tool.rawBody as NonNullable<Tool["rawBody"]>;
  if (octetsField !== undefined && mediaType(contentType) === OCTETS_TYPE) {
    return { value: { [octetsField]: toBase64(bytes) }, octets: null };
  }
  if (!octets) {
    requireUtf8(tool, contentType);
    const advice = octetsField === undefined ? undefined : () => ` ${howToSendBytes(octetsField)}`;
    return { value: { [field]: decodeUtf8(bytes, advice, what) }, octets: null };
  }
  const bytesMax = tool.fieldBytesMax[field] ?? tool.bodyBytesMax;
  if (bytes.byteLength > bytesMax) {
    const detail = `is ${bytes.byteLength} bytes; the limit is ${bytesMax}`;
    throw new ApiError("too_large", `${what} ${detail}.`, {
      members: { limit: bytesMax, size: bytes.byteLength },
      errors: [{ pointer: "", detail }],
    });
  }
  return { value: { [field]: "" }, octets: bytes };
}

/** The JSON value; for a verbatim tool the JSON text itself, without the white space around it. Undefined for no body. */
function readJson(tool: Tool<unknown>, body: Uint8Array, contentType: string | null): unknown {
  const text = decodeUtf8(body, () => otherWays(tool));
  if (isBlank(text)) {
    if (tool.body === "required") return undefined;
    return tool.verbatim ? "null" : {};
  }
  if (nestsTooDeep(text)) throw notJson(tool, text, contentType);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notJson(tool, text, contentType, cause);
  }
  if (tool.verbatim) return readVerbatim(text, tool.verbatim.bytesMax);
  // PHP writes an empty object as an empty array.
  return tool.body === "optional" && Array.isArray(value) && value.length === 0 ? {} : value;
}

/** Undefined where the body is anything but a JSON object that has the tool's main field. */
function readObjectWithMainField(tool: Tool<unknown>, body: Uint8Array): unknown {
  if (firstByte(body) !== OPEN_BRACE) return undefined;
  try {
    const text = strictUtf8.decode(body);
    if (nestsTooDeep(text)) return undefined;
    const value: unknown = JSON.parse(text);
    return hasField(value, tool.rawBody?.field ?? "") ? value : undefined;
  } catch {
    return undefined;
  }
}

function readVerbatim(text: string, bytesMax: number): string {
  const json = trimJson(text);
  const bytes = utf8LengthOver(json, bytesMax);
  if (bytes === undefined) return json;
  const detail = `is ${bytes} bytes of JSON; the limit is ${bytesMax} bytes`;
  throw new ApiError("too_large", `The body ${detail}.`, {
    members: { limit: bytesMax, size: bytes },
    errors: [{ pointer: "", detail }],
  });
}

// The white space of JSON (RFC 8259, section 2). String.trim also removes characters that are errors in JSON.
const isBlank = (text: string) => /^[ \t\n\r]*$/.test(text);
const trimJson = (text: string) =>
  text.slice(leadingSpace(text), text.length - trailingSpace(text));

const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** The first byte beside white space and a byte order mark. */
const firstByte = (body: Uint8Array): number | undefined =>
  body.find((byte) => !isSpace(byte) && !BYTE_ORDER_MARK.includes(byte));

function beginsLikeJson(body: Uint8Array): boolean {
  const first = firstByte(body);
  return first === OPEN_BRACE || first === OPEN_BRACKET;
}

const isBlankBytes = (body: Uint8Array): boolean =>
  body.every((byte, at) => isSpace(byte) || BYTE_ORDER_MARK[at] === byte);

function leadingSpace(text: string): number {
  let count = 0;
  while (isSpace(text.charCodeAt(count))) count += 1;
  return count;
}

function trailingSpace(text: string): number {
  let count = 0;
  while (isSpace(text.charCodeAt(text.length - 1 - count))) count += 1;
  return count;
}
