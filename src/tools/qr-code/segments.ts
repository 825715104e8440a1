import { dataBits, type QrLevel, VERSION_MAX } from "./capacity.ts";
import { kanjiCode } from "./kanji.ts";

/** The modes of ISO/IEC 18004, section 7.3, in the order of their indicators 1, 2, 4 and 8. */
export const NUMERIC = 0;
export const ALPHANUMERIC = 1;
export const BYTE = 2;
export const KANJI = 3;

/** The characters from `from` to before `to` of the text, in one mode. */
export type Segment = { mode: number; from: number; to: number };

/** How to encode a text: the version of the symbol, the segments, and whether an ECI header precedes them. */
export type Plan = { version: number; segments: Segment[]; hasEci: boolean; bits: number };

/** A text as an array of characters. */
export type Characters = {
  text: string;
  count: number;
  /** Where each character starts in the text, and the end of the last one; undefined for ASCII and for bytes. */
  offsets: Uint32Array | undefined;
  /** One bit for each mode that can encode the character, and `NOT_BESIDE_KANJI`. */
  modes: Uint8Array;
  utf8Bytes: Uint8Array;
  /** The first kana or kanji; infinite if there is none, and then no character has Kanji mode. */
  firstJapanese: number;
};

/** Table 3: the bits of the character count, by mode, for versions 1 to 9, 10 to 26 and 27 to 40. */
const COUNT_BITS = [
  [10, 12, 14],
  [9, 11, 13],
  [8, 16, 16],
  [8, 10, 12],
] as const;
const BANDS = [
  { first: 1, last: 9 },
  { first: 10, last: 26 },
  { first: 27, last: VERSION_MAX },
] as const;

/**
 * `\` and `~`, which Shift JIS replaces with the yen sign and the overline. If there are Kanji segments and no ECI
 * header, some readers (such as ZBar) decode byte segments as Shift JIS too.
 */
const NOT_BESIDE_KANJI = 1 << 4;

/** Mode indicator 7 and the assignment number 26, UTF-8 (section 7.4.2). */
const ECI_BITS = 12;

export const ALPHANUMERIC_CHARACTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";

export function countBits(mode: number, version: number): number {
  return (COUNT_BITS[mode] as readonly number[])[version < 10 ? 0 : version < 27 ? 1 : 2] as number;
}

export function readCharacters(text: string): Characters {
  const isAscii = !/[^\0-\x7f]/.test(text);
  const all = {
    text,
    count: text.length,
    offsets: isAscii ? undefined : new Uint32Array(text.length + 1),
    modes: new Uint8Array(text.length),
    utf8Bytes: new Uint8Array(text.length).fill(1),
    firstJapanese: Infinity,
  };
  if (all.offsets === undefined) {
    for (let i = 0; i < text.length; i++) all.modes[i] = ASCII_MODES[text.charCodeAt(i)] as number;
    return all;
  }
  const japaneseFrom = text.search(KANA_OR_KANJI);
  let count = 0;
  let offset = 0;
  for (const character of text) {
    const c = character.codePointAt(0) as number;
    all.utf8Bytes[count] = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    all.modes[count] = c < 0x80 ? (ASCII_MODES[c] as number) : 1 << BYTE;
    if (japaneseFrom >= 0 && c >= 0x80 && kanjiCode(character) !== undefined) {
      all.modes[count] = (1 << BYTE) | (1 << KANJI);
    }
    if (offset === japaneseFrom) all.firstJapanese = count;
    all.offsets[count] = offset;
    offset += character.length;
    count++;
  }
  all.offsets[count] = offset;
  return { ...all, count };
}

/**
 * JIS X 0208 also has Cyrillic, Greek, and signs such as `°`, `§` and `→`. Where a text has none of these, five of eleven
 * readers that were tried return other characters or nothing for Kanji segments, and all of them read bytes after ECI 26.
 */
const KANA_OR_KANJI = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;

/** Bytes, each as a character, for one byte segment: many readers give the bytes of byte segments alone. */
export function readBytes(bytes: Uint8Array): Characters {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return {
    ...{ text, count: bytes.length, offsets: undefined, firstJapanese: Infinity },
    modes: new Uint8Array(bytes.length).fill(1 << BYTE),
    utf8Bytes: new Uint8Array(bytes.length).fill(1),
  };
}

/** The characters from `from` to before `to`. */
export function sliceOf({ text, offsets }: Characters, from: number, to: number): string {
  return offsets === undefined ? text.slice(from, to) : text.slice(offsets[from], offsets[to]);
}

const ASCII_MODES = Uint8Array.from({ length: 128 }, (_, c) => {
  const character = String.fromCharCode(c);
  const index = ALPHANUMERIC_CHARACTERS.indexOf(character);
  if (index < 0) return (1 << BYTE) | ("\\~".includes(character) ? NOT_BESIDE_KANJI : 0);
  return (1 << BYTE) | (1 << ALPHANUMERIC) | (index < 10 ? 1 << NUMERIC : 0);
});

/**
 * Returns the plan with the smallest version, and among those the fewest bits; undefined if no version holds the text.
 *
 * Two kinds of plan compete for a text with kana or kanji: one without an ECI header, whose byte segments contain only ASCII
 * (and no `\` or `~`), and one with an ECI header and without Kanji. Some readers (such as zxing) decode a Kanji segment after
 * an ECI header in the header's encoding. More readers know UTF-8 than Kanji mode, so the first kind must make a smaller symbol.
 */
export function planSegments(text: Characters, level: QrLevel, eci: Eci): Plan | undefined {
  const usual = smallestPlan(text, level, usualContent(text, eci));
  if (text.firstJapanese === Infinity) return usual;
  const kanji = smallestPlan(text, level, WITH_KANJI);
  return kanji !== undefined && kanji.version < (usual?.version ?? Infinity) ? kanji : usual;
}

/** Whether a header precedes text beyond ASCII. Without it, most readers guess that bytes are UTF-8, and some do not. */
export type Eci = "auto" | "never";

/** What the segments contain besides ASCII: Kanji segments, or UTF-8 with or without a header. */
type Content = { beyondAscii: "kanji" | "utf8"; hasEci: boolean };
const WITH_KANJI: Content = { beyondAscii: "kanji", hasEci: false };

const usualContent = ({ offsets }: Characters, eci: Eci): Content => ({
  beyondAscii: "utf8",
  hasEci: offsets !== undefined && eci === "auto",
});

function smallestPlan(text: Characters, level: QrLevel, content: Content): Plan | undefined {
  for (const { first, last } of BANDS) {
    if (leastBits(text) > dataBits(last, level)) continue;
    const plan = cheapest(text, first, content);
    if (plan === undefined) return undefined;
    for (let version = first; version <= last; version++) {
      if (plan.bits <= dataBits(version, level)) return { version, ...plan };
    }
  }
  return undefined;
}

/** For every prefix of a text of any length, returns the fewest bits that a plan of version 40 takes. */
export function bitsOfBeginnings(text: Characters, eci: Eci): Uint32Array {
  const { count, offsets, utf8Bytes, firstJapanese } = text;
  const bits = new Uint32Array(count).fill(NEVER);
  cheapest(text, VERSION_MAX, WITH_KANJI, bits);
  if (offsets === undefined) return bits;
  // A prefix by itself has no Kanji segments as long as it has no kana or kanji.
  bits.fill(
    NEVER,
    utf8Bytes.findIndex((bytes) => bytes > 1),
    Math.min(firstJapanese, count),
  );
  cheapest(text, VERSION_MAX, usualContent(text, eci), bits);
  return bits;
}

/** No text takes fewer bits, whatever its segments: three digits take 10 bits. */
function leastBits({ count }: Characters): number {
  return Math.floor((count * 10) / 3);
}

const SIXTHS = 6;
/**
 * A character's cost by mode, in sixths of a bit: 10 bits for three digits, 11 for two alphanumerics, 13 for a Kanji.
 */
const DIGIT_COST = 20;
const ALPHANUMERIC_COST = 33;
const BYTE_COST = 48;
const KANJI_COST = 78;
const NEVER = 2 ** 30;
const KANJI_CONFLICT = (1 << KANJI) | NOT_BESIDE_KANJI;

/**
 * Finds the segments with the fewest bits by dynamic programming over the characters: for each mode, the cheapest way
 * to encode the text so far with the last segment in that mode. The end of a segment rounds its cost up to whole bits.
 * Time and memory are linear in the text. If `bits` is given, each entry is lowered to the cost of its prefix.
 */
function cheapest(
  { count, modes, utf8Bytes }: Characters,
  version: number,
  { beyondAscii, hasEci }: Content,
  bits?: Uint32Array,
): Omit<Plan, "version"> | undefined {
  const headers = COUNT_BITS.map((_, mode) => SIXTHS * (4 + countBits(mode, version)));
  const [digitHeader, alphanumericHeader, byteHeader, kanjiHeader] = headers as [
    ...[number, number],
    ...[number, number],
  ];
  /** For each character and mode: the mode of the previous character. */
  const from = new Uint8Array(4 * count);
  let digits = NEVER;
  let alphanumerics = NEVER;
  let bytes = NEVER;
  let kanjis = NEVER;
  // The lowest cost so far with the last segment ended, and the mode of that segment.
  let ended = 0;
  let endedMode = 0;
  const before = hasEci ? ECI_BITS : 0;
  const hasKanji = beyondAscii === "kanji";
  let seen = 0;
  for (let i = 0; i < count; i++) {
    const has = modes[i] as number;
    const at = 4 * i;
    from[at] = digits <= ended + digitHeader ? NUMERIC : endedMode;
    digits = has & 1 ? Math.min(digits, ended + digitHeader) + DIGIT_COST : NEVER;
    from[at + 1] = alphanumerics <= ended + alphanumericHeader ? ALPHANUMERIC : endedMode;
    alphanumerics =
      has & 2 ? Math.min(alphanumerics, ended + alphanumericHeader) + ALPHANUMERIC_COST : NEVER;
    from[at + 2] = bytes <= ended + byteHeader ? BYTE : endedMode;
    const length = utf8Bytes[i] as number;
    const mayBytes = length === 1 || !hasKanji;
    bytes = mayBytes ? Math.min(bytes, ended + byteHeader) + BYTE_COST * length : NEVER;
    from[at + 3] = kanjis <= ended + kanjiHeader ? KANJI : endedMode;
    kanjis = has & 8 && hasKanji ? Math.min(kanjis, ended + kanjiHeader) + KANJI_COST : NEVER;
    ended = bytes;
    endedMode = BYTE;
    const wholeDigits = SIXTHS * Math.ceil(digits / SIXTHS);
    if (wholeDigits < ended) {
      ended = wholeDigits;
      endedMode = NUMERIC;
    }
    const wholeAlphanumerics = SIXTHS * Math.ceil(alphanumerics / SIXTHS);
    if (wholeAlphanumerics < ended) {
      ended = wholeAlphanumerics;
      endedMode = ALPHANUMERIC;
    }
    if (kanjis < ended) {
      ended = kanjis;
      endedMode = KANJI;
    }
    seen |= has & KANJI_CONFLICT;
    if (ended >= NEVER || (hasKanji && seen === KANJI_CONFLICT)) return undefined;
    if (bits !== undefined) bits[i] = Math.min(bits[i] as number, before + ended / SIXTHS);
  }
  return { segments: backtrack(from, count, endedMode), hasEci, bits: before + ended / SIXTHS };
}

/** Reads the segments from the last character back to the first. */
function backtrack(from: Uint8Array, count: number, lastMode: number): Segment[] {
  const segments: Segment[] = [];
  let mode = lastMode;
  let to = count;
  for (let i = count - 1; i >= 0; i--) {
    const before = from[4 * i + mode] as number;
    if (before === mode && i > 0) continue;
    segments.push({ mode, from: i, to });
    to = i;
    mode = before;
  }
  return segments.reverse();
}
