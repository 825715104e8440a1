/** The table of CRC-32 (ISO 3309; annex D of the PNG specification). */
const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let crc = index;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc;
});

export const CRC32_START = 0xffffffff;

/** Adds a byte to a CRC-32 that begins with `CRC32_START`. */
export const addToCrc32 = (crc: number, byte: number): number =>
  (TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);

/** Returns the CRC-32 of the bytes added so far, as an unsigned 32-bit integer. */
export const endCrc32 = (crc: number): number => (crc ^ 0xffffffff) >>> 0;
