/** The operator's logo: SVG, or a PNG in base64. Plain data, which goes to other threads. */
export type Logo = { type: "image/svg+xml"; text: string } | { type: "image/png"; base64: string };

/** A page has it in its header, so it should not be what a visitor waits for. */
const LOGO_BYTES_MAX = 100 * 1024;

const PNG_START = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Reads the bytes of a file with a logo. Returns a sentence where they are none. */
export function readLogo(bytes: Uint8Array): Logo | string {
  if (bytes.byteLength > LOGO_BYTES_MAX)
    return `it has ${bytes.byteLength} bytes, and at most ${LOGO_BYTES_MAX} are allowed`;
  if (PNG_START.every((byte, at) => bytes[at] === byte)) {
    const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    return { type: "image/png", base64: btoa(text) };
  }
  const text = new TextDecoder().decode(bytes);
  return isSvg(text) ? { type: "image/svg+xml", text } : "it is neither an SVG nor a PNG image";
}

/** Whether a text is an SVG image: its first element is `svg` with the namespace, without which browsers show no image. */
export const isSvg = (text: string): boolean =>
  /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s>]/i.test(text) &&
  text.includes("http://www.w3.org/2000/svg");
