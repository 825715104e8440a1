/**
 * Finds values in the bytes of a JSON text without parsing them. It reads strings and brackets only, so a value that it
 * returns may still be invalid JSON: whoever parses the value, or the text around it, finds out. Throws a SyntaxError
 * where the text is not even that.
 */
export type Span = { start: number; end: number };

/** A member of an object: where its name is, with the quotes, and its value. */
type Member = { name: Span; value: Span };

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
export const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The members of the object that opens at `start`, in their order, repeated names included. */
export function* membersOf(json: Uint8Array, start: number): Generator<Member> {
  let at = skipSpace(json, start + 1);
  if (json[at] === CLOSE_BRACE) return;
  for (;;) {
    if (json[at] !== QUOTE) throw unexpected(at);
    const name = { start: at, end: endOfString(json, at) };
    at = skipSpace(json, name.end);
    if (json[at] !== COLON) throw unexpected(at);
    at = skipSpace(json, at + 1);
    const value = { start: at, end: endOfValue(json, at) };
    yield { name, value };
    at = skipSpace(json, value.end);
    if (json[at] === CLOSE_BRACE) return;
    if (json[at] !== COMMA) throw unexpected(at);
    at = skipSpace(json, at + 1);
  }
}

/** The items of the array that opens at `start`. */
export function* itemsOf(json: Uint8Array, start: number): Generator<Span> {
  let at = skipSpace(json, start + 1);
  if (json[at] === CLOSE_BRACKET) return;
  for (;;) {
    const item = { start: at, end: endOfValue(json, at) };
    yield item;
    at = skipSpace(json, item.end);
    if (json[at] === CLOSE_BRACKET) return;
    if (json[at] !== COMMA) throw unexpected(at);
    at = skipSpace(json, at + 1);
  }
}

/** A message has fewer than ten members. Looking at a million of them would take half a second. */
const MEMBERS_MAX = 1_000;

/** The value of the last member with this name, the one that `JSON.parse` keeps. */
export function findMember(json: Uint8Array, start: number, name: string): Span | undefined {
  let found: Span | undefined;
  let count = 0;
  for (const member of membersOf(json, start)) {
    if (isNamed(json, member, name)) found = member.value;
    count += 1;
    if (count > MEMBERS_MAX) throw new SyntaxError("too many members");
  }
  return found;
}

/** Whether the member has this name, which is ASCII and may be written with escapes. */
export function isNamed(json: Uint8Array, { name: { start, end } }: Member, name: string): boolean {
  const length = end - start - 2;
  // An escape takes at most six bytes for a character.
  if (length < name.length || length > 6 * name.length) return false;
  const written = utf8.decode(json.subarray(start + 1, end - 1));
  if (!written.includes("\\")) return written === name;
  try {
    return JSON.parse(`"${written}"`) === name;
  } catch {
    return false;
  }
}

/** The name of a member. Throws a SyntaxError where it is not a string of JSON. */
export const nameOf = (json: Uint8Array, { name: { start, end } }: Member): string =>
  JSON.parse(utf8.decode(json.subarray(start, end)));

/** The position of the first byte that is not white space of JSON, after a byte order mark at the start. */
export function startOfValue(json: Uint8Array): number {
  const hasMark = json[0] === 0xef && json[1] === 0xbb && json[2] === 0xbf;
  return skipSpace(json, hasMark ? 3 : 0);
}

// A byte order mark in a name is part of it.
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

function skipSpace(json: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(json[at])) at += 1;
  return at;
}

const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function endOfValue(json: Uint8Array, start: number): number {
  const first = json[start];
  if (first === QUOTE) return endOfString(json, start);
  return first === OPEN_BRACE || first === OPEN_BRACKET
    ? endOfBrackets(json, start)
    : endOfLiteral(json, start);
}

function endOfString(json: Uint8Array, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end !== -1; end = json.indexOf(QUOTE, end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  throw unexpected(json.byteLength);
}

function endOfBrackets(json: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < json.byteLength; ) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = endOfString(json, at);
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  throw unexpected(json.byteLength);
}

/** A number, `true`, `false`, `null`, or what stands in their place. */
function endOfLiteral(json: Uint8Array, start: number): number {
  let at = start;
  while (at < json.byteLength && !endsLiteral(json[at])) at += 1;
  if (at === start) throw unexpected(at);
  return at;
}

const endsLiteral = (byte: number | undefined) =>
  isSpace(byte) ||
  byte === COMMA ||
  byte === COLON ||
  byte === QUOTE ||
  byte === OPEN_BRACE ||
  byte === CLOSE_BRACE ||
  byte === OPEN_BRACKET ||
  byte === CLOSE_BRACKET;

const unexpected = (at: number) => new SyntaxError(`not JSON at byte ${at}`);
