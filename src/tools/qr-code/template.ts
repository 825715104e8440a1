import { type QrLevel, sizeOf } from "./capacity.ts";
import { transpose } from "./transpose.ts";

/**
 * Modules as bits of 32-bit words, so that penalties are counted for 32 modules at a time. A row has `words` words,
 * with the leftmost module in the lowest bit; 1 is dark.
 */
export type Modules = {
  modules: Int32Array;
  /** The same, transposed, so that the same code counts the penalties of rows and columns. */
  turned: Int32Array;
};

export type Template = {
  size: number;
  words: number;
  /** The function patterns; format information and data are still light. */
  patterns: Int32Array;
  /** Where each data bit goes: its word, and its position in the word (ISO/IEC 18004, section 7.7.3). */
  dataWords: Uint16Array;
  dataShifts: Uint8Array;
  /** The eight masks for the data modules (section 7.8.2), each with its format information. */
  masks: readonly Modules[];
  /** For each word of a row: the modules that are in the symbol, and those that have a right neighbor. */
  rowMasks: Int32Array;
  pairMasks: Int32Array;
  /** Buffers for the current symbol. They are reused, because allocating them takes longer than filling them. */
  buffers: { unmasked: Modules; masked: Modules };
};

const templates = new Map<string, Template>();

/** Returns what all symbols of a version and level share. Templates are cached. */
export function templateOf(version: number, level: QrLevel): Template {
  const key = level + version;
  const known = templates.get(key);
  if (known !== undefined) return known;
  const template = makeTemplate(version, level);
  templates.set(key, template);
  return template;
}

function makeTemplate(version: number, level: QrLevel): Template {
  const size = sizeOf(version);
  const words = Math.ceil(size / 32);
  const patterns = new Int32Array(size * words);
  /** 1 for every module that is not for data. */
  const taken = new Uint8Array(size * size);
  const set = (x: number, y: number, isDark: boolean) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    taken[y * size + x] = 1;
    const at = y * words + (x >> 5);
    const bit = 1 << (x & 31);
    patterns[at] = isDark ? (patterns[at] as number) | bit : (patterns[at] as number) & ~bit;
  };
  drawFixed(size, set);
  drawAlignment(version, size, set);
  if (version >= 7) drawVersion(version, size, set);
  const places = dataPlaces(size, taken);
  const wordOf = ({ x, y }: Place) => y * words + (x >> 5);
  const shiftOf = ({ x }: Place) => x & 31;
  const format = formatPlaces(size);
  const newModules = (): Modules => ({
    modules: new Int32Array(size * words),
    turned: new Int32Array(size * words),
  });
  const masks = MASKS.map((inverts, index) => {
    const mask = newModules();
    const invert = (place: Place) => {
      const at = wordOf(place);
      mask.modules[at] = (mask.modules[at] as number) ^ (1 << shiftOf(place));
    };
    for (const place of places) if (inverts(place.x, place.y)) invert(place);
    const bits = formatBits(level, index);
    for (const [i, place] of format.entries()) if ((bits >> (i >> 1)) & 1) invert(place);
    transpose(mask.modules, mask.turned, size, words);
    return mask;
  });
  const wordMasks = (count: number) =>
    Int32Array.from({ length: words }, (_, word) => firstBits(count - 32 * word));
  return {
    size,
    words,
    patterns,
    masks,
    rowMasks: wordMasks(size),
    pairMasks: wordMasks(size - 1),
    dataWords: Uint16Array.from(places, wordOf),
    dataShifts: Uint8Array.from(places, shiftOf),
    buffers: { unmasked: newModules(), masked: newModules() },
  };
}

/** Returns a word whose `count` lowest bits are set. */
function firstBits(count: number): number {
  return count >= 32 ? -1 : count <= 0 ? 0 : (1 << count) - 1;
}

type Place = { x: number; y: number };
type SetModule = (x: number, y: number, isDark: boolean) => void;

/**
 * Draws timing patterns, finder patterns with their separators, space for the format information, and the dark module.
 */
function drawFixed(size: number, set: SetModule): void {
  for (let i = 0; i < size; i++) {
    set(6, i, i % 2 === 0);
    set(i, 6, i % 2 === 0);
  }
  for (const [cx, cy] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    drawRings(cx, cy, 4, (ring) => ring !== 2 && ring !== 4, set);
  }
  for (const { x, y } of formatPlaces(size)) set(x, y, false);
  set(8, size - 8, true);
}

/** Draws concentric squares around a center up to `radius`, dark or light by their distance. */
function drawRings(
  cx: number,
  cy: number,
  radius: number,
  isDark: (ring: number) => boolean,
  set: SetModule,
): void {
  for (let dy = -radius; dy <= radius; dy++) {
    for (let dx = -radius; dx <= radius; dx++) {
      set(cx + dx, cy + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
    }
  }
}

function drawAlignment(version: number, size: number, set: SetModule): void {
  const centres = alignmentCentres(version, size);
  const last = centres.length - 1;
  centres.forEach((y, row) => {
    centres.forEach((x, column) => {
      const isCorner =
        (row === 0 && (column === 0 || column === last)) || (row === last && column === 0);
      if (!isCorner) drawRings(x, y, 2, (ring) => ring !== 1, set);
    });
  });
}

/**
 * Annex E: from 6 to 7 modules before the edge, evenly spaced from the end. Version 32 is an exception in the table.
 */
function alignmentCentres(version: number, size: number): number[] {
  if (version === 1) return [];
  const gaps = Math.floor(version / 7) + 1;
  const step = version === 32 ? 26 : 2 * Math.ceil((size - 13) / (2 * gaps));
  const centres = [6];
  for (let i = gaps - 1; i >= 0; i--) centres.push(size - 7 - i * step);
  return centres;
}

/** Section 7.10: six bits for the version and twelve for a Golay code, drawn twice. */
function drawVersion(version: number, size: number, set: SetModule): void {
  let code = version;
  for (let i = 0; i < 12; i++) code = code & 0x800 ? (code << 1) ^ 0x1f25 : code << 1;
  const bits = (version << 12) | (code & 0xfff);
  for (let i = 0; i < 18; i++) {
    const isDark = ((bits >> i) & 1) === 1;
    const along = Math.floor(i / 3);
    const across = size - 11 + (i % 3);
    set(across, along, isDark);
    set(along, across, isDark);
  }
}

/** Table 12: the indicators of the levels. */
const LEVEL_BITS = { L: 1, M: 0, Q: 3, H: 2 } as const;

/** Section 7.9: level, mask and ten bits of a BCH code, XORed with a mask so that they are never all light. */
function formatBits(level: QrLevel, mask: number): number {
  const data = (LEVEL_BITS[level] << 3) | mask;
  let code = data;
  for (let i = 0; i < 10; i++) code = code & 0x200 ? (code << 1) ^ 0x537 : code << 1;
  return ((data << 10) | (code & 0x3ff)) ^ 0x5412;
}

/** Section 7.9.1: the two positions of each bit of the format information, lowest bit first. */
function formatPlaces(size: number): Place[] {
  const places: Place[] = [];
  for (let i = 0; i < 15; i++) {
    // Around the upper left finder pattern, skipping the timing patterns.
    if (i < 8) places.push({ x: 8, y: i < 6 ? i : i + 1 });
    else places.push({ x: i === 8 ? 7 : 14 - i, y: 8 });
    // Below the upper right finder pattern, and beside the lower left one.
    places.push(i < 8 ? { x: size - 1 - i, y: 8 } : { x: 8, y: size - 15 + i });
  }
  return places;
}

/**
 * Section 7.7.3: two columns at a time, starting at the right, alternately up and down, skipping the vertical timing
 * pattern.
 */
function dataPlaces(size: number, taken: Uint8Array): Place[] {
  const places: Place[] = [];
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right--;
    for (let i = 0; i < size; i++) {
      const y = isUp ? size - 1 - i : i;
      for (const x of [right, right - 1]) if (taken[y * size + x] === 0) places.push({ x, y });
    }
    isUp = !isUp;
  }
  return places;
}

/** Table 10. */
const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];
