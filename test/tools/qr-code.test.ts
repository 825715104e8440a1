import assert from "node:assert/strict";
import { test } from "node:test";
import { layOutQr } from "#tools/qr-code/draw.ts";
import qrCode from "#tools/qr-code/tool.ts";
import { margins, type Picture, readPng, readSvg } from "./read-qr.ts";
import { runTool } from "./run-tool.ts";

const run = (request: unknown) => runTool(qrCode, request);

/** Level L, so that `length` letters give a known version. */
const ofSize: Record<number, string> = Object.fromEntries(
  [
    [21, 1],
    [25, 30],
    [57, 240],
    [61, 321],
    [65, 322],
    [177, 2900],
  ].map(([size, length]) => [size, "a".repeat(length as number)]),
);

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

/** Modules in a row, margin and width asked for; then width used, pixels a module, light pixels to the left. */
const LAYOUTS: [number, number, number, number, number, number][] = [
  [21, 4, 64, 64, 2, 11],
  [21, 4, 256, 256, 8, 44],
  [21, 4, 2048, 2048, 70, 289],
  // 33 modules with quiet zone do not fit at two pixels each in 64 pixels; 25 without it do.
  [25, 4, 64, 64, 2, 7],
  [25, 4, 66, 66, 2, 8],
  // One pixel per module; the rest is quiet zone.
  [57, 4, 64, 64, 1, 3],
  [57, 4, 113, 113, 1, 28],
  [57, 4, 114, 114, 2, 0],
  [57, 4, 130, 130, 2, 8],
  [57, 4, 195, 195, 3, 12],
  [61, 4, 64, 64, 1, 1],
  // Where not even one pixel a module fits, the full quiet zone at two.
  [65, 4, 64, 146, 2, 8],
  [21, 0, 64, 64, 3, 0],
  [21, 0, 63 + 21, 84, 4, 0],
  [21, 1, 69, 69, 3, 3],
  [21, 16, 2 * 53, 106, 2, 32],
  // 53 modules with their quiet zone do not fit twice, 21 without it do: a narrower zone, and no third pixel.
  [21, 16, 105, 105, 2, 31],
  [21, 16, 64, 64, 2, 11],
  [57, 0, 113, 113, 1, 28],
  [57, 0, 114, 114, 2, 0],
  [57, 16, 177, 177, 2, 31],
  [57, 16, 178, 178, 2, 32],
  [177, 0, 176, 354, 2, 0],
  [177, 0, 177, 177, 1, 0],
  [177, 16, 176, 418, 2, 32],
];

test("a PNG has the width and the margin asked for, as far as there is room for its modules", () => {
  for (const [size, margin, asked, width, scale, offset] of LAYOUTS) {
    const shown = JSON.stringify([size, margin, asked]);
    assert.deepEqual(layOutQr(size, asked, margin), { width, scale, offset }, shown);
    const request = { text: ofSize[size], errorCorrectionLevel: "L" };
    const response = run({ ...request, width: asked, margin });
    assert.deepEqual([response.width, response.margin], [width, Math.floor(offset / scale)], shown);
    const picture = readPng(response.output);
    assert.deepEqual([picture.width, picture.height], [width, width]);
    const far = width - offset - size * scale;
    assert.deepEqual(margins(picture), [offset, offset, far, far], shown);
    assert.ok(far - offset === 0 || far - offset === 1, shown);
    assertDrawn(picture, readSvg(run({ ...request, format: "svg" }).output), scale, offset);
  }
});

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
