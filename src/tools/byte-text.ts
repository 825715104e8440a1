import { base64ByteLength, base64Fault, fromBase64 } from "./base64.ts";
import { encodeUtf8, utf8Length } from "./text.ts";

/** Bytes that a client writes as text. */
export const BYTE_ENCODINGS = ["utf8", "hex", "base64"] as const;
export type ByteEncoding = (typeof BYTE_ENCODINGS)[number];

type Codec = {
  /** What is wrong with a text, in words that follow the name of a field. It repeats nothing of the text. */
  fault(text: string): string | undefined;
  /** The number of bytes that a valid text stands for. */
  byteLength(text: string): number;
  decode(text: string): Uint8Array;
};

export const BYTE_CODECS: Record<ByteEncoding, Codec> = {
  utf8: { fault: () => undefined, byteLength: utf8Length, decode: encodeUtf8 },
  hex: { fault: hexFault, byteLength: (text) => joinHex(text).length / 2, decode: fromHex },
  base64: { fault: base64Fault, byteLength: base64ByteLength, decode: fromBase64 },
};

/** Line breaks are taken, as in base64: `xxd -p` writes them, and a file ends with one. */
const joinHex = (text: string): string => text.replace(/[\r\n]+/g, "");

function hexFault(text: string): string | undefined {
  const other = text.search(/[^0-9A-Fa-f\r\n]/);
  if (other !== -1) return `must be hex; character ${other + 1} is not allowed`;
  const { length } = joinHex(text);
  return length % 2 === 0 ? undefined : `must be hex with two digits for each byte; got ${length}`;
}

function fromHex(text: string): Uint8Array {
  const digits = joinHex(text);
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
    Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16),
  );
}
