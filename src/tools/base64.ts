/**
 * Base64 (RFC 4648, section 4). We have our own encoder and decoder because those of the runtimes differ. The decoder also
 * takes the alphabet of URLs (section 5), line breaks and missing padding: each of them leaves one reading.
 */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CODES = Uint8Array.from(ALPHABET, (char) => char.charCodeAt(0));
const PADDING = "=".charCodeAt(0);
/** The six bits of each character of both alphabets. */
const VALUES = new Uint8Array(128);
CODES.forEach((code, value) => {
  VALUES[code] = value;
});
VALUES["-".charCodeAt(0)] = 62;
VALUES["_".charCodeAt(0)] = 63;

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

/** How many characters of a valid text without line breaks are not padding. */
const digitsOf = (text: string): number => text.length - (/=*$/.exec(text)?.[0].length ?? 0);

/** The length in bytes of what a valid text stands for. */
export const base64ByteLength = (text: string): number =>
  Math.floor((digitsOf(joinLines(text)) * 3) / 4);

/** A text without its line breaks; most have none. */
const joinLines = (text: string): string =>
  /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, "") : text;

/** The bytes of a text in which `base64Fault` finds no fault. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const joined = joinLines(text);
  const bytes = new Uint8Array(Math.floor((digitsOf(joined) * 3) / 4));
  const value = (at: number) => VALUES[joined.charCodeAt(at)] as number;
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
 * What is wrong with a base64 text, in words that follow the name of a field; undefined for a valid one. Only what has one
 * reading is taken, because a text that was damaged on its way must not be hashed: bits that belong to no byte must be zero
 * (section 3.5), padding is complete or missing, and the characters are of one alphabet. A space may have been a plus.
 */
export function base64Fault(text: string): string | undefined {
  const other = text.search(/[^A-Za-z0-9+/_\r\n-]/);
  const end = other === -1 ? text.length : other;
  if (other !== -1 && !/^=[\r\n]*(?:=[\r\n]*)?$/.test(text.slice(other))) {
    return `${MUST_BE}; ${otherCharacter(text, other)}`;
  }
  const [plus, minus] = [text.search(/[+/]/), text.search(/[_-]/)];
  if (plus !== -1 && minus !== -1) {
    const at = Math.max(plus, minus) + 1;
    return `${MUST_BE}; it mixes \`+\` and \`/\` with \`-\` and \`_\` at character ${at}`;
  }
  const digits = joinLines(text.slice(0, end));
  const padding = text.slice(end).replace(/[\r\n]/g, "");
  const inLast = digits.length % 4;
  if (inLast === 0 && padding !== "")
    return `${MUST_BE}; nothing is left to pad at character ${end + 1}`;
  if (inLast === 1 || (padding !== "" && inLast + padding.length !== 4)) {
    return inLast + padding.length > 4
      ? `${MUST_BE}; it has more padding than it needs`
      : `${MUST_BE}; its end is missing after character ${text.length}`;
  }
  const unused = inLast === 2 ? 15 : inLast === 3 ? 3 : 0;
  return (VALUES[digits.charCodeAt(digits.length - 1)] as number) & unused
    ? `${MUST_BE}; its last character has unused bits that are not zero`
    : undefined;
}

/** Names no character but those that explain themselves: the text may be a secret. */
function otherCharacter(text: string, at: number): string {
  if (text.startsWith("data:")) return "leave out the `data:` URL before the comma";
  if (text[at] === " ") {
    return `character ${at + 1} is a space. In forms and in the query, write \`+\` as \`%2B\``;
  }
  if (text[at] === "=") return `the padding at character ${at + 1} is not at the end`;
  return `character ${at + 1} is not allowed`;
}

const MUST_BE = "must be base64 (RFC 4648)";
