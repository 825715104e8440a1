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

/** A leaf is its weight times this, plus its symbol, so that sorting numbers sorts by weight and then by symbol. */
const SYMBOLS_MAX = 512;

function codeLengths(frequencies: Uint32Array, limit: number): Uint8Array {
  const lengths = new Uint8Array(frequencies.length);
  const leaves = new Uint32Array(frequencies.length);
  let count = 0;
  for (let symbol = 0; symbol < frequencies.length; symbol++) {
    const weight = frequencies[symbol] as number;
    if (weight > 0) leaves[count++] = weight * SYMBOLS_MAX + symbol;
  }
  const used = leaves.subarray(0, count);
  const symbolOf = (index: number) => (used[index] as number) % SYMBOLS_MAX;
  const weightOf = (leaf: number) => Math.floor(leaf / SYMBOLS_MAX);
  if (count < 2) {
    if (count === 1) lengths[symbolOf(0)] = 1;
    return lengths;
  }
  for (;;) {
    used.sort();
    const depths = leafDepths(used.map(weightOf));
    // The lightest leaf is the deepest.
    if ((depths[0] as number) <= limit) {
      for (let i = 0; i < count; i++) lengths[symbolOf(i)] = depths[i] as number;
      return lengths;
    }
    // The tree is too deep. Flatter weights give a flatter tree at the cost of some bits; equal weights end the loop.
    for (let i = 0; i < count; i++) {
      const leaf = used[i] as number;
      used[i] = ((weightOf(leaf) >> 1) + 1) * SYMBOLS_MAX + (leaf % SYMBOLS_MAX);
    }
  }
}

/**
 * Returns the depths of the leaves of the Huffman tree; the weights must be in ascending order. Joined nodes are
 * created in ascending order too, so the two lightest nodes are always at the heads of two queues, and no heap is
 * needed.
 */
function leafDepths(leaves: Uint32Array): Uint16Array {
  const count = leaves.length;
  const nodes = 2 * count - 1;
  const weights = new Uint32Array(nodes);
  weights.set(leaves);
  const parents = new Uint16Array(nodes);
  let leaf = 0;
  let joined = count;
  for (let node = count; node < nodes; node++) {
    for (let child = 0; child < 2; child++) {
      const isLeaf =
        leaf < count &&
        (joined >= node || (weights[leaf] as number) <= (weights[joined] as number));
      const lightest = isLeaf ? leaf++ : joined++;
      parents[lightest] = node;
      weights[node] = (weights[node] as number) + (weights[lightest] as number);
    }
  }
  const depths = new Uint16Array(nodes);
  for (let node = nodes - 2; node >= 0; node--) {
    depths[node] = (depths[parents[node] as number] as number) + 1;
  }
  return depths.subarray(0, count);
}
