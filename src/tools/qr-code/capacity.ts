/** Error correction levels (ISO/IEC 18004, section 6.5.1), weakest first. */
export const QR_LEVELS = ["L", "M", "Q", "H"] as const;
export type QrLevel = (typeof QR_LEVELS)[number];

export const VERSION_MAX = 40;

/** The number of modules along a side (section 6.1). */
export const sizeOf = (version: number) => 17 + 4 * version;

/** Table 9: error correction codewords in each block, by version, starting at 1. */
const CHECK_CODEWORDS: Record<QrLevel, readonly number[]> = {
  L: numbers(
    "7 10 15 20 26 18 20 24 30 18 20 24 26 30 22 24 28 30 28 28 28 28 30 30 26 28 30 30 30 30 30 30 30 30 30 30 30 30 30 30",
  ),
  M: numbers(
    "10 16 26 18 24 16 18 22 22 26 30 22 22 24 24 28 28 26 26 26 26 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28",
  ),
  Q: numbers(
    "13 22 18 26 18 24 18 22 20 24 28 26 24 20 30 24 28 28 26 30 28 30 30 30 30 28 30 30 30 30 30 30 30 30 30 30 30 30 30 30",
  ),
  H: numbers(
    "17 28 22 16 22 28 26 26 24 28 24 28 22 24 24 30 28 28 26 28 30 24 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30",
  ),
};

/** Table 9: total number of blocks. */
const BLOCKS: Record<QrLevel, readonly number[]> = {
  L: numbers(
    "1 1 1 1 1 2 2 2 2 4 4 4 4 4 6 6 6 6 7 8 8 9 9 10 12 12 12 13 14 15 16 17 18 19 19 20 21 22 24 25",
  ),
  M: numbers(
    "1 1 1 2 2 4 4 4 5 5 5 8 9 9 10 10 11 13 14 16 17 17 18 20 21 23 25 26 28 29 31 33 35 37 38 40 43 45 47 49",
  ),
  Q: numbers(
    "1 1 2 2 4 4 6 6 8 8 8 10 12 16 12 17 16 18 21 20 23 23 25 27 29 34 34 35 38 40 43 45 48 51 53 56 59 62 65 68",
  ),
  H: numbers(
    "1 1 2 4 4 4 5 6 8 8 11 11 16 16 18 16 19 21 25 25 25 34 30 32 35 37 40 42 45 48 51 54 57 60 63 66 70 74 77 81",
  ),
};

function numbers(list: string): number[] {
  return list.split(" ").map(Number);
}

/** How the codewords of a symbol are split into blocks. The last `longBlocks` blocks have one more data codeword. */
export type BlockPlan = {
  blocks: number;
  longBlocks: number;
  /** Data codewords of a short block. */
  dataCodewords: number;
  checkCodewords: number;
  /** The data codewords of all blocks, and all codewords. */
  dataTotal: number;
  total: number;
};

export function blockPlan(version: number, level: QrLevel): BlockPlan {
  const blocks = BLOCKS[level][version - 1] as number;
  const checkCodewords = CHECK_CODEWORDS[level][version - 1] as number;
  const total = dataModules(version) >> 3;
  const dataTotal = total - blocks * checkCodewords;
  const dataCodewords = Math.floor(dataTotal / blocks);
  return {
    blocks,
    longBlocks: dataTotal % blocks,
    dataCodewords,
    checkCodewords,
    dataTotal,
    total,
  };
}

/** The number of data bits that a symbol holds, including mode indicators. */
export function dataBits(version: number, level: QrLevel): number {
  return 8 * blockPlan(version, level).dataTotal;
}

/** The modules that are neither function patterns nor format or version information (table 1, column D). */
function dataModules(version: number): number {
  const size = sizeOf(version);
  // Three finder patterns with their separators, two timing patterns, twice the format information, the dark module.
  let modules = size * size - 3 * 64 - 2 * (size - 16) - 2 * 15 - 1;
  if (version > 1) {
    const perSide = Math.floor(version / 7) + 2;
    // Alignment patterns, except in the three corners. Each one on a timing pattern shares five modules with it.
    modules -= 25 * (perSide * perSide - 3) - 5 * 2 * (perSide - 2);
  }
  if (version >= 7) modules -= 2 * 18;
  return modules;
}
