import { utf8Length } from "#tools/text.ts";
import type { ResponseLease } from "./memory-budget.ts";

/**
 * Large responses for runtimes with little memory. The text is encoded piece by piece while it is sent, so that memory
 * never holds both the whole text and all of its bytes. A tool's large strings are turned into JSON in the same way.
 * The bytes are exactly those of `JSON.stringify` and TextEncoder.
 */
export type LargeText = {
  /** The length in UTF-8. */
  bytes: number;
  /** The memory that the text takes until it has been sent. */
  heldBytes: number;
  /** Yields the bytes in pieces. Each call starts at the beginning. */
  pieces(): Iterable<Uint8Array<ArrayBuffer>>;
};

export const PIECE_CHARS = 64 * 1024;
/** Shorter responses are sent whole: pieces would cost half as much again (docs/decisions/0010). */
const WHOLE_CHARS_MAX = 2 * PIECE_CHARS;

/** A part of a text, unchanged or (`quoted`) as the content of a JSON string. */
type Part = { text: string; quoted: boolean };

/** Returns the JSON text of an output, in pieces if one of its fields is a large text. */
export function writeJson(output: unknown): string | LargeText {
  if (!hasLargeField(output)) return JSON.stringify(output);
  const parts: Part[] = [];
  let before = "{";
  for (const [name, value] of Object.entries(output as object)) {
    const json = isLarge(value) ? undefined : JSON.stringify(value);
    if (json === undefined && !isLarge(value)) continue;
    before += `${before.endsWith("{") ? "" : ","}${JSON.stringify(name)}:`;
    if (json !== undefined) before += json;
    else {
      parts.push({ text: `${before}"`, quoted: false }, { text: value as string, quoted: true });
      before = '"';
    }
  }
  parts.push({ text: `${before}}`, quoted: false });
  return largeText(parts);
}

/** Returns a text, in pieces if it is large. */
export const inPieces = (text: string): string | LargeText =>
  text.length > WHOLE_CHARS_MAX ? largeText([{ text, quoted: false }]) : text;

export const isLargeText = (body: string | Uint8Array | LargeText): body is LargeText =>
  typeof body === "object" && "pieces" in body;

const isLarge = (value: unknown) => typeof value === "string" && value.length > WHOLE_CHARS_MAX;

function hasLargeField(output: unknown): boolean {
  if (typeof output !== "object" || output === null || Array.isArray(output)) return false;
  for (const name in output) {
    if (isLarge((output as Record<string, unknown>)[name])) return true;
  }
  return false;
}

function largeText(parts: readonly Part[]): LargeText {
  let bytes = 0;
  let heldBytes = 0;
  for (const { text, quoted } of parts) {
    const plain = utf8Length(text);
    bytes += quoted ? plain + escapesLength(text) : plain;
    // Engines store a text with any character beyond Latin-1 in two bytes for each.
    heldBytes += plain === text.length ? text.length : 2 * text.length;
  }
  return { bytes, heldBytes, pieces: () => piecesOf(parts) };
}

const encoder = new TextEncoder();

function* piecesOf(parts: readonly Part[]): Generator<Uint8Array<ArrayBuffer>> {
  for (const { text, quoted } of parts) {
    for (let from = 0; from < text.length; ) {
      const to = endOfPiece(text, from);
      const piece = text.slice(from, to);
      yield encoder.encode(quoted ? JSON.stringify(piece).slice(1, -1) : piece);
      from = to;
    }
  }
}

/** Never splits a surrogate pair: alone, each half would be encoded as U+FFFD. */
function endOfPiece(text: string, from: number): number {
  const end = from + PIECE_CHARS;
  if (end >= text.length) return text.length;
  return isPair(text, end - 1) ? end - 1 : end;
}

const isPair = (text: string, at: number) =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;

/** The bytes that JSON.stringify adds to the UTF-8 form of a text (ECMA-262, QuoteJSONString). */
function escapesLength(text: string): number {
  let added = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22 || code === 0x5c) added += 1;
    else if (code < 0x20) added += SHORT_ESCAPES.has(code) ? 1 : 5;
    else if ((code & 0xf800) === 0xd800) {
      // A lone surrogate becomes `\ud800`, instead of the three bytes of U+FFFD.
      if (isPair(text, at)) at += 1;
      else added += 3;
    }
  }
  return added;
}

/** `\b`, `\t`, `\n`, `\f` and `\r`; the other control characters are written as `\u0000`. */
const SHORT_ESCAPES: ReadonlySet<number> = new Set([8, 9, 10, 12, 13]);

/** Calls `release` once, at the end of the stream or when it is cancelled. The stream fails once the lease `isOver`. */
export function streamPieces(
  text: LargeText,
  { release, isOver }: ResponseLease,
): ReadableStream<Uint8Array> {
  const pieces = text.pieces()[Symbol.iterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (isOver()) throw new Error("The client read the response too slowly");
        const { done, value } = pieces.next();
        if (!done) return controller.enqueue(value);
        controller.close();
        release();
      },
      cancel: release,
    },
    // Pieces are made only when the reader asks for them.
    { highWaterMark: 0 },
  );
}
