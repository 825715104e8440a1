import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { QrLevel } from "#tools/qr-code/capacity.ts";
import { QR_LEVELS } from "#tools/qr-code/capacity.ts";
import { planSegments, readCharacters } from "#tools/qr-code/segments.ts";
import { Random } from "../markdown-render/random.ts";
import { blockTable, SEGMENT_KINDS } from "./readers.ts";

export type Sample = { name: string; text: string; level: QrLevel };
/** A text of the corpus with the smallest version that a search over numeric, alphanumeric and byte mode found. */
export type CorpusSample = Sample & { optimalVersion?: number; optimalVersionWithEci26?: number };

const CORPUS = path.join(import.meta.dirname, "../../../../shared/data/qr-corpus.json");

/** The reason to skip tests of the corpus, if it is missing. */
export const corpusMissing: string | false = !existsSync(CORPUS) && `${CORPUS} is missing`;

/** The texts of the corpus; none where it is missing. */
export function corpus(): CorpusSample[] {
  if (corpusMissing !== false) return [];
  return JSON.parse(readFileSync(CORPUS, "utf8")) as CorpusSample[];
}

const DIGITS = [..."0123456789"];
const CAPITALS = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"];
const ASCII = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
const CONTROLS = Array.from({ length: 33 }, (_, i) => String.fromCharCode(i < 32 ? i : 127));
const KANJI = [..."点茗漢字東京都大阪府日本語電車駅新聞水火木金土年月時分円機械学校亜腕弌熙"];
const KANA = [
  ..."あいうえおかきくけこさしすせそがぎぐアイウエオカキクケコサシスセソー、。「」々〆",
];
/** In the Shift JIS of only some platforms, or in its empty row 13, or half-width. */
const DISPUTED = [..."～〜－−∥‖￠￡￢¢£¬＼\\~①Ⅳ㈱髙﨑ｱｲｳﾞ｡"];
const EMOJI = ["😀", "👩‍👩‍👧", "🏳️‍🌈", "❤️", "🇨🇭", "👍🏽", "🫠", "𝒳", "𠮷"];
const SCRIPTS = [
  ..."àéîõüßçñøæœŠžŁ|αβγδεζηθλΩάώ|абвгдежзЖЩЯёї|אבגדהוש|ابتثجحخدسعغ|कखगघङ्िाु|กขคงจ฿ไเ|각나다라마바한글|".split(
    "|",
  ),
  "中文简体龙马飞鸟汉语拼音",
  "ამბგდე",
  "የኢትዮጵ",
  "ẹ́ọ̀ǹ\u0301\u0323",
]
  .filter((letters) => letters !== "")
  .map((letters) => [...letters]);

const word = (random: Random, letters: readonly string[], min: number, max: number) =>
  random.several(min, max, () => random.pick(letters)).join("");

function url(random: Random): string {
  const name = () => word(random, [..."abcdefghijklmnopqrstuvwxyz0123456789-"], 1, 14);
  const folders = random.several(0, 4, name).join("/");
  const query = random.several(
    0,
    3,
    () => `${name()}=${word(random, [...DIGITS, "%", "é", "A"], 0, 12)}`,
  );
  const head = random.pick(["https://", "http://", "HTTPS://", "mailto:", "WIFI:T:WPA;S:"]);
  return `${head}${name()}.example/${folders}${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

/** The version and the segments of a text, without its symbol; undefined where no symbol holds it. */
export const planOf = (text: string, level: QrLevel) =>
  planSegments(readCharacters(text), level, "auto");

/** One text of each kind. */
const KINDS: Record<string, (random: Random) => string> = {
  numeric: (random) => word(random, DIGITS, 1, random.pick([5, 60, 900])),
  alphanumeric: (random) => word(random, CAPITALS, 1, random.pick([5, 60, 700])),
  url,
  script: (random) => word(random, [...random.pick(SCRIPTS), " "], 1, random.pick([6, 50, 250])),
  scripts: (random) => word(random, [...SCRIPTS.flat(), ...ASCII], 1, random.pick([10, 80, 200])),
  emoji: (random) => word(random, [...EMOJI, "a", "1"], 1, 40),
  kanji: (random) => word(random, [...KANJI, ...KANA], 1, random.pick([4, 40, 300])),
  "kanji and ASCII": (random) =>
    random
      .several(1, 12, () => word(random, random.pick([KANJI, KANA, ASCII, DIGITS]), 1, 20))
      .join(""),
  "disputed Kanji": (random) => word(random, [...DISPUTED, ...KANJI.slice(0, 4), "a"], 1, 40),
  controls: (random) => word(random, [...CONTROLS, ...ASCII.slice(0, 20)], 1, 60),
  mixed: (random) =>
    random
      .several(1, 14, () =>
        word(
          random,
          random.pick([DIGITS, CAPITALS, ASCII, KANJI, ...SCRIPTS, EMOJI, CONTROLS]),
          1,
          25,
        ),
      )
      .join(""),
};

/** `count` texts of all kinds in turn, each at some level at which it fits. */
export function generatedTexts(count: number, seed: number): Sample[] {
  const random = new Random(seed);
  const kinds = Object.entries(KINDS);
  return Array.from({ length: count }, (_, index) => {
    const [kind, make] = kinds[index % kinds.length] as (typeof kinds)[number];
    return { name: `${kind} ${index}`, text: make(random), level: random.pick(QR_LEVELS) };
  });
}

/** The modes of segments, with a letter that only this mode holds best. */
export const MODES = [1, 2, 4, 8].map((indicator, i) => ({
  ...(SEGMENT_KINDS[indicator] as (typeof SEGMENT_KINDS)[number]),
  letter: ["7", "A", "a", "漢"][i] as string,
}));

/** The number of characters of one mode that a symbol holds, found by trying from above. */
export function held(version: number, level: QrLevel, mode: (typeof MODES)[number]): number {
  const band = version < 10 ? 0 : version < 27 ? 1 : 2;
  const bits = 8 * blockTable(version, level).data - 4 - (mode.countBits[band] as number);
  let count = Math.floor(bits / 3);
  while (mode.bits(count) > bits) count--;
  return count;
}

/** Texts that fill their symbol exactly. */
export const fullTexts = (): Sample[] =>
  [1, 2, 7, 10, 27, 40].flatMap((version) =>
    QR_LEVELS.flatMap((level) =>
      MODES.map((mode) => ({
        name: `${mode.name}, as much as ${version}-${level} holds`,
        level,
        text: mode.letter.repeat(held(version, level, mode)),
      })),
    ),
  );

/** A few runs of one kind, short enough to try every segmentation. */
export function mixedTail(random: Random): string {
  const runs = random.several(1, 4, () =>
    word(
      random,
      random.pick([
        DIGITS,
        DIGITS,
        CAPITALS,
        ["a", "z"],
        ["a", ..."\\~"],
        KANJI,
        KANA,
        ["é", "😀"],
      ]),
      1,
      9,
    ),
  );
  return [...runs.join("")].slice(0, 15).join("");
}

/**
 * The fewest bits for `letters` lowercase letters followed by `tail`. Tries every assignment of modes, except those
 * that are already worse. After an ECI header there is no Kanji. Without one there is no byte beyond ASCII and, with
 * Kanji, none that Shift JIS decodes differently. Infinite if no way is left.
 */
export function leastBits(letters: number, tail: string, hasEci: boolean): number {
  const characters = [...tail];
  if (!hasEci && /[\\~]/.test(tail) && /[^\0-\x7f]/.test(tail)) return Infinity;
  const band = letters < 200 ? 0 : letters < 1400 ? 1 : 2;
  const bytes = characters.map((character) => Buffer.byteLength(character));
  const modes = characters.map((character, i) =>
    [
      DIGITS.includes(character) ? 1 : 0,
      CAPITALS.includes(character) ? 2 : 0,
      hasEci || bytes[i] === 1 ? 4 : 0,
      !hasEci && [...KANJI, ...KANA].includes(character) ? 8 : 0,
    ].filter((mode) => mode !== 0),
  );
  const header = (mode: number) => 4 + (SEGMENT_KINDS[mode]?.countBits[band] as number);
  let best = Infinity;
  const walk = (at: number, mode: number, count: number, closed: number) => {
    const bits = closed + (SEGMENT_KINDS[mode]?.bits(count) ?? 0);
    // No character takes fewer than 3 bits more.
    if (bits + 3 * (characters.length - at) >= best) return;
    if (at === characters.length) {
      best = bits;
      return;
    }
    for (const next of modes[at] as number[]) {
      const units = next === 4 ? (bytes[at] as number) : 1;
      if (next === mode) walk(at + 1, next, count + units, closed);
      else walk(at + 1, next, units, bits + header(next));
    }
  };
  const eci = hasEci ? 12 : 0;
  if (letters === 0) walk(0, 0, 0, eci);
  else walk(0, 4, letters, eci + header(4));
  return best;
}
