import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import jsqr from "jsqr";
import { _alignmentPatterns, _BYTES, _ECC_BLOCKS, _WORDS_PER_BLOCK } from "qr";
import { decodeQR } from "qr/decode.js";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";
import type { QrLevel } from "#tools/qr-code/capacity.ts";
import type { QrSymbol } from "#tools/qr-code/encode-qr.ts";
import type { Colors, Picture } from "../read-qr.ts";

/** QR code readers that share no code with ours or each other. They take pixels and return the text, or undefined. */

// Passed as bytes, because the library would otherwise fetch them over the network.
const wasm = readFileSync(new URL(import.meta.resolve("zxing-wasm/reader/zxing_reader.wasm")));
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer } });

/** RGBA pixels, as all three readers take them. */
export type Pixels = { width: number; height: number; data: Uint8ClampedArray<ArrayBuffer> };

/** The picture in its colors, on a page of its light color (white for none) that is `margin` pixels wider on each side. */
export function printInColor(
  { width, height, dark, colors }: Picture & { colors: Colors },
  margin: number,
): Pixels {
  const [w, h] = [width + 2 * margin, height + 2 * margin];
  const data = new Uint8ClampedArray(4 * w * h).fill(255);
  const ink = colors.dark.slice(0, 3);
  if (colors.light[3] === 255) {
    for (let at = 0; at < data.length; at += 4) data.set(colors.light, at);
  }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (dark[y * width + x] === 1) data.set(ink, 4 * ((y + margin) * w + x + margin));
    }
  }
  return { width: w, height: h, data };
}

/** Every pixel of the picture as `scale` by `scale` pixels. */
export function enlarge({ width, height, dark }: Picture, scale = 1): Pixels {
  const [w, h] = [width * scale, height * scale];
  // Four bytes a pixel, alpha the highest: opaque white, then opaque black.
  const pixels = new Uint32Array(w * h).fill(0xffffffff);
  for (let y = 0; y < height; y++) {
    const row = y * scale * w;
    for (let x = 0; x < width; x++) {
      if (dark[y * width + x] === 1)
        pixels.fill(0xff000000, row + x * scale, row + (x + 1) * scale);
    }
    for (let copy = 1; copy < scale; copy++) pixels.copyWithin(row + copy * w, row, row + w);
  }
  return { width: w, height: h, data: new Uint8ClampedArray(pixels.buffer) };
}

/** The modules with a quiet zone of four. */
export function pictureOf({ size, dark }: QrSymbol): Picture {
  const width = size + 8;
  const picture = { width, height: width, dark: new Uint8Array(width * width) };
  for (let y = 0; y < size; y++) {
    picture.dark.set(dark.subarray(y * size, (y + 1) * size), (y + 4) * width + 4);
  }
  return picture;
}

/** Called as an application would, without a hint at the encoding. */
export async function readWithZxing({ width, height, data }: Pixels): Promise<string | undefined> {
  const image = { width, height, data, colorSpace: "srgb" } as const;
  const found = await readBarcodes(image, {
    formats: ["QRCode"],
    textMode: "Plain",
    maxNumberOfSymbols: 1,
  });
  return found.find(({ isValid }) => isValid)?.text;
}

export function readWithJsqr({ width, height, data }: Pixels): string | undefined {
  return jsqr.default(data, width, height, { inversionAttempts: "dontInvert" })?.data;
}

/** The modes of the segments, in order. */
export function modesByJsqr({ width, height, data }: Pixels): string[] {
  const chunks = jsqr.default(data, width, height, { inversionAttempts: "dontInvert" })?.chunks;
  return (chunks ?? []).map(({ type }) => type);
}

/** The decoder of the library `qr`, which throws if it finds no code. */
export function readWithQr(pixels: Pixels): string | undefined {
  try {
    return decodeQR(pixels);
  } catch {
    return undefined;
  }
}

/** A reader of modules, written directly from the standard. It corrects nothing, and reports what the others do not. */
export type Raw = {
  version: number;
  level: QrLevel;
  mask: number;
  codewords: number[];
  data: number[];
  segments: { mode: string; count: number }[];
  /** Of all segments with their headers, an ECI header included. */
  bits: number;
};

/** With the names of the library `qr`, from which these tables come. */
const LEVEL_NAMES = { L: "low", M: "medium", Q: "quartile", H: "high" } as const;

/** ISO/IEC 18004, table 9, from the library `qr`: codewords in all, blocks, check codewords in each. */
export function blockTable(version: number, level: QrLevel) {
  const name = LEVEL_NAMES[level];
  const at = version - 1;
  const [total, blocks, check] = [_BYTES[at], _ECC_BLOCKS[name][at], _WORDS_PER_BLOCK[name][at]];
  assert.ok(total !== undefined && blocks !== undefined && check !== undefined);
  return { total, blocks, check, data: total - blocks * check };
}

/** Section 7.9.1: the two copies of the format information, the highest bit first. */
export function formatCopies({ size, dark }: QrSymbol): [number, number] {
  const at = (x: number, y: number) => dark[y * size + x] as number;
  const left = [0, 1, 2, 3, 4, 5, 7, 8].map((x) => at(x, 8));
  const up = [7, 5, 4, 3, 2, 1, 0].map((y) => at(8, y));
  const below = [1, 2, 3, 4, 5, 6, 7].map((i) => at(8, size - i));
  const right = [8, 7, 6, 5, 4, 3, 2, 1].map((i) => at(size - i, 8));
  return [toNumber([...left, ...up]), toNumber([...below, ...right])];
}

export const toNumber = (bits: readonly number[]) => Number.parseInt(bits.join(""), 2);

/** Table 10, by row `i` and column `j` as it is printed there. */
export const MASK_CONDITIONS: readonly ((i: number, j: number) => boolean)[] = [
  (i, j) => (i + j) % 2 === 0,
  (i) => i % 2 === 0,
  (_, j) => j % 3 === 0,
  (i, j) => (i + j) % 3 === 0,
  (i, j) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2 === 0,
  (i, j) => ((i * j) % 2) + ((i * j) % 3) === 0,
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2 === 0,
  (i, j) => (((i + j) % 2) + ((i * j) % 3)) % 2 === 0,
];

/** Section 7.7.3: the modules of the codewords, bit by bit. */
export function dataModules(version: number): { x: number; y: number }[] {
  const size = 17 + 4 * version;
  const centres = version === 1 ? [] : _alignmentPatterns(version);
  const isAligned = (x: number, y: number) =>
    centres.some((cx) =>
      centres.some((cy) => {
        const isFinder =
          (cx === 6 && cy === 6) || (cx === 6 && cy > size - 9) || (cy === 6 && cx > size - 9);
        return !isFinder && Math.abs(cx - x) <= 2 && Math.abs(cy - y) <= 2;
      }),
    );
  const isFunction = (x: number, y: number) =>
    (x < 9 && y < 9) ||
    (x >= size - 8 && y < 9) ||
    (x < 9 && y >= size - 8) ||
    x === 6 ||
    y === 6 ||
    (version >= 7 && ((x >= size - 11 && y < 6) || (x < 6 && y >= size - 11))) ||
    isAligned(x, y);
  const rows = Array.from({ length: size }, (_, y) => y);
  const columns = Array.from({ length: (size - 1) / 2 }, (_, pair) => size - 1 - 2 * pair);
  return columns
    .flatMap((right, pair) =>
      (pair % 2 === 0 ? rows.toReversed() : rows).flatMap((y) =>
        // Left of the vertical timing pattern, all columns are shifted by one.
        [0, 1].map((i) => ({ x: right - i - (right <= 6 ? 1 : 0), y })),
      ),
    )
    .filter(({ x, y }) => !isFunction(x, y));
}

export function readRaw(symbol: QrSymbol): Raw {
  const { size, dark } = symbol;
  const version = (size - 17) / 4;
  const format = formatCopies(symbol)[0] ^ 0b101010000010010;
  const level = (["M", "L", "H", "Q"] as const)[format >> 13] as QrLevel;
  const mask = (format >> 10) & 7;
  const inverts = MASK_CONDITIONS[mask] as (i: number, j: number) => boolean;
  const bits = dataModules(version).map(
    ({ x, y }) => (dark[y * size + x] as number) ^ (inverts(y, x) ? 1 : 0),
  );
  const { total } = blockTable(version, level);
  const codewords = Array.from({ length: total }, (_, i) => toNumber(bits.slice(8 * i, 8 * i + 8)));
  const data = blocksOf(codewords, version, level).flatMap((block) => block.data);
  return { version, level, mask, codewords, data, ...readSegments(data, version) };
}

/** Section 7.6: undoes the interleaving of blocks. */
export function blocksOf(codewords: readonly number[], version: number, level: QrLevel) {
  const { data: dataTotal, blocks, check } = blockTable(version, level);
  const short = Math.floor(dataTotal / blocks);
  const shortBlocks = blocks - (dataTotal % blocks);
  return Array.from({ length: blocks }, (_, block) => {
    const data = codewords.slice(0, short * blocks).filter((_, i) => i % blocks === block);
    if (block >= shortBlocks) data.push(codewords[short * blocks + block - shortBlocks] as number);
    return {
      data,
      check: codewords
        .slice(dataTotal)
        .filter((_, i) => i % blocks === block)
        .slice(0, check),
    };
  });
}

/** Section 7.4: modes and their counts, up to the terminator. */
function readSegments(data: readonly number[], version: number): Pick<Raw, "segments" | "bits"> {
  const all = data.map((codeword) => codeword.toString(2).padStart(8, "0")).join("");
  const band = version < 10 ? 0 : version < 27 ? 1 : 2;
  const segments: Raw["segments"] = [];
  let at = 0;
  const take = (bits: number) => {
    at += bits;
    return Number.parseInt(all.slice(at - bits, at), 2);
  };
  for (;;) {
    const start = at;
    const mode = all.length - at < 4 ? 0 : take(4);
    if (mode === 0) return { segments, bits: start };
    if (mode === 7) {
      segments.push({ mode: "ECI", count: take(8) });
      continue;
    }
    const kind = SEGMENT_KINDS[mode];
    assert.ok(kind !== undefined, `mode ${mode}`);
    const count = take(kind.countBits[band] as number);
    segments.push({ mode: kind.name, count });
    at += kind.bits(count);
  }
}

/** Tables 2 and 3, and section 7.4: bits of `count` characters. */
export const SEGMENT_KINDS: Record<
  number,
  { name: string; countBits: readonly number[]; bits(count: number): number }
> = {
  1: {
    name: "numeric",
    countBits: [10, 12, 14],
    bits: (n) => 10 * Math.floor(n / 3) + ([0, 4, 7][n % 3] as number),
  },
  2: {
    name: "alphanumeric",
    countBits: [9, 11, 13],
    bits: (n) => 11 * Math.floor(n / 2) + 6 * (n % 2),
  },
  4: { name: "byte", countBits: [8, 16, 16], bits: (n) => 8 * n },
  8: { name: "Kanji", countBits: [8, 10, 12], bits: (n) => 13 * n },
};
