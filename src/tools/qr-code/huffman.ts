/**
 * Huffman codes for deflate (RFC 1951, section 3.2.2): length-limited and canonical. They are stored reversed, because
 * deflate sends bits starting with the lowest one.
 */
export type Code = { lengths: Uint8Array; codes: Uint16Array };

/**
 * Returns a short code for these frequencies whose longest word has at most `limit` bits. Unused symbols get no word.
 */
export function huffmanCode(frequencies: Uint32Array, limit: number): Code {
  return canonicalCode(codeLengths(frequencies, limit));
}

export function canonicalCode(lengths: Uint8Array): Code {
  const next = new Uint16Array(17);
  for (const length of lengths) if (length > 0) next[length + 1] = (next[length + 1] as number) + 1;
  // First, `next[n + 1]` counts the words of n bits. The first word of n bits then follows from the shorter ones.
  for (let bits = 1, code = 0; bits <= 16; bits++) {
    code = (code + (next[bits] as number)) << 1;
    next[bits] = code;
  }
  const codes = new Uint16Array(lengths.length);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol] as number;
    if (length === 0) continue;
    const code = next[length] as number;
    next[length] = code + 1;
    codes[symbol] = reverse(code, length);
  }
  return { lengths, codes };
}

function reverse(code: number, length: number): number {
  let reversed = 0;
  for (let bit = 0; bit < length; bit++) reversed = (reversed << 1) | ((code >> bit) & 1);
  return reversed;
}

function codeLengths(frequencies: Uint32Array, limit: number): Uint8Array {
  const lengths = new Uint8Array(frequencies.length);
  const used: { symbol: number; weight: number }[] = [];
  frequencies.forEach((weight, symbol) => {
    if (weight > 0) used.push({ symbol, weight });
  });
  if (used.length < 2) {
    for (const { symbol } of used) lengths[symbol] = 1;
    return lengths;
  }
  for (;;) {
    used.sort((a, b) => a.weight - b.weight || a.symbol - b.symbol);
    const depths = leafDepths(used.map(({ weight }) => weight));
    if (Math.max(...depths) <= limit) {
      used.forEach(({ symbol }, index) => {
        lengths[symbol] = depths[index] as number;
      });
      return lengths;
    }
    // The tree is too deep. Flatter weights give a flatter tree at the cost of some bits; equal weights end the loop.
    for (const leaf of used) leaf.weight = (leaf.weight >> 1) + 1;
  }
}

/**
 * Returns the depths of the leaves of the Huffman tree; the weights must be in ascending order. Joined nodes are
 * created in ascending order too, so the two lightest nodes are always at the heads of two queues, and no heap is
 * needed.
 */
function leafDepths(leaves: readonly number[]): number[] {
  const count = leaves.length;
  const weights = [...leaves];
  const parents: number[] = [];
  let leaf = 0;
  let joined = count;
  const takeLightest = (): number => {
    const leafFirst =
      leaf < count &&
      (joined >= weights.length || (weights[leaf] as number) <= (weights[joined] as number));
    return leafFirst ? leaf++ : joined++;
  };
  for (let node = count; node < 2 * count - 1; node++) {
    const a = takeLightest();
    const b = takeLightest();
    parents[a] = node;
    parents[b] = node;
    weights.push((weights[a] as number) + (weights[b] as number));
  }
  const depths = new Array<number>(2 * count - 1).fill(0);
  for (let node = 2 * count - 3; node >= 0; node--) {
    depths[node] = (depths[parents[node] as number] as number) + 1;
  }
  return depths.slice(0, count);
}
