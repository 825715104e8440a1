import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeQr, type QrSymbol } from "#tools/qr-code/encode-qr.ts";
import { kanjiCode } from "#tools/qr-code/kanji.ts";
import { readRaw } from "./readers.ts";
import { corpus, generatedTexts, type Sample } from "./texts.ts";

/** Kanji mode (ISO/IEC 18004, section 7.4.6): which characters it has, and which may be next to them. */
const modesOf = ({ text, level }: Pick<Sample, "text" | "level">) =>
  readRaw(encodeQr(text, level) as QrSymbol).segments.map(({ mode }) => mode);

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

test("the table of Kanji is built for a candidate, not for accents, other scripts or emoji", async () => {
  const { TextDecoder: Decoder } = globalThis;
  let made = 0;
  globalThis.TextDecoder = class extends Decoder {
    constructor(...options: ConstructorParameters<typeof Decoder>) {
      super(...options);
      made++;
    }
  };
  try {
    // A fresh module that has not encoded any text.
    const address = import.meta.resolve("#tools/qr-code/kanji.ts");
    const fresh: { kanjiCode: typeof kanjiCode } = await import(`${address}?fresh`);
    for (const character of "éüßñøčŁ£¥«»ªאبกक각ẹ😀") fresh.kanjiCode(character);
    assert.equal(made, 0);
    assert.equal(fresh.kanjiCode("漢"), kanjiCode("漢"));
    assert.equal(made, 1);
  } finally {
    globalThis.TextDecoder = Decoder;
  }
});

test("with Kanji segments there is no ECI header, and no byte that Shift JIS decodes differently", (t) => {
  const samples = [...corpus(), ...generatedTexts(1100, 5)];
  let withKanji = 0;
  for (const sample of samples.filter(({ text, level }) => encodeQr(text, level) !== undefined)) {
    const modes = modesOf(sample);
    if (!modes.includes("Kanji")) continue;
    assert.ok(!modes.includes("ECI"), sample.name);
    assert.doesNotMatch(sample.text, /[\\~]/, sample.name);
    withKanji++;
  }
  t.diagnostic(`${withKanji} texts with Kanji segments`);
  assert.ok(withKanji > 100);
});

test("with a backslash or a tilde all that is not ASCII is written in bytes", () => {
  for (const [text, modes] of [
    ["WIFI:T:WPA;S:カフェ東京店;P:password;;", ["alphanumeric", "byte", "Kanji", "byte"]],
    ["WIFI:T:WPA;S:カフェ東京店;P:pa~ss\\;word;;", ["ECI", "alphanumeric", "byte"]],
    ["漢字かな交じり文~", ["ECI", "byte"]],
    ["\\漢字かな交じり文", ["ECI", "byte"]],
    ["漢字かな交じり文}", ["Kanji", "byte"]],
    ["~ASCII\\", ["byte"]],
  ] as const) {
    assert.deepEqual(modesOf({ text, level: "L" }), modes, text);
  }
});
