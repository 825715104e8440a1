import assert from "node:assert/strict";
import { test } from "node:test";
import { QR_LEVELS } from "#tools/qr-code/capacity.ts";
import { encodeQr, type QrSymbol } from "#tools/qr-code/encode-qr.ts";
import { Random } from "../markdown-render/random.ts";
import {
  blockTable,
  dataModules,
  enlarge,
  pictureOf,
  readRaw,
  readWithJsqr,
  readWithZxing,
} from "./readers.ts";

/**
 * ISO/IEC 18004, section 7.5.1: half as many wrong codewords of a block can be corrected as it has check codewords.
 * Table 9 reserves a few of them in versions 1 to 3 to detect miscorrections; both readers use them for correction.
 */
const VERSIONS = [1, 2, 3, 4, 5, 7, 10];

/** In which block each codeword of the symbol is, in the order in which they are placed (section 7.6). */
function blockOfCodewords(symbol: QrSymbol): number[] {
  const { version, level } = readRaw(symbol);
  const { data, blocks, total } = blockTable(version, level);
  const short = Math.floor(data / blocks) * blocks;
  const shortBlocks = blocks - (data % blocks);
  return Array.from({ length: total }, (_, i) => {
    if (i < short) return i % blocks;
    return i < data ? i - short + shortBlocks : (i - data) % blocks;
  });
}

/** The symbol with one to eight flipped modules in `wrong` codewords of each block. */
function damage(symbol: QrSymbol, wrong: number, random: Random): QrSymbol {
  const places = dataModules(symbol.version);
  const dark = symbol.dark.slice();
  const blockOf = blockOfCodewords(symbol);
  for (let block = 0; block <= Math.max(...blockOf); block++) {
    const left = [...blockOf.keys()].filter((i) => blockOf[i] === block);
    for (let i = 0; i < wrong; i++) {
      const [codeword] = left.splice(random.between(0, left.length - 1), 1) as [number];
      const pattern = random.between(1, 255);
      for (let bit = 0; bit < 8; bit++) {
        const { x, y } = places[8 * codeword + bit] as { x: number; y: number };
        const at = y * symbol.size + x;
        dark[at] = (dark[at] as number) ^ ((pattern >> bit) & 1);
      }
    }
  }
  return { ...symbol, dark };
}

async function readBoth(symbol: QrSymbol): Promise<(string | undefined)[]> {
  const pixels = enlarge(pictureOf(symbol), 4);
  return [await readWithZxing(pixels), readWithJsqr(pixels)];
}

test("both readers correct as many wrong codewords in every block as the level promises", async () => {
  const random = new Random(7_5_1);
  for (const version of VERSIONS) {
    for (const level of QR_LEVELS) {
      const wrong = Math.floor(blockTable(version, level).check / 2);
      const text = fill(version, level, random);
      const symbol = encodeQr(text, level) as QrSymbol;
      assert.equal(symbol.version, version);
      const read = await readBoth(damage(symbol, wrong, random));
      assert.deepEqual(read, [text, text], `${version}-${level}`);
    }
  }
});

/** As many lowercase letters as the version holds. */
function fill(version: number, level: (typeof QR_LEVELS)[number], random: Random): string {
  const most = blockTable(version, level).data - (version < 10 ? 2 : 3);
  return random.several(most, most, () => random.pick([..."abcdefghijklmnopqrstuvwxyz"])).join("");
}

test("one codeword more than can be corrected is not read as the text", async () => {
  const random = new Random(7_5_2);
  for (const level of QR_LEVELS) {
    const text = fill(7, level, random);
    const symbol = encodeQr(text, level) as QrSymbol;
    const wrong = Math.floor(blockTable(7, level).check / 2) + 1;
    assert.deepEqual(await readBoth(damage(symbol, wrong, random)), [undefined, undefined], level);
  }
});
