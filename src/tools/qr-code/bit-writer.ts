/** Writes bits into bytes, most significant bit first (ISO/IEC 18004, section 7.4.10). */
export class BitWriter {
  readonly bytes: Uint8Array;
  length = 0;

  constructor(bytes: number) {
    this.bytes = new Uint8Array(bytes);
  }

  /** Writes the lowest `count` bits of `value`, at most 16. */
  put(value: number, count: number): void {
    let left = count;
    while (left > 0) {
      const free = 8 - (this.length & 7);
      const taken = Math.min(free, left);
      const bits = (value >> (left - taken)) & ((1 << taken) - 1);
      const at = this.length >> 3;
      this.bytes[at] = (this.bytes[at] as number) | (bits << (free - taken));
      this.length += taken;
      left -= taken;
    }
  }
}
