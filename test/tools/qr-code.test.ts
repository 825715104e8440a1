import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import qrCode from "#tools/qr-code/tool.ts";
import { anyUrl } from "../support/arbitraries.ts";
import { enlarge, readWithJsqr, readWithQr } from "./qr-code/readers.ts";
import { margins, type Picture, readBlocks, readPng, readSvg } from "./read-qr.ts";
import { errorOf, runTool } from "./run-tool.ts";

const run = (request: unknown) => runTool(qrCode, request);
const problem = (request: unknown) => errorOf(() => run(request));

/** jsQR finds no pattern in some of the largest symbols. */
function decode(picture: Picture, scale: number): string | undefined {
  const pixels = enlarge(picture, scale);
  return readWithJsqr(pixels) ?? readWithQr(pixels);
}

/** Level L, so that `length` letters give a known version. */
const ofSize: Record<number, string> = { 21: "a", 25: "a".repeat(30), 57: "a".repeat(240) };

test("the response has the specified fields in order, with the defaults", () => {
  const response = run({ text: "hello" });
  assert.deepEqual(Object.keys(response), [
    "ok",
    "format",
    "errorCorrectionLevel",
    "width",
    "mimeType",
    "output",
  ]);
  assert.partialDeepStrictEqual(response, {
    ok: true,
    format: "png",
    errorCorrectionLevel: "M",
    width: 256,
    mimeType: "image/png",
  });
});

test("each format has its media type", () => {
  const types = { png: "image/png", svg: "image/svg+xml", utf8: "text/plain" };
  for (const [format, mimeType] of Object.entries(types)) {
    assert.partialDeepStrictEqual(run({ text: "a", format }), { format, mimeType });
  }
});

for (const errorCorrectionLevel of ["L", "M", "Q", "H"] as const) {
  test(`a symbol at level ${errorCorrectionLevel} says so in its format bits`, () => {
    const response = run({ text: "hello", errorCorrectionLevel, format: "svg" });
    assert.equal(response.errorCorrectionLevel, errorCorrectionLevel);
    const { width, dark } = readSvg(response.output);
    // ISO/IEC 18004, table 12 and section 7.9.1: the first two of the format bits, masked with 10.
    const bits = [0, 1].map((x) => dark[(4 + 8) * width + 4 + x]);
    const expected = { L: [1, 1], M: [1, 0], Q: [0, 1], H: [0, 0] };
    assert.deepEqual(bits, expected[errorCorrectionLevel]);
  });
}

test("the same text decodes from all three formats", () => {
  const texts = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 120 }),
    anyUrl,
    fc.stringMatching(/^[0-9]{1,200}$/),
    fc.stringMatching(/^[0-9A-Z $%*+\-./:]{1,200}$/),
  );
  fc.assert(
    fc.property(texts, fc.constantFrom("L", "M", "Q", "H"), (text, errorCorrectionLevel) => {
      const request = { text, errorCorrectionLevel };
      assert.equal(decode(readSvg(run({ ...request, format: "svg" }).output), 4), text);
      assert.equal(decode(readPng(run({ ...request, width: 600 }).output), 1), text);
      assert.equal(decode(readBlocks(run({ ...request, format: "utf8" }).output), 4), text);
    }),
    { numRuns: Number(process.env["TEST_QR_RUNS"] ?? 25) },
  );
});

test("the three formats draw the same modules", () => {
  for (const text of ["a", "b".repeat(100), "c".repeat(2331)]) {
    const svg = readSvg(run({ text, format: "svg" }).output);
    const blocks = readBlocks(run({ text, format: "utf8" }).output);
    const png = readPng(run({ text, width: svg.width * 3 }).output);
    assert.equal(blocks.width, svg.width);
    assertDrawn(blocks, svg, 1, 4);
    assertDrawn(png, svg, 3, 12);
  }
});

test("4 KB are the bound of the text, whatever a symbol holds", () => {
  assert.equal(run({ text: "7".repeat(4096), errorCorrectionLevel: "M" }).ok, true);
  assert.equal(problem({ text: "7".repeat(4097), errorCorrectionLevel: "L" }).code, "too_large");
  assert.equal(problem({ text: "é".repeat(2049) }).code, "too_large");
});

test("the width is rounded and clamped, never rejected", () => {
  for (const [json, width] of [
    ["64", 64],
    ["2048", 2048],
    ["63.4", 64],
    ["100.5", 101],
    ["1e2", 100],
    ["0", 64],
    ["-0", 64],
    ["-5", 64],
    ["2049", 2048],
    ["1e400", 2048],
    ["-1e400", 64],
  ] as const) {
    for (const format of ["png", "svg", "utf8"]) {
      const response = run({ text: "a", format, width: JSON.parse(json) });
      assert.equal(response.width, width, json);
      if (format === "png") assert.equal(readPng(response.output).width, width);
      if (format === "svg") assert.equal(readSvg(response.output).drawnWidth, width);
    }
  }
});

/** Modules in a row and requested width; then used width, pixels per module and light pixels on the left. */
const LAYOUTS: [number, number, number, number, number][] = [
  [21, 64, 64, 2, 11],
  [21, 256, 256, 8, 44],
  [21, 2048, 2048, 70, 289],
  // 33 modules with quiet zone do not fit at two pixels each in 64 pixels; 25 without it do.
  [25, 64, 64, 2, 7],
  [25, 66, 66, 2, 8],
  // One pixel per module; the rest is quiet zone.
  [57, 64, 64, 1, 3],
  [57, 113, 113, 1, 28],
  [57, 114, 114, 2, 0],
  [57, 130, 130, 2, 8],
  [57, 195, 195, 3, 12],
];

for (const [size, asked, used, scale, offset] of LAYOUTS) {
  test(`${size} modules in ${asked} pixels: ${scale} pixels a module after ${offset} of quiet zone`, () => {
    const text = ofSize[size] as string;
    const response = run({ text, errorCorrectionLevel: "L", width: asked });
    assert.equal(response.width, used);
    const picture = readPng(response.output);
    assert.deepEqual([picture.width, picture.height], [used, used]);
    const far = used - offset - size * scale;
    assert.deepEqual(margins(picture).slice(0, 2), [offset, offset]);
    assert.ok(far - offset === 0 || far - offset === 1);
    const modules = readSvg(run({ text, errorCorrectionLevel: "L", format: "svg" }).output);
    assert.equal(modules.width, size + 8);
    assertDrawn(picture, modules, scale, offset);
  });
}

/** Every pixel belongs to the module under it, or is light. */
function assertDrawn(picture: Picture, modules: Picture, scale: number, offset: number): void {
  const moduleAt = (pixel: number) => Math.floor((pixel - offset) / scale) + 4;
  const expected = new Uint8Array(picture.width * picture.height);
  for (let y = 0; y < picture.height; y++) {
    for (let x = 0; x < picture.width; x++) {
      const [mx, my] = [moduleAt(x), moduleAt(y)];
      const inside = mx >= 0 && my >= 0 && mx < modules.width && my < modules.width;
      const dark = inside ? modules.dark[my * modules.width + mx] : 0;
      expected[y * picture.width + x] = dark as number;
    }
  }
  assert.ok(Buffer.from(picture.dark).equals(expected));
}

test("the picture is larger than requested only if one pixel per module does not fit", () => {
  // Version 11 has 61 modules, version 12 has 65.
  assert.equal(run({ text: "a".repeat(321), errorCorrectionLevel: "L", width: 64 }).width, 64);
  const larger = run({ text: "a".repeat(322), errorCorrectionLevel: "L", width: 64 });
  assert.equal(larger.width, 2 * (65 + 8));
  const picture = readPng(larger.output);
  assert.equal(picture.width, 146);
  assert.deepEqual(margins(picture), [8, 8, 8, 8]);
  assert.equal(decode(picture, 1), "a".repeat(322));
});

test("fields that do not match the schema are rejected", () => {
  for (const bad of [
    { text: "" },
    { text: 5 },
    { text: null },
    {},
    { text: "\udc00" },
    { text: "a", format: "gif" },
    { text: "a", format: "SVGs" },
    { text: "a", format: null },
    { text: "a", errorCorrectionLevel: "ℓ" },
    { text: "a", errorCorrectionLevel: "X" },
    { text: "a", width: "256" },
    { text: "a", width: null },
    { text: "a", width: true },
    { text: "a", width: [256] },
    { text: "a", size: 256 },
  ]) {
    assert.equal(problem(bad).code, "invalid_request", JSON.stringify(bad));
  }
});
