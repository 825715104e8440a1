import { type Code, canonicalCode, huffmanCode } from "./huffman.ts";

/**
 * Writes literals and matches as one deflate block (RFC 1951, section 3.2), with the fixed code or a dynamic code,
 * whichever is shorter.
 */

/** A literal is its byte. A match is `length << 16 | distance`, which is at least 3 << 16. */
export type Tokens = { list: Uint32Array; count: number };

export const MATCH_LENGTH_MIN = 3;
export const MATCH_LENGTH_MAX = 258;
export const DISTANCE_MAX = 32_768;

const END_OF_BLOCK = 256;
const LITERAL_SYMBOLS = 286;
const DISTANCE_SYMBOLS = 30;

/** Returns `head`, the block and `tailBytes` unused bytes. */
export function deflateBlock(
  tokens: Tokens,
  head: readonly number[],
  tailBytes: number,
): Uint8Array {
  const literals = new Uint32Array(LITERAL_SYMBOLS);
  const distances = new Uint32Array(DISTANCE_SYMBOLS);
  const extraBits = count(tokens, literals, distances);
  const own = ownCodes(literals, distances);
  const ownBits = own.headerBits + bitsOf(literals, own.literal) + bitsOf(distances, own.distance);
  const fixedBits = bitsOf(literals, FIXED_LITERAL) + bitsOf(distances, FIXED_DISTANCE);
  const bits = 3 + extraBits + Math.min(ownBits, fixedBits);
  const out = new BitWriter(head, Math.ceil(bits / 8) + tailBytes);
  // BFINAL is 1. BTYPE follows: 1 is the fixed code, 2 a dynamic code.
  out.put(1, 1);
  if (fixedBits <= ownBits) {
    out.put(1, 2);
    writeTokens(out, tokens, FIXED_LITERAL, FIXED_DISTANCE);
  } else {
    out.put(2, 2);
    writeHeader(out, own);
    writeTokens(out, tokens, own.literal, own.distance);
  }
  out.flush();
  return out.bytes;
}

class BitWriter {
  readonly bytes: Uint8Array;
  private at: number;
  private held = 0;
  private heldBits = 0;

  constructor(head: readonly number[], moreBytes: number) {
    this.bytes = new Uint8Array(head.length + moreBytes);
    this.bytes.set(head);
    this.at = head.length;
  }

  /** At most 16 bits at once. */
  put(value: number, bits: number): void {
    this.held |= value << this.heldBits;
    this.heldBits += bits;
    while (this.heldBits >= 8) {
      this.bytes[this.at++] = this.held;
      this.held >>>= 8;
      this.heldBits -= 8;
    }
  }

  flush(): void {
    if (this.heldBits > 0) this.bytes[this.at++] = this.held;
  }
}

/** Section 3.2.5: for each of the symbols 257 to 285, the shortest length and the number of extra bits. */
const LENGTH_EXTRA = Uint8Array.from({ length: 29 }, (_, i) =>
  i < 8 || i === 28 ? 0 : (i >> 2) - 1,
);
const LENGTH_FIRST = firsts(LENGTH_EXTRA, MATCH_LENGTH_MIN);
// Length 258 has its own symbol, although length 227 with five extra bits would reach it.
LENGTH_FIRST[28] = MATCH_LENGTH_MAX;
const DISTANCE_EXTRA = Uint8Array.from({ length: 30 }, (_, i) => (i < 4 ? 0 : (i >> 1) - 1));
const DISTANCE_FIRST = firsts(DISTANCE_EXTRA, 1);

function firsts(extra: Uint8Array, first: number): Uint16Array {
  let next = first;
  return Uint16Array.from(extra, (bits) => {
    const current = next;
    next += 1 << bits;
    return current;
  });
}

/** The symbol of every length, minus 257. */
const LENGTH_SYMBOL = new Uint8Array(MATCH_LENGTH_MAX + 1);
LENGTH_FIRST.forEach((length, symbol) => {
  LENGTH_SYMBOL.fill(symbol, length);
});

function distanceSymbol(distance: number): number {
  if (distance <= 4) return distance - 1;
  const high = 31 - Math.clz32(distance - 1);
  return 2 * high + (((distance - 1) >>> (high - 1)) & 1);
}

const increment = (counts: Uint32Array, at: number) => {
  counts[at] = (counts[at] as number) + 1;
};

/** Counts the symbols and returns the number of extra bits. */
function count({ list, count }: Tokens, literals: Uint32Array, distances: Uint32Array): number {
  let extraBits = 0;
  for (let i = 0; i < count; i++) {
    const token = list[i] as number;
    if (token < 256) {
      increment(literals, token);
      continue;
    }
    const length = LENGTH_SYMBOL[token >>> 16] as number;
    const distance = distanceSymbol(token & 0xffff);
    increment(literals, 257 + length);
    increment(distances, distance);
    extraBits += (LENGTH_EXTRA[length] as number) + (DISTANCE_EXTRA[distance] as number);
  }
  increment(literals, END_OF_BLOCK);
  return extraBits;
}

function bitsOf(frequencies: Uint32Array, { lengths }: Code): number {
  let bits = 0;
  for (let symbol = 0; symbol < frequencies.length; symbol++) {
    bits += (frequencies[symbol] as number) * (lengths[symbol] as number);
  }
  return bits;
}

function writeTokens(out: BitWriter, { list, count }: Tokens, literal: Code, distance: Code): void {
  const write = (code: Code, symbol: number) =>
    out.put(code.codes[symbol] as number, code.lengths[symbol] as number);
  for (let i = 0; i < count; i++) {
    const token = list[i] as number;
    if (token < 256) {
      write(literal, token);
      continue;
    }
    const length = LENGTH_SYMBOL[token >>> 16] as number;
    write(literal, 257 + length);
    out.put((token >>> 16) - (LENGTH_FIRST[length] as number), LENGTH_EXTRA[length] as number);
    const back = token & 0xffff;
    const symbol = distanceSymbol(back);
    write(distance, symbol);
    out.put(back - (DISTANCE_FIRST[symbol] as number), DISTANCE_EXTRA[symbol] as number);
  }
  write(literal, END_OF_BLOCK);
}

/** Section 3.2.6. */
const FIXED_LITERAL = canonicalCode(
  Uint8Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)),
);
const FIXED_DISTANCE = canonicalCode(new Uint8Array(DISTANCE_SYMBOLS).fill(5));

/** One step of the run-length encoding of the code lengths: a symbol from 0 to 18 with its extra bits. */
type Step = { symbol: number; extra: number; extraBits: number };
type OwnCodes = {
  literal: Code;
  distance: Code;
  literalCount: number;
  distanceCount: number;
  steps: Step[];
  step: Code;
  stepCount: number;
  headerBits: number;
};

/** Section 3.2.7: the order in which the lengths of the code length code are sent. */
const STEP_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

function ownCodes(literals: Uint32Array, distances: Uint32Array): OwnCodes {
  const literal = huffmanCode(literals, 15);
  const distance = huffmanCode(distances, 15);
  const literalCount = Math.max(257, usedUpTo(literal.lengths));
  const distanceCount = Math.max(1, usedUpTo(distance.lengths));
  const lengths = new Uint8Array(literalCount + distanceCount);
  lengths.set(literal.lengths.subarray(0, literalCount));
  lengths.set(distance.lengths.subarray(0, distanceCount), literalCount);
  const steps = runLengths(lengths);
  const frequencies = new Uint32Array(STEP_ORDER.length);
  for (const { symbol } of steps) increment(frequencies, symbol);
  const step = huffmanCode(frequencies, 7);
  const stepCount = Math.max(
    4,
    usedUpTo(STEP_ORDER.map((symbol) => step.lengths[symbol] as number)),
  );
  let headerBits = 5 + 5 + 4 + 3 * stepCount;
  for (const { symbol, extraBits } of steps)
    headerBits += (step.lengths[symbol] as number) + extraBits;
  return { literal, distance, literalCount, distanceCount, steps, step, stepCount, headerBits };
}

function usedUpTo(lengths: ArrayLike<number>): number {
  let end = lengths.length;
  while (end > 0 && lengths[end - 1] === 0) end--;
  return end;
}

function runLengths(lengths: Uint8Array): Step[] {
  const steps: Step[] = [];
  let i = 0;
  while (i < lengths.length) {
    const length = lengths[i] as number;
    let run = 1;
    while (i + run < lengths.length && lengths[i + run] === length) run++;
    if (length === 0 && run >= 3) {
      run = Math.min(run, 138);
      steps.push(
        run < 11
          ? { symbol: 17, extra: run - 3, extraBits: 3 }
          : { symbol: 18, extra: run - 11, extraBits: 7 },
      );
    } else if (i > 0 && lengths[i - 1] === length && run >= 3) {
      run = Math.min(run, 6);
      steps.push({ symbol: 16, extra: run - 3, extraBits: 2 });
    } else {
      run = 1;
      steps.push({ symbol: length, extra: 0, extraBits: 0 });
    }
    i += run;
  }
  return steps;
}

function writeHeader(out: BitWriter, own: OwnCodes): void {
  out.put(own.literalCount - 257, 5);
  out.put(own.distanceCount - 1, 5);
  out.put(own.stepCount - 4, 4);
  for (const symbol of STEP_ORDER.slice(0, own.stepCount)) {
    out.put(own.step.lengths[symbol] as number, 3);
  }
  for (const { symbol, extra, extraBits } of own.steps) {
    out.put(own.step.codes[symbol] as number, own.step.lengths[symbol] as number);
    out.put(extra, extraBits);
  }
}
