/** Base64 (RFC 4648, section 4) as a data URL. We have our own encoder because the runtimes' encoders differ. */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CODES = Uint8Array.from(ALPHABET, (char) => char.charCodeAt(0));
const PADDING = "=".charCodeAt(0);

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function dataUrl(mimeType: string, bytes: Uint8Array): string {
  const prefix = encoder.encode(`data:${mimeType};base64,`);
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
export function bytesOfDataUrl(url: string): Uint8Array<ArrayBuffer> {
  const text = atob(url.slice(url.indexOf(",") + 1));
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}
