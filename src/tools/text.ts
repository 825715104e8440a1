/** Text fields are measured and encoded in UTF-8. */

const encoder = new TextEncoder();

export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text);

/**
 * Returns the number of UTF-8 bytes of `text` without encoding it; a lone surrogate counts as the three bytes of
 * U+FFFD.
 */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    bytes += code < 0x800 ? 1 : 2;
    // A surrogate pair takes four bytes: its two units, plus two added for its first half.
    if (isPair(text, i)) i++;
  }
  return bytes;
}

export const isPair = (text: string, at: number) =>
  (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;

/** Returns the number of UTF-8 bytes if it exceeds `max`, otherwise undefined. Short text is not counted. */
export function utf8LengthOver(text: string, max: number): number | undefined {
  // A UTF-16 unit takes at most three bytes in UTF-8; a surrogate pair takes four.
  if (text.length * 3 <= max) return undefined;
  const bytes = utf8Length(text);
  return bytes > max ? bytes : undefined;
}

/** A sentence that others can follow. */
export const withFullStop = (text: string): string => {
  const trimmed = text.trimEnd();
  return /[.!?…。！？]$/.test(trimmed) ? trimmed : `${trimmed}.`;
};
