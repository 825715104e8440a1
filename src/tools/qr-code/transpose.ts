const tile = new Int32Array(32);

/** Transposes modules in blocks of 32 by 32 by swapping ever smaller squares (Hacker's Delight, section 7-3). */
export function transpose(
  source: Int32Array,
  target: Int32Array,
  size: number,
  words: number,
): void {
  for (let tileY = 0; tileY < words; tileY++) {
    for (let tileX = 0; tileX < words; tileX++) {
      for (let i = 0; i < 32; i++) {
        const y = 32 * tileY + i;
        tile[i] = y < size ? (source[y * words + tileX] as number) : 0;
      }
      transposeTile();
      for (let i = 0; i < 32 && 32 * tileX + i < size; i++) {
        target[(32 * tileX + i) * words + tileY] = tile[i] as number;
      }
    }
  }
}

function transposeTile(): void {
  let mask = 0x0000ffff;
  for (let half = 16; half > 0; half >>= 1) {
    for (let k = 0; k < 32; k = ((k | half) + 1) & ~half) {
      const swap = (((tile[k] as number) >>> half) ^ (tile[k | half] as number)) & mask;
      tile[k | half] = (tile[k | half] as number) ^ swap;
      tile[k] = (tile[k] as number) ^ (swap << half);
    }
    mask ^= mask << (half >> 1);
  }
}
