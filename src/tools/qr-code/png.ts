import { addToCrc32, CRC32_START, endCrc32 } from "#crc32.ts";
import { BLACK, channelsOf, TRANSPARENT, WHITE } from "./colors.ts";
import { deflateRepeatedRows } from "./deflate-rows.ts";
import { deflateRuns } from "./deflate-runs.ts";
import type { QrLayout } from "./draw.ts";
import type { QrSymbol } from "./encode-qr.ts";

/**
 * Writes a symbol as a PNG (W3C PNG, third edition) with one bit per pixel: grayscale for black modules on white, otherwise
 * with a palette. With a transparent background it has one byte per pixel, because pdfkit 0.20.2, pdfmake 0.3.11 and
 * react-pdf 4.9.0 draw nothing of a palette with alpha that has fewer bits.
 */
export function writeQrPng(
  symbol: QrSymbol,
  layout: QrLayout,
  { dark = BLACK, light = WHITE } = {},
): Uint8Array {
  const palette = paletteOf(dark, light);
  return light === TRANSPARENT
    ? assemble(layout.width, 8, palette, dataInBytes(symbol, layout))
    : assemble(layout.width, 1, palette, dataInBits(symbol, layout));
}

/** A row of modules is drawn once, however many rows of pixels it fills. */
function dataInBits(symbol: QrSymbol, { width, scale, offset }: QrLayout): Uint8Array {
  const { size } = symbol;
  // A row is a filter byte (0: none), then the pixels, the first one in the highest bit; 1 is light.
  const rowBytes = 1 + Math.ceil(width / 8);
  const rows = new Uint8Array((size + 2) * rowBytes);
  const repeats = new Uint32Array(size + 2).fill(scale);
  repeats[0] = offset;
  repeats[size + 1] = width - offset - size * scale;
  for (let row = 0; row < size + 2; row++) {
    const pixels = rows.subarray(row * rowBytes + 1, (row + 1) * rowBytes).fill(0xff);
    if (row > 0 && row <= size) drawModules(symbol, row - 1, scale, offset, pixels);
    // The bits after the last pixel are unspecified; other writers leave them zero too.
    if (width % 8 > 0) {
      const last = pixels.length - 1;
      pixels[last] = (pixels[last] as number) & (0xff00 >> (width % 8));
    }
  }
  return deflateRepeatedRows(rows, rowBytes, repeats);
}

/** A row of modules is a row of pixels, and rows of zeros with the filter Up (2), which repeat the one above. */
function dataInBytes({ size, dark }: QrSymbol, { width, scale, offset }: QrLayout): Uint8Array {
  const rowBytes = 1 + width;
  const rows = new Uint8Array(2 * (size + 2) * rowBytes);
  const repeats = new Uint32Array(2 * (size + 2));
  for (let row = 0; row < size + 2; row++) {
    const isInside = row > 0 && row <= size;
    const height = isInside ? scale : row === 0 ? offset : width - offset - size * scale;
    if (height === 0) continue;
    repeats.set([1, height - 1], 2 * row);
    const at = 2 * row * rowBytes;
    const pixels = rows.subarray(at + 1, at + rowBytes).fill(1);
    rows[at + rowBytes] = 2;
    if (!isInside) continue;
    for (let x = 0; x < size; x++) {
      const start = offset + x * scale;
      if (dark[(row - 1) * size + x] === 1) pixels.fill(0, start, start + scale);
    }
  }
  return deflateRuns(rows, rowBytes, repeats);
}

function drawModules(
  { size, dark }: QrSymbol,
  y: number,
  scale: number,
  offset: number,
  pixels: Uint8Array,
): void {
  for (let x = 0; x < size; x++) {
    if (dark[y * size + x] === 0) continue;
    const start = x;
    while (x < size && dark[y * size + x] === 1) x++;
    blacken(pixels, offset + start * scale, offset + x * scale);
  }
}

/** Clears the bits of the pixels from `start` to before `end`. */
function blacken(pixels: Uint8Array, start: number, end: number): void {
  const first = start >> 3;
  const last = end >> 3;
  const before = ~(0xff >> (start & 7));
  const after = 0xff >> (end & 7);
  if (first === last) {
    pixels[first] = (pixels[first] as number) & (before | after);
    return;
  }
  pixels[first] = (pixels[first] as number) & before;
  for (let i = first + 1; i < last; i++) pixels[i] = 0;
  if (last < pixels.length) pixels[last] = (pixels[last] as number) & after;
}

type Chunk = [type: string, body: Uint8Array];

/** The colors of the pixels 0 and 1 (section 11.2.2) and their alpha (section 11.3.1.1); nothing for black on white. */
function paletteOf(dark: string, light: string): Chunk[] {
  if (dark === BLACK && light === WHITE) return [];
  const colors = Uint8Array.of(...channelsOf(dark), ...channelsOf(light));
  if (light !== TRANSPARENT) return [["PLTE", colors]];
  return [
    ["PLTE", colors],
    ["tRNS", Uint8Array.of(255, 0)],
  ];
}

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

function assemble(width: number, bitDepth: number, palette: Chunk[], data: Uint8Array): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, width);
  header[8] = bitDepth;
  // Color type (grayscale; 3 has a palette), compression, filter and interlace methods are all 0.
  if (palette.length > 0) header[9] = 3;
  const chunks: Chunk[] = [
    ["IHDR", header],
    ...palette,
    ["IDAT", data],
    ["IEND", new Uint8Array(0)],
  ];
  const length = chunks.reduce((sum, [, body]) => sum + 12 + body.length, SIGNATURE.length);
  const png = new Uint8Array(length);
  png.set(SIGNATURE);
  let at = SIGNATURE.length;
  for (const [type, body] of chunks) at = writeChunk(png, at, type, body);
  return png;
}

/** Writes length, type, data, and the checksum of type and data (section 5.3). Returns where the next chunk starts. */
function writeChunk(png: Uint8Array, at: number, type: string, body: Uint8Array): number {
  const view = new DataView(png.buffer);
  view.setUint32(at, body.length);
  for (let i = 0; i < 4; i++) png[at + 4 + i] = type.charCodeAt(i);
  png.set(body, at + 8);
  const end = at + 8 + body.length;
  view.setUint32(end, crc32(png, at + 4, end));
  return end + 4;
}

function crc32(bytes: Uint8Array, start: number, end: number): number {
  let crc = CRC32_START;
  for (let i = start; i < end; i++) crc = addToCrc32(crc, bytes[i] as number);
  return endCrc32(crc);
}
