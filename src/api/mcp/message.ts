import { concatBytes } from "@noble/hashes/utils.js";
import { findJsonFault } from "#calls/json-fault.ts";
import { ApiError } from "#errors.ts";
import { JSON_DEPTH_MAX, MCP_BATCH_MAX, MCP_ENVELOPE_BYTES_MAX } from "#limits.ts";
import { nestsTooDeep } from "#tools/json-depth.ts";
import { CODES, RpcError } from "./protocol.ts";

/**
 * Reads the JSON-RPC messages in a body. The arguments of a tool are not parsed here: their bytes become the body of the
 * call, so `echo` returns what the client wrote, and a large message is parsed on a thread as a large call is. `JSON.parse`
 * gives the source text of numbers, but neither that of objects nor where a value is.
 */

/** Stands in `params` in place of the arguments: where they are in the body. */
type Span = { start: number; end: number };

/**
 * Returns the message, or the array of messages, with a `Span` for each `params.arguments` that is an object. Throws an
 * `RpcError` where the body is not JSON, and an ApiError `too_large`.
 */
export function readMessages(body: Uint8Array): unknown {
  const parsed = attempt(() => parseWithout(body, findArguments(body)));
  if (parsed !== null) return parsed.value;
  throw new RpcError(CODES.parseError, `Parse error: ${describeFault(body)}`, { status: 400 });
}

/** The bytes of the arguments that a call was made with; null where it has none. */
export function argumentsOf(body: Uint8Array, args: Record<string, unknown> | null) {
  const { start, end } = (args ?? {}) as Partial<Span>;
  return start === undefined ? null : body.subarray(start, end);
}

/**
 * What arguments with one field for the body contain: the bytes of the value at `field`, and the names of anything else, or of
 * the first that are. Throws an `RpcError` where the arguments are not JSON, and an ApiError `too_large`.
 */
export function readField(args: Uint8Array, field: string) {
  const read = attempt(() => {
    const found = findMember(args, 0, field);
    const names = Object.keys(parseWithout(args, found ? [found] : []).value as object);
    return {
      value: found ? args.subarray(found.start, found.end) : null,
      others: names.filter((name) => name !== field).slice(0, OTHERS_MAX),
    };
  });
  if (read !== null) return read;
  const text = "Parse error in the arguments: an object with quoted names was expected.";
  throw new RpcError(CODES.parseError, text);
}

const OTHERS_MAX = 20;

export const isBatch = (body: Uint8Array): boolean => body[startOfValue(body)] === OPEN_BRACKET;

/** Null where the text is not JSON. */
function attempt<Result>(read: () => Result): Result | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    return null;
  }
}

/** Parses a text with a `Span` in place of each of these values. */
function parseWithout(json: Uint8Array, spans: Span[]): { value: unknown } {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const span of spans) {
    parts.push(json.subarray(from, span.start), utf8.encode(JSON.stringify(span)));
    from = span.end;
  }
  const bytes = concatBytes(...parts, json.subarray(from));
  if (bytes.byteLength > MCP_ENVELOPE_BYTES_MAX) throw tooLarge(bytes.byteLength);
  const text = strictUtf8.decode(bytes);
  if (nestsTooDeep(text)) throw new SyntaxError("too deep");
  return { value: JSON.parse(text) };
}

const tooLarge = (bytes: number) =>
  new ApiError(
    "too_large",
    `The message without its arguments is ${bytes} bytes; the limit is ${MCP_ENVELOPE_BYTES_MAX} bytes. Send less in \`_meta\` or fewer messages at once.`,
    { members: { limit: MCP_ENVELOPE_BYTES_MAX } },
  );

function describeFault(body: Uint8Array): string {
  let text: string;
  try {
    text = strictUtf8.decode(body);
  } catch {
    return "the message is not valid UTF-8. Encode it as UTF-8 and send it again.";
  }
  const fault = body.byteLength > SEARCHED_BYTES_MAX ? undefined : findJsonFault(text);
  return fault === undefined
    ? `the message is not JSON, or nests deeper than ${JSON_DEPTH_MAX} levels.`
    : `the message is not JSON: line ${fault.line}, column ${fault.column}: ${fault.reason}.`;
}

/** Other messages wait while a fault is searched for. */
const SEARCHED_BYTES_MAX = 64 * 1024;

const utf8 = new TextEncoder();
// Drops a byte order mark, and throws on invalid bytes.
const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

/*
 * Finds values by quotes and brackets alone. What it finds may be invalid JSON, and so may the text around it; parsing
 * tells. Throws a SyntaxError where there is no value.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function findArguments(body: Uint8Array): Span[] {
  const start = startOfValue(body);
  const messages = body[start] === OPEN_BRACKET ? itemsOf(body, start) : [start];
  return messages.flatMap((message) => {
    const params = findObject(body, message, "params");
    const args = params && findObject(body, params.start, "arguments");
    return args ?? [];
  });
}

function findObject(json: Uint8Array, start: number, name: string): Span | undefined {
  if (json[start] !== OPEN_BRACE) return undefined;
  const found = findMember(json, start, name);
  return found !== undefined && json[found.start] === OPEN_BRACE ? found : undefined;
}

/** A message has fewer than ten members. Looking at a million of them would take half a second. */
const MEMBERS_MAX = 1_000;

/** The last member with this name, the one that `JSON.parse` keeps, of the object that opens at `start`. */
function findMember(json: Uint8Array, start: number, name: string): Span | undefined {
  let found: Span | undefined;
  let at = start;
  for (let count = 0; count < MEMBERS_MAX; count += 1) {
    const nameAt = skipSpace(json, at + 1);
    if (json[nameAt] !== QUOTE) return found;
    const nameEnd = endOfString(json, nameAt);
    const value = valueAt(json, skipSpace(json, nameEnd) + 1);
    if (JSON.parse(looseUtf8.decode(json.subarray(nameAt, nameEnd))) === name) found = value;
    at = skipSpace(json, value.end);
    if (json[at] !== COMMA) return found;
  }
  throw new SyntaxError("too many members");
}

const looseUtf8 = new TextDecoder();

/** Where each item of the array that opens at `start` begins. One more than allowed: a longer array is rejected whatever it contains. */
function itemsOf(json: Uint8Array, start: number): number[] {
  const items: number[] = [];
  let at = start;
  while (items.length <= MCP_BATCH_MAX && json[skipSpace(json, at + 1)] !== CLOSE_BRACKET) {
    const item = valueAt(json, at + 1);
    items.push(item.start);
    at = skipSpace(json, item.end);
    if (json[at] !== COMMA) break;
  }
  return items;
}

/** The value after white space. One without brackets may have white space at its end. */
function valueAt(json: Uint8Array, from: number): Span {
  const start = skipSpace(json, from);
  let depth = 0;
  for (let at = start; at < json.byteLength; at += 1) {
    switch (json[at]) {
      case QUOTE:
        at = endOfString(json, at) - 1;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        // Its own bracket, or that of the object or list around it.
        if (depth < 2) return spanOf(start, depth === 1 ? at + 1 : at);
        depth -= 1;
        break;
      case COMMA:
        if (depth === 0) return spanOf(start, at);
    }
  }
  throw new SyntaxError("not JSON");
}

function spanOf(start: number, end: number): Span {
  if (start === end) throw new SyntaxError("not JSON");
  return { start, end };
}

function endOfString(json: Uint8Array, start: number): number {
  for (let at = start + 1; at < json.byteLength; at += 1) {
    const byte = json[at];
    if (byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) return at + 1;
  }
  throw new SyntaxError("not JSON");
}

/** The position of the first byte that is not white space of JSON, after a byte order mark at the start. */
function startOfValue(json: Uint8Array): number {
  const hasMark = json[0] === 0xef && json[1] === 0xbb && json[2] === 0xbf;
  return skipSpace(json, hasMark ? 3 : 0);
}

function skipSpace(json: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(json[at])) at += 1;
  return at;
}

const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
