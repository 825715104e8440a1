import { deflateBlock, MATCH_LENGTH_MAX, MATCH_LENGTH_MIN } from "./deflate-block.ts";
import { adler32 } from "./deflate-rows.ts";

/**
 * Writes a zlib stream (RFC 1950) of rows, each repeated `repeats[row]` times, as runs of equal bytes: a byte, and matches at
 * a distance of one byte. For rows of few runs, as those with one byte per pixel; the time grows with the number of runs.
 */
export function deflateRuns(rows: Uint8Array, rowBytes: number, repeats: Uint32Array): Uint8Array {
  const tokens: number[] = [];
  for (let row = 0; row < repeats.length; row++) {
    if (repeats[row] === 0) continue;
    const start = tokens.length;
    pushRuns(tokens, rows.subarray(row * rowBytes, (row + 1) * rowBytes));
    const end = tokens.length;
    for (let copy = 1; copy < (repeats[row] as number); copy++) {
      for (let at = start; at < end; at++) tokens.push(tokens[at] as number);
    }
  }
  // A 32 KB window and no dictionary. The second byte makes the 16-bit header a multiple of 31.
  const list = { list: Uint32Array.from(tokens), count: tokens.length };
  const stream = deflateBlock(list, [0x78, 0xda], 4);
  new DataView(stream.buffer).setUint32(stream.length - 4, adler32(rows, rowBytes, repeats));
  return stream;
}

function pushRuns(tokens: number[], row: Uint8Array): void {
  for (let start = 0; start < row.length; ) {
    const byte = row[start] as number;
    let end = start + 1;
    while (end < row.length && row[end] === byte) end++;
    tokens.push(byte);
    let left = end - start - 1;
    for (; left >= MATCH_LENGTH_MIN; left -= Math.min(left, MATCH_LENGTH_MAX)) {
      tokens.push((Math.min(left, MATCH_LENGTH_MAX) << 16) | 1);
    }
    for (; left > 0; left--) tokens.push(byte);
    start = end;
  }
}
