/** Base64 (RFC 4648, section 4). We have our own encoder and decoder because those of the runtimes differ. */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CODES = Uint8Array.from(ALPHABET, (char) => char.charCodeAt(0));
const PADDING = "=".charCodeAt(0);
/** The six bits of each character. */
const VALUES = new Uint8Array(128);
CODES.forEach((code, value) => {
  VALUES[code] = value;
});

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const toBase64 = (bytes: Uint8Array): string => encode("", bytes);

export const dataUrl = (mimeType: string, bytes: Uint8Array): string =>
  encode(`data:${mimeType};base64,`, bytes);

function encode(before: string, bytes: Uint8Array): string {
  const prefix = encoder.encode(before);
  const text = new Uint8Array(prefix.length + 4 * Math.ceil(bytes.length / 3));
  text.set(prefix);
  let at = prefix.length;
  for (let i = 0; i < bytes.length; i += 3) {
    // Past the end, the value is undefined, which bitwise operators treat as zero.
    const three =
      ((bytes[i] as number) << 16) | ((bytes[i + 1] as number) << 8) | (bytes[i + 2] as number);
    text[at++] = CODES[three >>> 18] as number;
    text[at++] = CODES[(three >>> 12) & 63] as number;
    text[at++] = CODES[(three >>> 6) & 63] as number;
    text[at++] = CODES[three & 63] as number;
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  text.fill(PADDING, text.length - missing);
  return decoder.decode(text);
}

/** The bytes of a data URL that `dataUrl` has written. */
export const bytesOfDataUrl = (url: string): Uint8Array<ArrayBuffer> =>
  fromBase64(url.slice(url.indexOf(",") + 1));

/** How many characters of a valid text are not padding. */
const digitsOf = (text: string): number => text.length - (/=*$/.exec(text)?.[0].length ?? 0);

/** The length in bytes of what a valid text stands for. */
export const base64ByteLength = (text: string): number => Math.floor((digitsOf(text) * 3) / 4);

/** The bytes of a text in which `base64Fault` finds no fault. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(base64ByteLength(text));
  const value = (at: number) => VALUES[text.charCodeAt(at)] as number;
  for (let i = 0, at = 0; at < bytes.length; i += 4) {
    // Past the end of the text the value is undefined, and what is written past the end of the bytes is dropped.
    const four = (value(i) << 18) | (value(i + 1) << 12) | (value(i + 2) << 6) | value(i + 3);
    bytes[at++] = four >> 16;
    bytes[at++] = four >> 8;
    bytes[at++] = four;
  }
  return bytes;
}

/**
 * What is wrong with a base64 text, in words that follow the name of a field; undefined for a valid one. The padding may be
 * missing, because many encoders leave it out. Bits that belong to no byte must be zero (section 3.5), and there are no line
 * breaks (section 3.1): a text that was damaged on its way must not be hashed.
 */
export function base64Fault(text: string): string | undefined {
  const other = text.search(/[^A-Za-z0-9+/]/);
  const digits = other === -1 ? text.length : other;
  const padding = text.slice(digits);
  if (!/^={0,2}$/.test(padding)) {
    return `${MUST_BE} with \`+\` and \`/\` and without line breaks; character ${digits + 1} is not allowed`;
  }
  const inLast = digits % 4;
  if (inLast === 1 || (padding !== "" && (digits + padding.length) % 4 !== 0)) {
    return `${MUST_BE}; its end is missing`;
  }
  const unused = inLast === 2 ? 15 : inLast === 3 ? 3 : 0;
  return (VALUES[text.charCodeAt(digits - 1)] as number) & unused
    ? `${MUST_BE}; its last character has bits that belong to no byte`
    : undefined;
}

const MUST_BE = "must be base64 (RFC 4648, section 4)";
