/**
 * Kanji mode (ISO/IEC 18004, section 7.4.6): characters of JIS X 0208 in 13 bits, by their code in Shift JIS.
 * The table is made from the platform's decoder when the first candidate is met; Node, workerd and browsers agree on it.
 */

/**
 * Characters whose place in Unicode decoders do not agree on (`～` or `〜`, `－` or `−`, ...), and row 13, which JIS X 0208
 * leaves empty: written as bytes they come back as they were.
 */
const DISPUTED = new Set([0x815c, 0x815f, 0x8160, 0x8161, 0x817c, 0x8191, 0x8192, 0x81ca]);
const ROW_13 = [0x8740, 0x879e] as const;

/** The 13 bits of a character, or undefined where Kanji mode does not have it. */
export function kanjiCode(character: string): number | undefined {
  // No ASCII, no letters with accents, nothing beyond 16 bits: most texts need no table.
  const c = character.charCodeAt(0);
  if (character.length > 1 || c < 0xa7) return undefined;
  codes ??= readTable();
  return codes.get(character);
}

let codes: Map<string, number> | undefined;

function readTable(): Map<string, number> {
  const table = new Map<string, number>();
  const decoder = new TextDecoder("shift_jis");
  const bytes = new Uint8Array(2);
  for (let code = 0x8140; code <= 0xebbf; code++) {
    const isGap = code > 0x9ffc && code < 0xe040;
    const isRow13 = code >= ROW_13[0] && code <= ROW_13[1];
    if (isGap || isRow13 || DISPUTED.has(code)) continue;
    bytes[0] = code >> 8;
    bytes[1] = code & 255;
    const character = decoder.decode(bytes);
    if (character.length !== 1 || character === "\ufffd" || table.has(character)) continue;
    const offset = code - (code < 0xa000 ? 0x8140 : 0xc140);
    table.set(character, (offset >> 8) * 0xc0 + (offset & 255));
  }
  return table;
}
