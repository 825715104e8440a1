import type { BlockPlan } from "./capacity.ts";

/** Reed-Solomon over GF(256) with x^8 + x^4 + x^3 + x^2 + 1 (ISO/IEC 18004, section 7.5). */
const POLYNOMIAL = 0x11d;
const EXPONENTS = new Uint8Array(510);
const LOGARITHMS = new Uint8Array(256);
for (let i = 0, x = 1; i < 255; i++) {
  EXPONENTS[i] = EXPONENTS[i + 255] = x;
  LOGARITHMS[x] = i;
  x = x & 128 ? (x << 1) ^ POLYNOMIAL : x << 1;
}

function multiply(a: number, b: number): number {
  if (a === 0 || b === 0) return 0;
  return EXPONENTS[(LOGARITHMS[a] as number) + (LOGARITHMS[b] as number)] as number;
}

/** For each number of check codewords: the generator polynomial multiplied by every byte, one row per byte. */
const products = new Map<number, Uint8Array>();

function productsOf(degree: number): Uint8Array {
  const known = products.get(degree);
  if (known !== undefined) return known;
  const table = new Uint8Array(256 * degree);
  const generator = generatorOf(degree);
  for (let factor = 1; factor < 256; factor++) {
    for (let i = 0; i < degree; i++) {
      table[factor * degree + i] = multiply(factor, generator[i] as number);
    }
  }
  products.set(degree, table);
  return table;
}

/** (x - 1)(x - a)(x - a^2)... without its leading 1, highest power first. */
function generatorOf(degree: number): Uint8Array {
  const generator = new Uint8Array(degree);
  generator[degree - 1] = 1;
  for (let root = 0; root < degree; root++) {
    const factor = EXPONENTS[root] as number;
    for (let i = 0; i < degree; i++) {
      const next = i + 1 < degree ? (generator[i + 1] as number) : 0;
      generator[i] = multiply(generator[i] as number, factor) ^ next;
    }
  }
  return generator;
}

/**
 * Returns the codewords of a symbol in placement order (section 7.6): the data of all blocks interleaved, then their
 * check codewords.
 */
export function interleave(data: Uint8Array, plan: BlockPlan): Uint8Array {
  const { blocks, longBlocks, dataCodewords, checkCodewords, dataTotal, total } = plan;
  const codewords = new Uint8Array(total);
  const table = productsOf(checkCodewords);
  const remainder = new Uint8Array(checkCodewords);
  const last = checkCodewords - 1;
  const shortBlocks = blocks - longBlocks;
  let at = 0;
  for (let block = 0; block < blocks; block++) {
    const length = dataCodewords + (block < shortBlocks ? 0 : 1);
    remainder.fill(0);
    for (let i = 0; i < length; i++) {
      const codeword = data[at++] as number;
      const row = checkCodewords * (codeword ^ (remainder[0] as number));
      for (let k = 0; k < last; k++) {
        remainder[k] = (remainder[k + 1] as number) ^ (table[row + k] as number);
      }
      remainder[last] = table[row + last] as number;
      // Short blocks have no counterpart for the last data codeword of a long block.
      const place = i < dataCodewords ? i * blocks + block : i * blocks + block - shortBlocks;
      codewords[place] = codeword;
    }
    for (let k = 0; k < checkCodewords; k++) {
      codewords[dataTotal + k * blocks + block] = remainder[k] as number;
    }
  }
  return codewords;
}
