import { encodeQR } from "qr";
import { utf8Length } from "#tools/text.ts";

/**
 * The door to the QR engine: a text and a level in, the modules out. Nothing else knows the engine, which is
 * a library for the time being (docs/decisions/0003).
 */
export type QrLevel = "L" | "M" | "Q" | "H";

/** The modules of a symbol without its quiet zone, row by row: 1 is dark. */
export type QrMatrix = { size: number; dark: Uint8Array };

/** The smallest symbol for `text` at `level`, or undefined where none holds it. */
export function encodeQrMatrix(text: string, level: QrLevel): QrMatrix | undefined {
  if (utf8Length(text) > qrCapacities(text)[level]) return undefined;
  // The library insists on a border: one module of it is made and left out again.
  const rows = encodeQR(text, "raw", { ecc: LIBRARY_LEVELS[level], border: 1 });
  const size = rows.length - 2;
  const dark = new Uint8Array(size * size);
  for (let y = 0; y < size; y++) {
    const row = rows[y + 1] as boolean[];
    for (let x = 0; x < size; x++) if (row[x + 1]) dark[y * size + x] = 1;
  }
  return { size, dark };
}

/** How many bytes of this kind of text each level holds at the most: digits and capitals are packed closer. */
export function qrCapacities(text: string): Record<QrLevel, number> {
  if (/^[0-9]*$/.test(text)) return CAPACITIES.numeric;
  if (/^[0-9A-Z $%*+\-./:]*$/.test(text)) return CAPACITIES.alphanumeric;
  return CAPACITIES.byte;
}

/** ISO/IEC 18004, table 7: version 40, the whole text in one mode. */
const CAPACITIES = {
  numeric: { L: 7089, M: 5596, Q: 3993, H: 3057 },
  alphanumeric: { L: 4296, M: 3391, Q: 2420, H: 1852 },
  byte: { L: 2953, M: 2331, Q: 1663, H: 1273 },
};

const LIBRARY_LEVELS = { L: "low", M: "medium", Q: "quartile", H: "high" } as const;
