import { concatBytes } from "@noble/hashes/utils.js";
import { ApiError } from "#errors.ts";
import { JSON_DEPTH_MAX, MCP_BATCH_MAX, MCP_ENVELOPE_BYTES_MAX } from "#limits.ts";
import { findJsonFault, nestsTooDeep } from "../pipeline/json-fault.ts";
import {
  findMember,
  isNamed,
  itemsOf,
  membersOf,
  nameOf,
  OPEN_BRACE,
  OPEN_BRACKET,
  type Span,
  startOfValue,
} from "./json-spans.ts";
import { CODES, RpcError } from "./protocol.ts";

/**
 * Reads the JSON-RPC messages in a body. The arguments of a tool are not parsed here: their bytes become the body of the
 * call, so that the tool sees what the client wrote. Parsed and written again, `12345678901234567890` would be another
 * number. It also spares a copy of a megabyte of text for each layer.
 */

/** Stands in `params` in place of the arguments: where they are in the body. */
type ArgumentsAt = { at: number; end: number };

/**
 * Returns the message, or the array of messages, with an `ArgumentsAt` for each `params.arguments` that is an object.
 * Throws an `RpcError` where the body is not JSON, and an ApiError `too_large`.
 */
export function readMessages(body: Uint8Array): unknown {
  try {
    const envelope = withoutArguments(body, findArguments(body));
    if (envelope.byteLength > MCP_ENVELOPE_BYTES_MAX) throw tooLarge(envelope.byteLength);
    const text = strictUtf8.decode(envelope);
    if (!nestsTooDeep(text)) return JSON.parse(text);
  } catch (error) {
    if (error instanceof ApiError) throw error;
  }
  throw new RpcError(CODES.parseError, `Parse error: ${describeFault(body)}`, { status: 400 });
}

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

const tooLarge = (bytes: number) =>
  new ApiError(
    "too_large",
    `The message without its arguments is ${bytes} bytes; the limit is ${MCP_ENVELOPE_BYTES_MAX} bytes. Send less in \`_meta\` or fewer messages at once.`,
    { members: { limit: MCP_ENVELOPE_BYTES_MAX } },
  );

/** The bytes of the arguments that a call was made with; null where it has none. */
export function argumentsOf(body: Uint8Array, args: Record<string, unknown> | null) {
  const { at, end } = (args ?? {}) as Partial<ArgumentsAt>;
  return at === undefined ? null : body.subarray(at, end);
}

/**
 * What the arguments of a verbatim tool contain: the bytes of the value at `field`, and the names of anything else, or of
 * the first that are. Throws an `RpcError` where the arguments are not JSON.
 */
export function readField(args: Uint8Array, field: string) {
  let value: Uint8Array | null = null;
  const others = new Set<string>();
  try {
    for (const member of membersOf(args, 0)) {
      if (isNamed(args, member, field)) value = args.subarray(member.value.start, member.value.end);
      else if (others.size < OTHERS_MAX) others.add(nameOf(args, member));
    }
  } catch {
    const text = "Parse error in the arguments: an object with quoted names was expected.";
    throw new RpcError(CODES.parseError, text);
  }
  return { value, others: [...others] };
}

const OTHERS_MAX = 20;

export const isBatch = (body: Uint8Array): boolean => body[startOfValue(body)] === OPEN_BRACKET;

function findArguments(body: Uint8Array): Span[] {
  const start = startOfValue(body);
  const messages = isBatch(body) ? takeItems(body, start) : [{ start }];
  return messages.flatMap((message) => {
    const params = findObject(body, message.start, "params");
    const found = params === undefined ? undefined : findObject(body, params.start, "arguments");
    return found === undefined ? [] : [found];
  });
}

/** One more than allowed: a longer array is rejected whatever it contains. */
function takeItems(body: Uint8Array, start: number): Span[] {
  const items: Span[] = [];
  for (const item of itemsOf(body, start)) {
    items.push(item);
    if (items.length > MCP_BATCH_MAX) break;
  }
  return items;
}

function findObject(body: Uint8Array, start: number, name: string): Span | undefined {
  if (body[start] !== OPEN_BRACE) return undefined;
  const found = findMember(body, start, name);
  return found !== undefined && body[found.start] === OPEN_BRACE ? found : undefined;
}

function withoutArguments(body: Uint8Array, spans: Span[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    const standIn: ArgumentsAt = { at: start, end };
    parts.push(body.subarray(from, start), utf8.encode(JSON.stringify(standIn)));
    from = end;
  }
  parts.push(body.subarray(from));
  return concatBytes(...parts);
}

const utf8 = new TextEncoder();
// Drops a byte order mark, and throws on invalid bytes.
const strictUtf8 = new TextDecoder("utf-8", { fatal: true });
