import type { LongText } from "#tools/define-tool.ts";
import { endOfPiece, isLongText, LONG_TEXT_CHARS } from "#tools/long-text.ts";
import { isPair, utf8Length } from "#tools/text.ts";
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

/** A part of a text, unchanged or (`quoted`) as the content of a JSON string. */
type Part = { text: string | LongText; quoted: boolean };

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
      parts.push(
        { text: `${before}"`, quoted: false },
        { text: value as string | LongText, quoted: true },
      );
      before = '"';
    }
  }
  parts.push({ text: `${before}}`, quoted: false });
  return largeText(parts);
}

/** Returns a text, in pieces if it is large. */
export const inPieces = (text: string | LongText): string | LargeText =>
  typeof text === "string" && !isLarge(text) ? text : largeText([{ text, quoted: false }]);

export const isLargeText = (body: string | Uint8Array | LargeText): body is LargeText =>
  typeof body === "object" && "pieces" in body;

/** The memory that a response takes until it has been sent. */
export const heldBytes = (body: string | Uint8Array | LargeText): number =>
  isLargeText(body) ? body.heldBytes : body.length;

const isLarge = (value: unknown) =>
  typeof value === "string" ? value.length > LONG_TEXT_CHARS : isLongText(value);

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
    if (typeof text === "string") {
      const plain = utf8Length(text);
      bytes += quoted ? plain + escapesLength(text) : plain;
      // Engines store a text with any character beyond Latin-1 in two bytes for each.
      heldBytes += plain === text.length ? text.length : 2 * text.length;
      continue;
    }
    bytes += text.bytes;
    if (quoted) for (const block of text.blocks) bytes += escapesLengthOf(block);
    heldBytes += text.bytes;
  }
  return { bytes, heldBytes, pieces: () => piecesOf(parts) };
}

const encoder = new TextEncoder();
// A byte order mark is a character of the text.
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

function* piecesOf(parts: readonly Part[]): Generator<Uint8Array<ArrayBuffer>> {
  for (const { text, quoted } of parts) {
    if (typeof text !== "string") {
      // Each consumer gets bytes of its own, because a stream may take them over.
      for (const block of text.blocks) yield quoted ? escaped(utf8.decode(block)) : block.slice();
      continue;
    }
    for (let from = 0; from < text.length; ) {
      const to = endOfPiece(text, from);
      const piece = text.slice(from, to);
      yield quoted ? escaped(piece) : encoder.encode(piece);
      from = to;
    }
  }
}

/** The bytes of a text as the content of a JSON string. */
const escaped = (text: string) => encoder.encode(JSON.stringify(text).slice(1, -1));

/** The bytes that JSON.stringify adds to the UTF-8 form of a text (ECMA-262, QuoteJSONString). */
function escapesLength(text: string): number {
  let added = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) added += escapeLength(code);
    else if ((code & 0xf800) === 0xd800) {
      // A lone surrogate becomes `\ud800`, instead of the three bytes of U+FFFD.
      if (isPair(text, at)) at += 1;
      else added += 3;
    }
  }
  return added;
}

/** The same for well-formed UTF-8, which has no lone surrogates. */
function escapesLengthOf(block: Uint8Array): number {
  let added = 0;
  for (const byte of block) if (byte < 0x80) added += escapeLength(byte);
  return added;
}

/** The bytes that an ASCII character gains. */
function escapeLength(code: number): number {
  if (code === 0x22 || code === 0x5c) return 1;
  if (code >= 0x20) return 0;
  return SHORT_ESCAPES.has(code) ? 1 : 5;
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
