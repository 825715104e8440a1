import assert from "node:assert/strict";
import { test } from "node:test";
import { QR_LEVELS, type QrLevel } from "#tools/qr-code/capacity.ts";
import { encodeQr, type QrSymbol } from "#tools/qr-code/encode-qr.ts";
import { Random } from "../markdown-render/random.ts";
import {
  blocksOf,
  blockTable,
  dataModules,
  formatCopies,
  MASK_CONDITIONS,
  readRaw,
  toNumber,
} from "./readers.ts";
import { held, leastBits, MODES, mixedTail, planOf } from "./texts.ts";

/** Checks the tables and rules of ISO/IEC 18004 from outside, in the modules of generated symbols. */
const VERSIONS = Array.from({ length: 40 }, (_, i) => i + 1);

function encode(text: string, level: QrLevel): QrSymbol {
  const symbol = encodeQr(text, level);
  assert.ok(symbol !== undefined, `no symbol at ${level} for ${JSON.stringify(text)}`);
  return symbol;
}

test("every version holds at every level and in every mode as much as it should, and not one more", () => {
  for (const version of VERSIONS) {
    for (const level of QR_LEVELS) {
      for (const mode of MODES) {
        const most = held(version, level, mode);
        const name = `${most} characters, ${mode.name}, ${version}-${level}`;
        assert.equal(planOf(mode.letter.repeat(most), level)?.version, version, name);
        const next = planOf(mode.letter.repeat(most + 1), level)?.version;
        assert.equal(next, version === 40 ? undefined : version + 1, name);
      }
    }
  }
});

/** A symbol of each version and level: random text of capitals, small letters and digits. */
function everySymbol(): { symbol: QrSymbol; level: QrLevel; version: number }[] {
  const random = new Random(18_004);
  const byte = MODES[2] as (typeof MODES)[number];
  return VERSIONS.flatMap((version) =>
    QR_LEVELS.map((level) => {
      const most = held(version, level, byte);
      const text = random.several(most, most, () => random.pick([..."abcxyz#!{"])).join("");
      return { symbol: encode(text, level), level, version };
    }),
  );
}

const symbols = everySymbol();

test("the worked example of annex I has the codewords that are printed there", () => {
  const { codewords, level, version } = readRaw(encode("01234567", "M"));
  assert.deepEqual([version, level], [1, "M"]);
  const hex = Buffer.from(codewords).toString("hex");
  assert.equal(hex, "10200c566180ec11ec11ec11ec11ec11" + "a524d4c1ed36c7872c55");
});

/** Table C.1, after masking, by data bits: the indicator of the level (M, L, H, Q), then the mask. */
const FORMATS = [
  0x5412, 0x5125, 0x5e7c, 0x5b4b, 0x45f9, 0x40ce, 0x4f97, 0x4aa0, 0x77c4, 0x72f3, 0x7daa, 0x789d,
  0x662f, 0x6318, 0x6c41, 0x6976, 0x1689, 0x13be, 0x1ce7, 0x19d0, 0x0762, 0x0255, 0x0d0c, 0x083b,
  0x355f, 0x3068, 0x3f31, 0x3a06, 0x24b4, 0x2183, 0x2eda, 0x2bed,
];
const formatOf = (level: QrLevel, mask: number) =>
  FORMATS[8 * ["M", "L", "H", "Q"].indexOf(level) + mask] as number;

test("format information is that of table C.1, in both places, for all levels and masks", () => {
  const seen = new Set<number>();
  const small = QR_LEVELS.flatMap((level) =>
    Array.from({ length: 500 }, (_, i) => ({
      symbol: encode(`no. ${i} `.repeat(1 + (i % 5)), level),
      level,
    })),
  );
  for (const { symbol, level } of [...small, ...symbols]) {
    const expected = formatOf(level, symbol.mask);
    assert.deepEqual(formatCopies(symbol), [expected, expected]);
    const { size, dark } = symbol;
    assert.equal(dark[(size - 8) * size + 8], 1, "the dark module");
    seen.add(expected);
  }
  assert.equal(seen.size, 32);
});

/** Table D.1, from version 7 on. */
const VERSION_BITS = [
  0x07c94, 0x085bc, 0x09a99, 0x0a4d3, 0x0bbf6, 0x0c762, 0x0d847, 0x0e60d, 0x0f928, 0x10b78, 0x1145d,
  0x12a17, 0x13532, 0x149a6, 0x15683, 0x168c9, 0x177ec, 0x18ec4, 0x191e1, 0x1afab, 0x1b08e, 0x1cc1a,
  0x1d33f, 0x1ed75, 0x1f250, 0x209d5, 0x216f0, 0x228ba, 0x2379f, 0x24b0b, 0x2542e, 0x26a64, 0x27541,
  0x28c69,
];

test("version information is that of table D.1, in both places", () => {
  for (const { symbol, version } of symbols.filter((one) => one.version >= 7)) {
    const { size, dark } = symbol;
    // Figure 27: the lowest bit is nearest to the corner, three modules across and six along.
    const places = Array.from(
      { length: 18 },
      (_, i) => [size - 11 + (i % 3), Math.floor(i / 3)] as const,
    ).reverse();
    const right = toNumber(places.map(([across, along]) => dark[along * size + across] as number));
    const below = toNumber(places.map(([across, along]) => dark[across * size + along] as number));
    const expected = VERSION_BITS[version - 7];
    assert.deepEqual([right, below], [expected, expected]);
  }
});

/** Table E.1: centres of alignment patterns. */
const CENTRES: Record<number, readonly number[]> = {
  2: [6, 18],
  6: [6, 34],
  7: [6, 22, 38],
  14: [6, 26, 46, 66],
  15: [6, 26, 48, 70],
  16: [6, 26, 50, 74],
  22: [6, 26, 50, 74, 98],
  28: [6, 26, 50, 74, 98, 122],
  32: [6, 34, 60, 86, 112, 138],
  36: [6, 24, 50, 76, 102, 128, 154],
  39: [6, 26, 54, 82, 110, 138, 166],
  40: [6, 30, 58, 86, 114, 142, 170],
};

test("alignment patterns are where table E.1 says", () => {
  const pattern = ["11111", "10001", "10101", "10001", "11111"];
  for (const { symbol, version } of symbols) {
    const { size, dark } = symbol;
    for (const y of CENTRES[version] ?? []) {
      for (const x of CENTRES[version] ?? []) {
        if ((x === 6 || x === size - 7) && (y === 6 || y === size - 7) && (x === 6 || y === 6))
          continue;
        const drawn = [-2, -1, 0, 1, 2].map((dy) =>
          dark.subarray((y + dy) * size + x - 2, (y + dy) * size + x + 3).join(""),
        );
        assert.deepEqual(drawn, pattern, `version ${version}, ${x}, ${y}`);
      }
    }
  }
});

/** In GF(256), bit by bit: shift, and reduce by x^8 + x^4 + x^3 + x^2 + 1. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = product & 128 ? (product << 1) ^ 0x11d : product << 1;
    if ((b >> bit) & 1) product ^= a;
  }
  return product;
}

test("every block of every version and level is a Reed-Solomon codeword", () => {
  for (const { symbol, version, level } of symbols) {
    const raw = readRaw(symbol);
    assert.deepEqual([raw.version, raw.level, raw.mask], [version, level, symbol.mask]);
    for (const { data, check } of blocksOf(raw.codewords, version, level)) {
      let root = 1;
      for (let i = 0; i < check.length; i++) {
        // A codeword is zero at as many powers of 2 as it has check codewords (section 7.5.2).
        const value = [...data, ...check].reduce(
          (sum, codeword) => multiply(sum, root) ^ codeword,
          0,
        );
        assert.equal(value, 0, `${version}-${level}, syndrome ${i}`);
        root = multiply(root, 2);
      }
    }
  }
});

/** Section 7.8.3, with the reading of rule 3 that the engine states: each light side of a finder counts 40. */
function penaltyOf(size: number, isDark: (x: number, y: number) => boolean): number {
  const lines = Array.from({ length: size }, (_, a) => [
    Array.from({ length: size }, (_, b) => (isDark(b, a) ? "1" : "0")).join(""),
    Array.from({ length: size }, (_, b) => (isDark(a, b) ? "1" : "0")).join(""),
  ]).flat();
  let penalty = 0;
  for (const line of lines) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) penalty += 3 + run.length - 5;
    const withQuietZone = `0000${line}0000`;
    for (const pattern of ["00001011101", "10111010000"]) {
      for (let at = 0; at + 11 <= withQuietZone.length; at++) {
        if (withQuietZone.startsWith(pattern, at)) penalty += 40;
      }
    }
  }
  let dark = 0;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (isDark(x, y)) dark++;
      if (x + 1 === size || y + 1 === size) continue;
      const same = [isDark(x + 1, y), isDark(x, y + 1), isDark(x + 1, y + 1)];
      if (same.every((other) => other === isDark(x, y))) penalty += 3;
    }
  }
  const percent = (100 * dark) / (size * size);
  return penalty + 10 * Math.floor(Math.abs(percent - 50) / 5);
}

/** The same symbol with a different mask. */
function remask({ size, dark, mask }: QrSymbol, level: QrLevel, other: number): Uint8Array {
  const modules = dark.slice();
  const [was, becomes] = [MASK_CONDITIONS[mask], MASK_CONDITIONS[other]];
  for (const { x, y } of dataModules((size - 17) / 4)) {
    if (was?.(y, x) !== becomes?.(y, x))
      modules[y * size + x] = 1 - (modules[y * size + x] as number);
  }
  const bits = formatOf(level, other).toString(2).padStart(15, "0");
  const set = (x: number, y: number, bit: number) => {
    modules[y * size + x] = Number(bits[bit]);
  };
  for (let i = 0; i < 15; i++) {
    if (i < 8) set(i < 6 ? i : i + 1, 8, i);
    else set(8, i === 8 ? 7 : 14 - i, i);
    if (i < 7) set(8, size - 1 - i, i);
    else set(size - 15 + i, 8, i);
  }
  return modules;
}

test("the mask is the first of those with the lowest penalty", () => {
  const small = Array.from({ length: 150 }, (_, i) => {
    const level = QR_LEVELS[i % 4] as QrLevel;
    return { symbol: encode(`mask ${i} `.repeat(1 + (i % 9)), level), level };
  });
  const chosen = new Set<number>();
  for (const { symbol, level } of [...small, ...symbols.filter((_, i) => i % 9 === 0)]) {
    const { size, dark, mask } = symbol;
    assert.deepEqual(remask(symbol, level, mask), dark);
    const penalties = MASK_CONDITIONS.map((_, other) => {
      const modules = remask(symbol, level, other);
      return penaltyOf(size, (x, y) => modules[y * size + x] === 1);
    });
    assert.equal(mask, penalties.indexOf(Math.min(...penalties)), penalties.join(" "));
    chosen.add(mask);
  }
  assert.equal(chosen.size, 8);
});

/** The smallest version of level L that holds so many bits; the letters before them decide the widths of the counts. */
const versionOf = (bits: number): number =>
  VERSIONS.find((version) => 8 * blockTable(version, "L").data >= bits) ?? Infinity;

test("no other way to cut a text into segments takes fewer bits, and Kanji mode makes the symbol smaller", (t) => {
  const random = new Random(7_4);
  const seen = new Set<string>();
  for (let i = 0; i < 450; i++) {
    // Lowercase letters first, so that the character counts have the bits of versions 1 to 9, 10 to 26 and 27 to 40.
    const letters = [0, 300, 1500][i % 3] as number;
    const tail = mixedTail(random);
    const text = "a".repeat(letters) + tail;
    const raw = readRaw(encode(text, "L"));
    const [plain, withEci] = [false, true].map((hasEci) => leastBits(letters, tail, hasEci)) as [
      number,
      number,
    ];
    const isAscii = /^[\0-\x7f]*$/.test(tail);
    const isKanji = /[ぁ-んァ-ヶ々一-龠]/.test(tail) && versionOf(plain) < versionOf(withEci);
    assert.equal(raw.bits, isAscii || isKanji ? plain : withEci, JSON.stringify(text));
    const modes = raw.segments.map(({ mode }) => mode);
    assert.equal(modes.includes("ECI"), !isAscii && !isKanji, JSON.stringify(text));
    assert.equal(modes.includes("Kanji"), isKanji, JSON.stringify(text));
    seen.add(modes.join(" "));
  }
  t.diagnostic(`${seen.size} sequences of modes`);
  assert.ok(seen.size >= 12, [...seen].join(", "));
});
