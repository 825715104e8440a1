/**
 * Kanji mode (ISO/IEC 18004, section 7.4.6): characters of JIS X 0208 in 13 bits, derived from their Shift JIS code.
 * The table is built with the platform's decoder for the first text with kana or kanji; Node, workerd and browsers produce
 * the same table.
 */

/**
 * Characters that decoders map to different code points (`～` or `〜`, `－` or `−`, ...), and row 13, which JIS X 0208
 * leaves empty. They are encoded as bytes, which decode to the same characters everywhere.
 */
const DISPUTED = new Set([0x815c, 0x815f, 0x8160, 0x8161, 0x817c, 0x8191, 0x8192, 0x81ca]);
const ROW_13 = [0x8740, 0x879e] as const;

/** Returns the 13 bits of a character, or undefined if Kanji mode does not have it. */
export function kanjiCode(character: string): number | undefined {
  codes ??= readTable();
  return codes.get(character);
}

let codes: Map<string, number> | undefined;

/** Each code is on its own line, so that one call decodes all of them. */
function readTable(): Map<string, number> {
  const table = new Map<string, number>();
  const wanted: number[] = [];
  for (let code = 0x8140; code <= 0xebbf; code++) {
    const isGap = (code & 255) < 0x40 || (code > 0x9ffc && code < 0xe040);
    const isRow13 = code >= ROW_13[0] && code <= ROW_13[1];
    if (!isGap && !isRow13 && !DISPUTED.has(code)) wanted.push(code);
  }
  const bytes = new Uint8Array(3 * wanted.length).fill(10);
  for (let i = 0; i < wanted.length; i++) {
    const code = wanted[i] as number;
    bytes[3 * i] = code >> 8;
    bytes[3 * i + 1] = code & 255;
  }
  const characters = new TextDecoder("shift_jis").decode(bytes).split("\n");
  for (const [i, code] of wanted.entries()) {
    const character = characters[i] as string;
    if (character.length !== 1 || character === "\ufffd" || table.has(character)) continue;
    const offset = code - (code < 0xa000 ? 0x8140 : 0xc140);
    table.set(character, (offset >> 8) * 0xc0 + (offset & 255));
  }
  return table;
}
