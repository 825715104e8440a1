import type { QrEngine } from "./peers/qr-engines.ts";

/** The tasks of the part `qr`: a format, and texts that do not repeat within a round. */
export type QrTask = {
  name: string;
  format: "matrix" | "png" | "svg" | "utf8";
  /** In pixels; only for PNGs. */
  width: number;
  /** The number of texts in a pass: fewer if the slowest contender takes long for one. */
  texts: number;
  kind: TextKind;
};

/** Returns an integer from 0 to `below` - 1. */
type Random = (below: number) => number;

/** A symbol holds 2,331 bytes at level M, which all contenders can encode. */
const ADVERSARIAL_BYTES = 2_300;

/** Texts that change their mode all the time, the hardest case for engines that choose the shortest segments. */
export const ADVERSARIAL = {
  "digits4+lower": (random: Random) =>
    fill(ADVERSARIAL_BYTES, () => some(4, DIGITS, random) + some(1, LOWER, random)),
  "emoji+digits": (random: Random) =>
    fill(
      ADVERSARIAL_BYTES,
      () => String.fromCodePoint(0x1f600 + random(64)) + some(1 + random(8), DIGITS, random),
    ),
  uuids: (random: Random) =>
    fill(
      ADVERSARIAL_BYTES,
      () => `${[8, 4, 4, 4, 12].map((count) => some(count, HEX, random)).join("-")}\n`,
    ),
  "alnum/byte": (random: Random) =>
    fill(
      ADVERSARIAL_BYTES,
      () => some(3 + random(10), UPPER, random) + some(1 + random(6), LOWER, random),
    ),
  random: (random: Random) => some(ADVERSARIAL_BYTES, PRINTABLE, random),
};

const TEXTS = {
  // 68 characters: the first 36, then an identifier.
  url: (random: Random) =>
    `https://example.com/orders/2026/q?i=${some(32, LOWER + UPPER + DIGITS, random)}`,
  "1 KB mixed": (random: Random) =>
    fill(1_024, () => {
      const word = some(2 + random(9), LOWER, random);
      return `${word} ${random(4) === 0 ? some(random(12), DIGITS, random) : ""}${random(20) === 0 ? "é, €" : ""}`;
    }),
  // The capacity of the largest symbol at level M, in bytes and in digits.
  "version 40 bytes": (random: Random) => some(2_331, `${LOWER},;&=`, random),
  digits: (random: Random) => some(5_596, DIGITS, random),
  ...ADVERSARIAL,
};
export type TextKind = keyof typeof TEXTS;

export const PNG_WIDTHS = [64, 256, 1024, 2048] as const;

const matrixOf = (kind: TextKind, texts: number): QrTask => ({
  name: `matrix, ${kind}`,
  format: "matrix",
  width: 0,
  texts,
  kind,
});
const pngOf = (width: number, texts: number): QrTask => ({
  name: `png ${width}`,
  format: "png",
  width,
  texts,
  kind: "url",
});

/** Complete responses use the URL, the most common text. */
export const QR_TASKS: readonly QrTask[] = [
  matrixOf("url", 64),
  matrixOf("1 KB mixed", 8),
  matrixOf("version 40 bytes", 3),
  matrixOf("digits", 3),
  ...(Object.keys(ADVERSARIAL) as TextKind[]).map((kind) => matrixOf(kind, 3)),
  pngOf(64, 32),
  pngOf(256, 16),
  pngOf(1024, 3),
  pngOf(2048, 1),
  { name: "svg", format: "svg", width: 0, texts: 32, kind: "url" },
  { name: "utf8", format: "utf8", width: 0, texts: 32, kind: "url" },
];

/** Returns a task as a function of a text, or undefined if the engine does not have the format. */
export function doing(
  engine: QrEngine,
  { format, width }: QrTask,
): ((text: string) => unknown) | undefined {
  if (format !== "png") return engine[format];
  const { png } = engine;
  return png && ((text) => png(text, width));
}

/** Creates texts from a seed, the same in every process. */
export function textsOf(kind: TextKind, count: number, seed: number): string[] {
  const random = randomFrom(seed + 1);
  return Array.from({ length: count }, () => TEXTS[kind](random));
}

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const HEX = `${DIGITS}abcdef`;
const PRINTABLE = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i));

function some(count: number, characters: string, random: Random): string {
  let text = "";
  for (let i = 0; i < count; i++) text += characters[random(characters.length)];
  return text;
}

/** Joins complete pieces up to `bytes` of UTF-8. */
function fill(bytes: number, piece: () => string): string {
  const pieces: string[] = [];
  let remaining = bytes;
  for (;;) {
    const next = piece();
    remaining -= Buffer.byteLength(next);
    if (remaining < 0) return pieces.join("");
    pieces.push(next);
  }
}

/** The minimal standard generator of Park and Miller: random enough for texts, and portable. */
function randomFrom(seed: number): Random {
  let state = (seed * 7_919) % 2_147_483_647;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) * below);
  };
}
