import { BitWriter } from "#tools/qr/bit-writer.ts";
import { blockPlan, dataBits, type QrLevel, VERSION_MAX } from "#tools/qr/capacity.ts";
import { interleave } from "#tools/qr/error-correction.ts";
import { kanjiCode } from "#tools/qr/kanji.ts";
import { penaltyOfColumns, penaltyOfRows } from "#tools/qr/penalty.ts";
import {
  ALPHANUMERIC,
  ALPHANUMERIC_CHARACTERS,
  BYTE,
  type Characters,
  countBits,
  ECI_BITS,
  NUMERIC,
  type Plan,
  planSegments,
  readCharacters,
  type Segment,
  sliceOf,
} from "#tools/qr/segments.ts";
import { type Modules, type Template, templateOf } from "#tools/qr/template.ts";
import { transpose } from "#tools/qr/transpose.ts";

/** The modules of a symbol without its quiet zone, row by row: 1 is dark. */
export type QrSymbol = { size: number; dark: Uint8Array; version: number; mask: number };

/**
 * The door to the QR engine (ISO/IEC 18004, model 2): the smallest symbol for `text` at `level`, or undefined where
 * none holds it. Pure; the same text always gives the same modules.
 */
export function encodeQr(text: string, level: QrLevel): QrSymbol | undefined {
  const characters = readCharacters(text);
  const plan = planSegments(characters, level);
  if (plan === undefined) return undefined;
  const { version } = plan;
  const blocks = blockPlan(version, level);
  const codewords = interleave(writeData(characters, plan, blocks.dataTotal), blocks);
  const template = templateOf(version);
  const { mask, modules } = chooseMask(placeCodewords(codewords, template), template, level);
  return { size: template.size, dark: unpack(modules, template), version, mask };
}

/**
 * How many bytes of a text each level holds at the most: of a text that is too long its beginning, of one that fits
 * as many as of one kind of characters fit, digits, capitals or others.
 */
export function capacitiesFor(text: string): Record<QrLevel, number> {
  const all = readCharacters(text);
  const capacity = (level: QrLevel) => {
    const held = charactersHeld(all, level);
    return held < all.count
      ? bytesOf(all, held)
      : Math.max(bytesOf(all, held), likeCapacity(all, level));
  };
  return { L: capacity("L"), M: capacity("M"), Q: capacity("Q"), H: capacity("H") };
}

/** How many characters from the beginning of a text the largest symbol holds. */
function charactersHeld(all: Characters, level: QrLevel): number {
  let held = 0;
  let beyond = all.count + 1;
  while (beyond - held > 1) {
    const count = (held + beyond) >> 1;
    if (planSegments({ ...all, count }, level) === undefined) beyond = count;
    else held = count;
  }
  return held;
}

/** Table 7, version 40: characters that the whole text has in common, in one segment. */
function likeCapacity({ modes, offsets, count }: Characters, level: QrLevel): number {
  const common = modes.subarray(0, count).reduce((both, mode) => both & mode, 15);
  const isNumeric = (common & (1 << NUMERIC)) !== 0;
  const mode = isNumeric ? NUMERIC : common & (1 << ALPHANUMERIC) ? ALPHANUMERIC : BYTE;
  const header = 4 + countBits(mode, VERSION_MAX) + (offsets === undefined ? 0 : ECI_BITS);
  const bits = dataBits(VERSION_MAX, level) - header;
  if (mode === BYTE) return bits >> 3;
  if (mode === ALPHANUMERIC) return 2 * Math.floor(bits / 11) + (bits % 11 >= 6 ? 1 : 0);
  return 3 * Math.floor(bits / 10) + (bits % 10 >= 7 ? 2 : bits % 10 >= 4 ? 1 : 0);
}

function bytesOf({ utf8Bytes }: Characters, count: number): number {
  let bytes = 0;
  for (let i = 0; i < count; i++) bytes += utf8Bytes[i] as number;
  return bytes;
}

/** Section 7.4: the segments, the terminator, and padding up to the symbol's capacity. */
function writeData(characters: Characters, plan: Plan, bytes: number): Uint8Array {
  const writer = new BitWriter(bytes);
  if (plan.hasEci) {
    writer.put(7, 4);
    writer.put(26, 8);
  }
  for (const segment of plan.segments) writeSegment(writer, characters, segment, plan.version);
  writer.put(0, Math.min(4, 8 * bytes - writer.length));
  const used = Math.ceil(writer.length / 8);
  for (let i = used; i < bytes; i++) writer.bytes[i] = (i - used) % 2 === 0 ? 0xec : 0x11;
  return writer.bytes;
}

function writeSegment(
  writer: BitWriter,
  all: Characters,
  { mode, from, to }: Segment,
  version: number,
): void {
  const text = sliceOf(all, from, to);
  const bytes = mode === BYTE ? utf8.encode(text) : undefined;
  writer.put(1 << mode, 4);
  writer.put(bytes?.length ?? to - from, countBits(mode, version));
  if (bytes !== undefined) for (const byte of bytes) writer.put(byte, 8);
  else if (mode === NUMERIC) writeDigits(writer, text);
  else if (mode === ALPHANUMERIC) writeAlphanumerics(writer, text);
  else for (const character of text) writer.put(kanjiCode(character) ?? 0, 13);
}

const utf8 = new TextEncoder();

/** Three digits in 10 bits, the last two or one in 7 or 4 (section 7.4.3). */
function writeDigits(writer: BitWriter, text: string): void {
  for (let i = 0; i < text.length; i += 3) {
    const digits = text.slice(i, i + 3);
    writer.put(Number(digits), 1 + 3 * digits.length);
  }
}

/** Two of the 45 characters in 11 bits, the last one in 6 (section 7.4.4). */
function writeAlphanumerics(writer: BitWriter, text: string): void {
  const value = (i: number) => ALPHANUMERIC_CHARACTERS.indexOf(text.charAt(i));
  for (let i = 0; i + 1 < text.length; i += 2) writer.put(45 * value(i) + value(i + 1), 11);
  if (text.length % 2 === 1) writer.put(value(text.length - 1), 6);
}

function placeCodewords(codewords: Uint8Array, template: Template): Int32Array {
  const { dataWords, dataShifts } = template;
  const modules = template.patterns.slice();
  for (let i = 0; i < codewords.length; i++) {
    const codeword = codewords[i] as number;
    // Without a branch on the bit: half of them are set, and no processor can guess which.
    for (let bit = 0; bit < 8; bit++) {
      const at = dataWords[8 * i + bit] as number;
      const dark = (codeword >> (7 - bit)) & 1;
      modules[at] = (modules[at] as number) | (dark << (dataShifts[8 * i + bit] as number));
    }
  }
  return modules;
}

/** Section 7.8.3: the mask with the lowest penalty, the first of several. */
function chooseMask(
  unmasked: Int32Array,
  template: Template,
  level: QrLevel,
): { mask: number; modules: Int32Array } {
  const { formatWords, formatShifts, turnedFormatWords, turnedFormatShifts, masks } = template;
  const turned = transpose(unmasked, template.size, template.words);
  let modules = new Int32Array(unmasked.length);
  let best = new Int32Array(unmasked.length);
  const columns = new Int32Array(unmasked.length);
  let lowest = Infinity;
  let chosen = 0;
  for (let mask = 0; mask < masks.length; mask++) {
    const pattern = masks[mask] as Modules;
    const bits = formatBits(level, mask);
    combine(unmasked, pattern.modules, modules);
    setFormat(modules, bits, formatWords, formatShifts);
    let penalty = penaltyOfRows(modules, template, lowest);
    if (penalty >= lowest) continue;
    combine(turned, pattern.turned, columns);
    setFormat(columns, bits, turnedFormatWords, turnedFormatShifts);
    penalty += penaltyOfColumns(columns, template, lowest - penalty);
    if (penalty >= lowest) continue;
    lowest = penalty;
    chosen = mask;
    [best, modules] = [modules, best];
  }
  return { mask: chosen, modules: best };
}

function combine(modules: Int32Array, mask: Int32Array, target: Int32Array): void {
  for (let i = 0; i < target.length; i++) target[i] = (modules[i] as number) ^ (mask[i] as number);
}

/** Table 12: the indicators of the levels. */
const LEVEL_BITS = { L: 1, M: 0, Q: 3, H: 2 } as const;

/** Section 7.9: level and mask, ten bits of a BCH code, masked so that they are never all light. */
export function formatBits(level: QrLevel, mask: number): number {
  const data = (LEVEL_BITS[level] << 3) | mask;
  let code = data;
  for (let i = 0; i < 10; i++) code = code & 0x200 ? (code << 1) ^ 0x537 : code << 1;
  return ((data << 10) | (code & 0x3ff)) ^ 0x5412;
}

function setFormat(
  modules: Int32Array,
  bits: number,
  words: Uint16Array,
  shifts: Uint8Array,
): void {
  for (let i = 0; i < words.length; i++) {
    if ((bits >> (i >> 1)) & 1) setBit(modules, words[i] as number, shifts[i] as number);
  }
}

function setBit(modules: Int32Array, word: number, shift: number): void {
  modules[word] = (modules[word] as number) | (1 << shift);
}

function unpack(modules: Int32Array, { size, words }: Template): Uint8Array {
  const dark = new Uint8Array(size * size);
  let at = 0;
  for (let y = 0; y < size; y++) {
    for (let word = 0; word < words; word++) {
      let bits = modules[y * words + word] as number;
      const end = Math.min(size, 32 * word + 32);
      for (let x = 32 * word; x < end; x++) {
        dark[at++] = bits & 1;
        bits >>>= 1;
      }
    }
  }
  return dark;
}
