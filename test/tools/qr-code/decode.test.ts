import assert from "node:assert/strict";
import { test } from "node:test";
import { QR_TEXT_BYTES_MAX } from "#limits.ts";
import type { QrLevel } from "#tools/qr-code/capacity.ts";
import { layOutQr } from "#tools/qr-code/draw.ts";
import { encodeQr } from "#tools/qr-code/encode-qr.ts";
import qrCode from "#tools/qr-code/tool.ts";
import { Random } from "../markdown-render/random.ts";
import { type Picture, readBlocks, readPng, readSvg } from "../read-qr.ts";
import { runTool } from "../run-tool.ts";
import {
  enlarge,
  modesByJsqr,
  type Pixels,
  pictureOf,
  readWithJsqr,
  readWithZxing,
} from "./readers.ts";
import { corpus, corpusMissing, fullTexts, generatedTexts, planOf, type Sample } from "./texts.ts";

/**
 * Two independent readers decode our drawings. They read every text from its modules at two pixels each, and some in every format
 * at every width. The readers may fail on a text that nobody has tried, so a plain run has the same texts each time;
 * `TEST_QR_TEXTS` sets how many of the corpus and how many generated from `TEST_SEED` are read, `TEST_QR_RUNS` how many in every format.
 */
const SIZE = process.env["TEST_QR_TEXTS"];
const TEXTS = Number(SIZE ?? 22);
const SEED = SIZE === undefined ? 20_260 : Number(process.env["TEST_SEED"] ?? 20_260);
const RUNS = Number(process.env["TEST_QR_RUNS"] ?? 1);
const WIDTHS = [64, 100, 177, 256, 777, 2048];

const known = corpus().filter(({ text }) => text !== "");
const full = fullTexts();
const generated = generatedTexts(TEXTS, SEED);

/** How one drawing was read; `scale` is in pixels per module. */
type Reading = {
  sample: Sample;
  drawing: string;
  scale: number;
  zxing: string | undefined;
  jsqr: string | undefined;
};

/** Cases in which a reader may fail, each with its reason; they are counted and printed. */
const DIFFERENCES: { name: string; applies(reading: Reading): boolean }[] = [
  {
    // Hardly more than one sample per module, so only zxing must read it. No text is known that jsQR fails to read.
    name: "jsQR finds no symbol at fewer than 2 pixels a module",
    applies: ({ scale, ...read }) => scale < 2 && onlyZxing(read),
  },
  {
    // An SVG whose width is not a multiple of its modules: jsQR assumes that all modules are equally wide. Both must
    // read the same SVG at whole pixels per module. This is why a PNG has whole pixels.
    name: "jsQR finds no symbol where some modules are a pixel wider than others",
    applies: ({ scale, ...read }) => !Number.isInteger(scale) && onlyZxing(read),
  },
];

const onlyZxing = ({ sample, zxing, jsqr }: Omit<Reading, "scale">) =>
  zxing === sample.text && jsqr === undefined;

class Readings {
  private count = 0;
  private readonly differing = new Map<string, number>();

  async read(sample: Sample, drawing: string, scale: number, pixels: Pixels): Promise<void> {
    this.count++;
    const zxing = await readWithZxing(pixels);
    const jsqr = readWithJsqr(pixels);
    if (zxing === sample.text && jsqr === sample.text) return;
    const reading: Reading = { sample, drawing, scale, zxing, jsqr };
    const name = DIFFERENCES.find(({ applies }) => applies(reading))?.name;
    assert.ok(name !== undefined, `not read back: ${JSON.stringify(reading)}`);
    this.differing.set(name, (this.differing.get(name) ?? 0) + 1);
  }

  report(texts: number): string {
    const told = [...this.differing].map(([name, times]) => `${times} times: ${name}`);
    return `${texts} texts, seed ${SEED}, ${this.count} drawings read by both readers; ${told.join("; ") || "no difference"}`;
  }
}

function symbolOf(text: string, level: QrLevel) {
  const symbol = encodeQr(text, level);
  assert.ok(symbol !== undefined, `no symbol at ${level} for ${JSON.stringify(text)}`);
  return symbol;
}

function draw({ text, level }: Sample, format: string, width: number) {
  return runTool(qrCode, { text, format, width, errorCorrectionLevel: level });
}

/** As the tool takes them. The corpus has one that only the engine takes. */
const isWithinBound = ({ text }: Sample) => Buffer.byteLength(text) <= QR_TEXT_BYTES_MAX;
const fits = ({ text, level }: Sample) => planOf(text, level) !== undefined;

test("every text is read back by both readers", async (t) => {
  const readings = new Readings();
  const samples = [...known.slice(0, TEXTS), ...generated, ...full].filter(fits);
  assert.ok(samples.length >= TEXTS / 2 + full.length);
  for (const sample of samples) {
    const picture = pictureOf(symbolOf(sample.text, sample.level));
    await readings.read(sample, "modules", 2, enlarge(picture, 2));
  }
  t.diagnostic(readings.report(samples.length));
});

const eligible = [...known, ...generated].filter(fits).filter(isWithinBound);
const random = new Random(SEED);
const sample = Array.from({ length: RUNS }, () => random.pick(eligible));

for (const width of WIDTHS) {
  test(`drawn as PNG and as SVG at width ${width}, a text is read back`, async (t) => {
    const readings = new Readings();
    for (const one of sample) {
      const { size } = symbolOf(one.text, one.level);
      const { scale } = layOutQr(size, width);
      const picture = readPng(draw(one, "png", width).output);
      await readings.read(one, `png ${width}`, scale, enlarge(picture));
      const svg = readSvg(draw(one, "svg", width).output);
      assert.equal(svg.drawnWidth, width);
      // Fewer than two pixels per module are not tested, because viewers can enlarge an SVG.
      const shown = Math.max(width, 2 * svg.width);
      await readings.read(one, `svg ${width}`, shown / svg.width, rasterize(svg, shown));
    }
    t.diagnostic(readings.report(sample.length));
  });
}

test("drawn as SVG of whole pixels and as blocks, a text is read back", async (t) => {
  const readings = new Readings();
  for (const one of sample) {
    const svg = readSvg(draw(one, "svg", 256).output);
    await readings.read(one, "svg", 3, enlarge(svg, 3));
    // The text drawing is the same at every width, which is only repeated in the response.
    const outputs = WIDTHS.map((width) => draw(one, "utf8", width).output);
    assert.equal(new Set(outputs).size, 1);
    await readings.read(one, "utf8", 8, enlarge(readBlocks(outputs[0] as string), 8));
  }
  t.diagnostic(readings.report(sample.length));
});

/** `width` pixels, each with the color at its center, as `crispEdges` requests. */
function rasterize({ width: modules, dark }: Picture, width: number): Pixels {
  const under = Array.from({ length: width }, (_, pixel) =>
    Math.floor(((pixel + 0.5) * modules) / width),
  );
  const picture = { width, height: width, dark: new Uint8Array(width * width) };
  for (let y = 0; y < width; y++) {
    const row = (under[y] as number) * modules;
    for (let x = 0; x < width; x++) {
      picture.dark[y * width + x] = dark[row + (under[x] as number)] as number;
    }
  }
  return enlarge(picture);
}

test("the version of a text of the corpus is the smallest, and below it only with Kanji mode", {
  skip: corpusMissing,
}, (t) => {
  let smaller = 0;
  for (const { name, text, level, optimalVersion, optimalVersionWithEci26 } of known) {
    const symbol = planOf(text, level);
    if (typeof optimalVersion !== "number") {
      assert.equal(symbol, undefined, name);
      continue;
    }
    const version = symbol?.version ?? Infinity;
    const isAscii = /^[\0-\x7f]*$/.test(text);
    const optimum = (isAscii ? optimalVersion : optimalVersionWithEci26) as number;
    if (version === optimum) continue;
    assert.ok(!isAscii && version < optimum, `${name}: version ${version}, not ${optimum}`);
    const modes = modesByJsqr(enlarge(pictureOf(symbolOf(text, level)), 4));
    assert.ok(modes.includes("kanji"), `${name}: version ${version} with ${modes.join(", ")}`);
    smaller++;
  }
  t.diagnostic(`${known.length} texts of the corpus, ${smaller} of them smaller with Kanji mode`);
});
