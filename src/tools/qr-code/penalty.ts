import type { Modules, Template } from "./template.ts";

/** The penalties of ISO/IEC 18004, section 7.8.3, table 11. */
const RUN_PENALTY = 3;
const BLOCK_PENALTY = 3;
const FINDER_PENALTY = 40;
const BALANCE_PENALTY = 10;

/**
 * Scores how hard a masked symbol is to read, by the standard's four rules. Stops early once the penalty has reached
 * `bound`.
 *
 * Rule 3 can be interpreted in several ways. Here, dark-light-dark-dark-dark-light-dark with four light modules on one
 * side counts 40, and on both sides 80. Everything outside the symbol is light, because of the quiet zone.
 */
export function penaltyOf({ modules, turned }: Modules, template: Template, bound: number): number {
  let penalty = blockPenalty(modules, template) + balancePenalty(modules, template.size);
  penalty += columnPenalty(modules, template, bound - penalty);
  return penalty + columnPenalty(turned, template, bound - penalty);
}

/** Rule 2: every block of two by two modules of the same color. */
function blockPenalty(modules: Int32Array, { size, words, pairMasks }: Template): number {
  let blocks = 0;
  for (let word = 0; word < words; word++) {
    const hasNext = word + 1 < words;
    let above = 0;
    let pairsAbove = 0;
    for (let y = 0, at = word; y < size; y++, at += words) {
      const now = modules[at] as number;
      const next = (now >>> 1) | (hasNext ? (modules[at + 1] as number) << 31 : 0);
      const pairs = ~(now ^ next) & (pairMasks[word] as number);
      blocks += bitCount(pairs & pairsAbove & ~(now ^ above));
      above = now;
      pairsAbove = pairs;
    }
  }
  return BLOCK_PENALTY * blocks;
}

/** Rules 1 and 3 for the columns, 32 at a time: runs of five or more, and patterns that look like a finder pattern. */
function columnPenalty(
  modules: Int32Array,
  { size, words, rowMasks }: Template,
  bound: number,
): number {
  let penalty = 0;
  for (let word = 0; word < words; word++) {
    // The modules above row `y`, and the runs of two, three and five modules of the same color that end in the rows
    // above it.
    let above1 = modules[word] as number;
    let above2 = 0;
    let above3 = 0;
    let above4 = 0;
    let above5 = 0;
    let above6 = 0;
    let twos = 0;
    let threes = 0;
    let threesAbove = 0;
    let fives = 0;
    for (let y = 1, at = word + words; y < size && penalty < bound; y++, at += words) {
      const now = modules[at] as number;
      const two = ~(now ^ above1) & (rowMasks[word] as number);
      const three = two & twos;
      const five = three & threesAbove;
      // A run of five modules costs three, and each further module one. A run that continues has already cost its
      // three.
      if (five !== 0) penalty += bitCount(five) + (RUN_PENALTY - 1) * bitCount(five & ~fives);
      const finder = now & ~above1 & above2 & above3 & above4 & ~above5 & above6;
      if (finder !== 0) penalty += FINDER_PENALTY * lightSides(finder, modules, at, words);
      above6 = above5;
      above5 = above4;
      above4 = above3;
      above3 = above2;
      above2 = above1;
      above1 = now;
      fives = five;
      threesAbove = threes;
      threes = three;
      twos = two;
    }
  }
  return penalty;
}

/**
 * Counts the finder patterns ending at `at` that have four light modules above them, plus those that have them below.
 */
function lightSides(finder: number, modules: Int32Array, at: number, words: number): number {
  let darkAbove = 0;
  let darkBelow = 0;
  for (let i = 1; i <= 4; i++) {
    const above = at - (6 + i) * words;
    const below = at + i * words;
    if (above >= 0) darkAbove |= modules[above] as number;
    if (below < modules.length) darkBelow |= modules[below] as number;
  }
  return bitCount(finder & ~darkAbove) + bitCount(finder & ~darkBelow);
}

/** Rule 4: ten for every five percentage points by which the share of dark modules differs from one half. */
function balancePenalty(modules: Int32Array, size: number): number {
  let dark = 0;
  for (const word of modules) dark += bitCount(word);
  const all = size * size;
  return BALANCE_PENALTY * Math.floor(Math.abs(20 * dark - 10 * all) / all);
}

function bitCount(word: number): number {
  let n = word - ((word >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
