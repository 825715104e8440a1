import { blockPlan, dataBits, type QrLevel, VERSION_MAX } from "./capacity.ts";
import { interleave } from "./error-correction.ts";
import { kanjiCode } from "./kanji.ts";
import { penaltyOf } from "./penalty.ts";
import {
  ALPHANUMERIC,
  ALPHANUMERIC_CHARACTERS,
  BYTE,
  bitsOfBeginnings,
  type Characters,
  countBits,
  type Eci,
  NUMERIC,
  type Plan,
  planSegments,
  readBytes,
  readCharacters,
  type Segment,
  sliceOf,
} from "./segments.ts";
import { type Modules, type Template, templateOf } from "./template.ts";
import { transpose } from "./transpose.ts";

/** The modules of a symbol without its quiet zone, row by row: 1 is dark. */
export type QrSymbol = { size: number; dark: Uint8Array; version: number; mask: number };

/**
 * The QR engine (ISO/IEC 18004, model 2): returns the smallest symbol for a text or bytes at `level`, or undefined if they
 * fit in none. The same content always gives the same modules. Bytes are one byte segment without an ECI header.
 */
export function encodeQr(
  content: string | Uint8Array,
  level: QrLevel,
  eci: Eci = "auto",
): QrSymbol | undefined {
  const characters = readContent(content);
  const plan = planSegments(characters, level, eci);
  if (plan === undefined) return undefined;
  const { version } = plan;
  const blocks = blockPlan(version, level);
  const codewords = interleave(writeData(characters, plan, blocks.dataTotal), blocks);
  const template = templateOf(version, level);
  placeCodewords(codewords, template);
  const mask = chooseMask(template);
  applyMask(template, mask);
  return {
    size: template.size,
    dark: unpack(template.buffers.masked.modules, template),
    version,
    mask,
  };
}

const readContent = (content: string | Uint8Array): Characters =>
  typeof content === "string" ? readCharacters(content) : readBytes(content);

/** Returns how many bytes of the beginning, in whole characters, the largest symbol of each level holds. */
export function capacitiesFor(
  content: string | Uint8Array,
  eci: Eci = "auto",
): Record<QrLevel, number> {
  const all = readContent(content);
  const bits = bitsOfBeginnings(all, eci);
  const capacity = (level: QrLevel) => {
    const most = dataBits(VERSION_MAX, level);
    let bytes = 0;
    for (let i = 0; i < all.count && (bits[i] as number) <= most; i++) {
      bytes += all.utf8Bytes[i] as number;
    }
    return bytes;
  };
  return { L: capacity("L"), M: capacity("M"), Q: capacity("Q"), H: capacity("H") };
}

/** Writes bits into bytes, most significant bit first (ISO/IEC 18004, section 7.4.10). */
class BitWriter {
  readonly bytes: Uint8Array;
  length = 0;

  constructor(bytes: number) {
    this.bytes = new Uint8Array(bytes);
  }

  /** Writes the lowest `count` bits of `value`, at most 16. */
  put(value: number, count: number): void {
    let left = count;
    while (left > 0) {
      const free = 8 - (this.length & 7);
      const taken = Math.min(free, left);
      const bits = (value >> (left - taken)) & ((1 << taken) - 1);
      const at = this.length >> 3;
      this.bytes[at] = (this.bytes[at] as number) | (bits << (free - taken));
      this.length += taken;
      left -= taken;
    }
  }
}

/** Section 7.4: writes the segments, the terminator, and padding up to the symbol's capacity. */
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
  const isAscii = all.offsets === undefined;
  const bytes = mode === BYTE && !isAscii ? utf8.encode(text) : undefined;
  writer.put(1 << mode, 4);
  writer.put(bytes?.length ?? to - from, countBits(mode, version));
  if (bytes !== undefined) for (const byte of bytes) writer.put(byte, 8);
  else if (mode === BYTE) writeAscii(writer, text);
  else if (mode === NUMERIC) writeDigits(writer, text);
  else if (mode === ALPHANUMERIC) writeAlphanumerics(writer, text);
  else for (const character of text) writer.put(kanjiCode(character) ?? 0, 13);
}

const utf8 = new TextEncoder();

function writeAscii(writer: BitWriter, text: string): void {
  for (let i = 0; i < text.length; i++) writer.put(text.charCodeAt(i), 8);
}

/** Three digits take 10 bits; two or one at the end take 7 or 4 (section 7.4.3). */
function writeDigits(writer: BitWriter, text: string): void {
  for (let i = 0; i < text.length; i += 3) {
    const digits = text.slice(i, i + 3);
    writer.put(Number(digits), 1 + 3 * digits.length);
  }
}

/** Two of the 45 characters take 11 bits; one at the end takes 6 (section 7.4.4). */
function writeAlphanumerics(writer: BitWriter, text: string): void {
  const value = (i: number) => ALPHANUMERIC_CHARACTERS.indexOf(text.charAt(i));
  for (let i = 0; i + 1 < text.length; i += 2) writer.put(45 * value(i) + value(i + 1), 11);
  if (text.length % 2 === 1) writer.put(value(text.length - 1), 6);
}

/** Writes the unmasked symbol into `template.buffers`. */
function placeCodewords(codewords: Uint8Array, template: Template): void {
  const { dataWords, dataShifts, buffers, size, words } = template;
  const { modules, turned } = buffers.unmasked;
  modules.set(template.patterns);
  for (let i = 0; i < codewords.length; i++) {
    const codeword = codewords[i] as number;
    // The code does not branch on the bit, because branch prediction fails for half of the bits.
    for (let bit = 0; bit < 8; bit++) {
      const at = dataWords[8 * i + bit] as number;
      const dark = (codeword >> (7 - bit)) & 1;
      modules[at] = (modules[at] as number) | (dark << (dataShifts[8 * i + bit] as number));
    }
  }
  transpose(modules, turned, size, words);
}

/** Section 7.8.3: chooses the mask with the lowest penalty; the first one, if several have it. */
function chooseMask(template: Template): number {
  const { masks, buffers } = template;
  let lowest = Infinity;
  let chosen = 0;
  for (let mask = 0; mask < masks.length; mask++) {
    applyMask(template, mask);
    const penalty = penaltyOf(buffers.masked, template, lowest);
    if (penalty >= lowest) continue;
    lowest = penalty;
    chosen = mask;
  }
  return chosen;
}

function applyMask({ masks, buffers: { unmasked, masked } }: Template, index: number): void {
  const mask = masks[index] as Modules;
  combine(unmasked.modules, mask.modules, masked.modules);
  combine(unmasked.turned, mask.turned, masked.turned);
}

function combine(modules: Int32Array, mask: Int32Array, target: Int32Array): void {
  for (let i = 0; i < target.length; i++) target[i] = (modules[i] as number) ^ (mask[i] as number);
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
