import { ApiError } from "#errors.ts";
import { JSON_DEPTH_MAX } from "#limits.ts";
import type { Tool } from "#tools/define-tool.ts";
import { utf8LengthOver } from "#tools/text.ts";
import { findJsonFault, nestsTooDeep } from "./json-fault.ts";

/**
 * Decodes a body as UTF-8 and parses it as JSON. For a verbatim tool, returns the JSON text itself without the
 * surrounding white space. Throws an ApiError `invalid_utf8`, `invalid_json`, `unsupported_media_type` or `too_large`.
 */
export function parseBody(tool: Tool, body: Uint8Array, contentType: string | null): unknown {
  const text = decodeUtf8(body);
  if (isBlank(text)) return emptyBody(tool);
  if (nestsTooDeep(text)) throw notJson(text, contentType);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notJson(text, contentType, cause);
  }
  return tool.verbatim ? readVerbatim(text, tool.verbatim.bytesMax) : value;
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

// Drops a byte order mark, and throws on invalid bytes instead of replacing them.
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

function decodeUtf8(body: Uint8Array): string {
  try {
    return strictUtf8.decode(body);
  } catch (cause) {
    throw new ApiError(
      "invalid_utf8",
      "The body is not valid UTF-8. Encode it as UTF-8 and send it again.",
      { cause },
    );
  }
}

/** Returns undefined for an empty body; the input check then names the missing fields. */
function emptyBody(tool: Tool): unknown {
  if (tool.body === "required") return undefined;
  return tool.verbatim ? "null" : {};
}

/**
 * `curl -d` sends a form type by default, so a body is parsed whatever its type. The type matters only if the body is
 * not JSON, because it shows what the client meant to send.
 */
function notJson(text: string, contentType: string | null, cause?: unknown): ApiError {
  // Some runtimes drop a header with an empty value, so an empty type counts as none.
  if (contentType !== null && contentType !== "" && !isJsonType(contentType)) {
    return new ApiError(
      "unsupported_media_type",
      `The body is not JSON, and its Content-Type is "${contentType.slice(0, 80)}". Send JSON with \`Content-Type: application/json\`.`,
    );
  }
  const found = findJsonFault(text);
  const detail =
    found === undefined
      ? `The body is not JSON, or nests deeper than ${JSON_DEPTH_MAX} levels.`
      : `The body is not JSON: line ${found.line}, column ${found.column}: ${found.reason}.`;
  return new ApiError("invalid_json", detail, {
    cause,
    ...(found === undefined ? {} : { members: { line: found.line, column: found.column } }),
  });
}

const isJsonType = (type: string) =>
  /^\s*(?:application|text)\/(?:[^;,\s]+\+)?json\s*(?:[;,]|$)/i.test(type);

// The white space of JSON (RFC 8259, section 2). String.trim also removes characters that are errors in JSON.
const isBlank = (text: string) => /^[ \t\n\r]*$/.test(text);
const trimJson = (text: string) =>
  text.slice(leadingSpace(text), text.length - trailingSpace(text));

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

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
