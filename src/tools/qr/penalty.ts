import type { Template } from "#tools/qr/template.ts";

/** The penalties of ISO/IEC 18004, section 7.8.3, table 11. */
const RUN_PENALTY = 3;
const BLOCK_PENALTY = 3;
const FINDER_PENALTY = 40;
const BALANCE_PENALTY = 10;

/**
 * How hard a masked symbol is to read, by the standard's four rules: rules 1 and 3 for its rows, and rule 2. From
 * `bound` on it ends as soon as that is certain.
 *
 * Rule 3 can be read in several ways. Here: dark-light-dark-dark-dark-light-dark with four light modules on one side
 * counts 40, on both sides 80; outside of the symbol all is light, because a reader meets the quiet zone there.
 */
export function penaltyOfRows(modules: Int32Array, template: Template, bound: number): number {
  const penalty = linePenalty(modules, template, bound);
  return penalty < bound ? penalty + blockPenalty(modules, template) : penalty;
}

/** The rest: rules 1 and 3 for the columns, given as rows, and rule 4. */
export function penaltyOfColumns(turned: Int32Array, template: Template, bound: number): number {
  const penalty = linePenalty(turned, template, bound);
  return penalty < bound ? penalty + balancePenalty(turned, template.size) : penalty;
}

/** Rule 2: each square of two by two modules of one colour. */
function blockPenalty(modules: Int32Array, { size, words, pairMasks }: Template): number {
  let blocks = 0;
  const pairWords = Math.ceil((size - 1) / 32);
  for (let y = 0; y < size - 1; y++) {
    for (let word = 0; word < pairWords; word++) {
      const at = y * words + word;
      const upper = modules[at] as number;
      const lower = modules[at + words] as number;
      const hasNext = word + 1 < words;
      const upperNext = (upper >>> 1) | (hasNext ? (modules[at + 1] as number) << 31 : 0);
      const lowerNext = (lower >>> 1) | (hasNext ? (modules[at + words + 1] as number) << 31 : 0);
      const differs = (upper ^ lower) | (upper ^ upperNext) | (lower ^ lowerNext);
      blocks += bitCount(~differs & (pairMasks[word] as number));
    }
  }
  return BLOCK_PENALTY * blocks;
}

/** Rules 1 and 3 for the rows: runs of five and more, and what looks like a finder pattern. Ends at `bound`. */
function linePenalty(
  modules: Int32Array,
  { size, words, pairMasks }: Template,
  bound: number,
): number {
  let penalty = 0;
  const lastWord = words - 1;
  // A run begins at least five modules before the edge, a finder seven: many a last word is too short for them.
  const runWords = Math.ceil((size - 4) / 32);
  const finderWords = Math.ceil((size - 6) / 32);
  for (let y = 0; y < size && penalty < bound; y++) {
    let word0 = 0;
    let word1 = modules[y * words] as number;
    let word2 = lastWord > 0 ? (modules[y * words + 1] as number) : 0;
    let same = sameAsNext(word1, word2) & (pairMasks[0] as number);
    let lastStart = 0;
    for (let word = 0; word < runWords; word++) {
      const word3 = word + 1 < lastWord ? (modules[y * words + word + 2] as number) : 0;
      const sameNext =
        word < lastWord ? sameAsNext(word2, word3) & (pairMasks[word + 1] as number) : 0;
      // Four of these in a row are five modules of one colour.
      const pair = same & ((same >>> 1) | (sameNext << 31));
      const pairNext = sameNext & (sameNext >>> 1);
      const starts = pair & ((pair >>> 2) | (pairNext << 30));
      if (starts !== 0) {
        // Five modules cost three, each one more another one: a run that goes on has a start before it.
        const first = starts & ~((starts << 1) | lastStart);
        penalty += bitCount(starts) + (RUN_PENALTY - 1) * bitCount(first);
      }
      lastStart = starts >>> 31;
      if (word < finderWords) penalty += FINDER_PENALTY * finders(word0, word1, word2);
      word0 = word1;
      word1 = word2;
      word2 = word3;
      same = sameNext;
    }
  }
  return penalty;
}

/** A bit where a module and the next one have one colour. */
function sameAsNext(word: number, behind: number): number {
  return ~(word ^ ((word >>> 1) | (behind << 31)));
}

/** Rule 3, for patterns that begin in `word`: the words before and behind are looked at as well. */
function finders(before: number, word: number, behind: number): number {
  const found =
    word &
    ~ahead(word, behind, 1) &
    ahead(word, behind, 2) &
    ahead(word, behind, 3) &
    ahead(word, behind, 4) &
    ~ahead(word, behind, 5) &
    ahead(word, behind, 6);
  if (found === 0) return 0;
  let darkBefore = 0;
  let darkBehind = 0;
  for (let i = 1; i <= 4; i++) {
    darkBefore |= (word << i) | (before >>> (32 - i));
    darkBehind |= ahead(word, behind, 6 + i);
  }
  return bitCount(found & ~darkBefore) + bitCount(found & ~darkBehind);
}

/** The modules `count` places on. */
function ahead(word: number, behind: number, count: number): number {
  return (word >>> count) | (behind << (32 - count));
}

/** Rule 4: ten for each five per cent that the share of dark modules is away from a half. */
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
