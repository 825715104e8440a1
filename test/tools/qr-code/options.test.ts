import assert from "node:assert/strict";
import { test } from "node:test";
import { readInput } from "#calls/read-input.ts";
import { chooseForm } from "#calls/run-tool.ts";
import { checkInput } from "#tools/check-input.ts";
import { channelsOf, contrastOf, readColor } from "#tools/qr-code/colors.ts";
import { layOutQr } from "#tools/qr-code/draw.ts";
import qrCode from "#tools/qr-code/tool.ts";
import fc from "../../support/properties.ts";
import { margins, readBlocks, readPng, readSvg } from "../read-qr.ts";
import { errorOf, runTool } from "../run-tool.ts";
import { printInColor, readWithJsqr, readWithZxing } from "./readers.ts";

const run = (request: unknown) => runTool(qrCode, request);
const faultOf = (request: unknown) => errorOf(() => run(request));

const MARGINS = Array.from({ length: 17 }, (_, margin) => margin);

/** Level L: 21, 25, 57 and 177 modules. */
const TEXTS = ["a", "a".repeat(30), "a".repeat(240), "a".repeat(2900)];

test("levels and formats are accepted in any case, and the response has the usual one", () => {
  for (const [level, canonical] of [..."lmqhLMQH"].map((each) => [each, each.toUpperCase()])) {
    const response = run({ text: "a", errorCorrectionLevel: level, format: "Svg" });
    assert.equal(response.errorCorrectionLevel, canonical);
    assert.deepEqual(response, run({ text: "a", errorCorrectionLevel: canonical, format: "svg" }));
  }
  for (const format of ["png", "svg", "utf8"]) {
    for (const spelling of [
      format.toUpperCase(),
      `${format[0]?.toUpperCase()}${format.slice(1)}`,
    ]) {
      assert.deepEqual(run({ text: "a", format: spelling }), run({ text: "a", format }));
    }
  }
});

test("the default margin and colors draw the same as none, and are repeated", () => {
  for (const format of ["png", "svg", "utf8"]) {
    const colors = format === "utf8" ? {} : { dark: "#000", light: "#FFFFFF" };
    for (const text of TEXTS) {
      const request = { text, format, errorCorrectionLevel: "L", width: 800 };
      const plain = run(request);
      const asked = run({ ...request, margin: 4, ...colors });
      assert.equal(asked.output, plain.output);
      assert.deepEqual(Object.keys(plain).slice(-2), ["mimeType", "output"]);
      assert.deepEqual(
        Object.keys(asked),
        Object.keys(plain).concat("margin", Object.keys(colors)),
      );
    }
  }
});

test("svg and utf8 have the margin on every side, with the same modules", () => {
  for (const text of TEXTS) {
    const plain = run({ text, format: "svg", errorCorrectionLevel: "L" }).output;
    const modules = plain.replaceAll(/M\d+ \d+/g, "M");
    for (const margin of MARGINS) {
      const request = { text, errorCorrectionLevel: "L", margin };
      const svg = run({ ...request, format: "svg" });
      assert.equal(svg.margin, margin);
      const picture = readSvg(svg.output);
      assert.deepEqual(margins(picture), [margin, margin, margin, margin]);
      assert.equal(picture.width, readSvg(plain).width - 8 + 2 * margin);
      const drawn = svg.output.replaceAll(/M\d+ \d+/g, "M");
      assert.equal(drawn.slice(drawn.indexOf("<path")), modules.slice(modules.indexOf("<path")));
      const blocks = run({ ...request, format: "utf8" });
      assert.equal(blocks.margin, margin);
      // A symbol has an odd number of rows: the last line of blocks has room for one more.
      assert.deepEqual(margins(readBlocks(blocks.output)), [margin, margin, margin, margin + 1]);
    }
  }
});

test("whatever the size, margin and width are, a layout keeps to its rules", () => {
  const sizes = fc.integer({ min: 1, max: 40 }).map((version) => 17 + 4 * version);
  const widths = fc.integer({ min: 64, max: 2048 });
  fc.assert(
    fc.property(sizes, widths, fc.constantFrom(...MARGINS), (size, width, margin) => {
      const layout = layOutQr(size, width, margin);
      const right = layout.width - layout.offset - size * layout.scale;
      assert.ok(right === layout.offset || right === layout.offset + 1);
      if (width < size) assert.deepEqual(layout.offset, margin * layout.scale);
      else assert.equal(layout.width, width);
      const hasRoom = width >= 2 * (size + 2 * margin);
      assert.equal(
        layout.scale >= 2 && layout.offset >= margin * layout.scale,
        hasRoom || width < size,
      );
      if (!hasRoom) assert.ok(layout.scale <= 2);
      // One pixel more a module would take from the margin.
      if (hasRoom) assert.ok((layout.scale + 1) * (size + 2 * margin) > width);
    }),
    { numRuns: 5000 },
  );
});

test("a margin is a whole number from 0 to 16, and not clamped", () => {
  for (const margin of [-1, 17, 0.5, Number.POSITIVE_INFINITY, "4", null, true, [4]]) {
    const { code, details } = faultOf({ text: "a", margin });
    assert.equal(code, "invalid_request");
    assert.equal(details.errors?.[0]?.pointer, "/margin");
  }
  // JSON has no negative zero.
  assert.equal(JSON.parse(JSON.stringify(run({ text: "a", format: "svg", margin: -0 }))).margin, 0);
});

/** What is sent, how the response says it, and how SVG writes it. */
const COLORS: [string, string, string][] = [
  ["#000", "#000000", "#000"],
  ["#036", "#003366", "#036"],
  ["#036f4A", "#036f4a", "#036f4a"],
  ["#AbC", "#aabbcc", "#abc"],
  ["#AABBCC", "#aabbcc", "#abc"],
  ["#aabbcd", "#aabbcd", "#aabbcd"],
];

test("colors are read in any case and with three or six digits", () => {
  for (const [sent, color, inSvg] of COLORS) {
    assert.equal(readColor(sent), color);
    const isDark = contrastOf(color, "#ffffff") >= 50;
    const field = isDark ? "dark" : "light";
    const request = { text: "a", [field]: sent };
    const png = run(request);
    assert.equal(png[field], color);
    const expected = { dark: [0, 0, 0, 255], light: [255, 255, 255, 255] };
    expected[field] = [...channelsOf(color), 255];
    assert.deepEqual(readPng(png.output).colors, expected);
    const { ink, paper } = readSvg(run({ ...request, format: "svg" }).output);
    assert.deepEqual([ink, paper], isDark ? [inSvg, "#fff"] : ["#000", inSvg]);
  }
});

test("a transparent background is no rectangle in SVG and has no alpha in PNG", () => {
  for (const light of ["transparent", "Transparent", "TRANSPARENT"]) {
    const request = { text: "a", dark: "#123456", light };
    const png = run(request);
    assert.equal(png.light, "transparent");
    const { colors } = readPng(png.output);
    assert.deepEqual(colors, { dark: [0x12, 0x34, 0x56, 255], light: [255, 255, 255, 0] });
    const svg = run({ ...request, format: "svg" }).output;
    assert.deepEqual(
      [readSvg(svg).ink, readSvg(svg).paper, svg.includes("<rect")],
      ["#123456", undefined, false],
    );
  }
});

test("anything but a color is refused at its field", () => {
  const wrong = ["", "#", "#00", "#0000", "#00000", "#0000000", "#00000000", "000", "#ggg", "red"];
  for (const color of [
    ...wrong,
    " #000",
    "#000 ",
    "#000\n",
    "rgb(0,0,0)",
    "#٠٠٠",
    null,
    0,
    ["#000"],
  ]) {
    for (const field of ["dark", "light"]) {
      const { code, details } = faultOf({ text: "a", [field]: color });
      assert.equal(code, "invalid_request");
      assert.deepEqual(
        details.errors?.map(({ pointer }) => pointer),
        [`/${field}`],
      );
    }
  }
  assert.match(faultOf({ text: "a", dark: "transparent" }).message, /^`dark` must be a color as/);
  assert.match(faultOf({ text: "a", light: "none" }).message, /or `transparent`\.$/);
});

/** Dark, light, and words of the message; none where scanners can read it. */
const CONTRASTS: [string | undefined, string | undefined, RegExp | undefined][] = [
  ["#1a73e8", undefined, undefined],
  ["#d00", "#fff", undefined],
  ["#060", "#ffe", undefined],
  [undefined, "#808080", undefined],
  [undefined, "#7f7f7f", /^`light` must be lighter than `dark` by at least 50 % .*got 49 %\.$/],
  ["#7f7f7f", "#fff", undefined],
  ["#808080", "#fff", /^`dark` must be darker than `light` by at least 50 % .*got 49 %\.$/],
  ["#ff0", undefined, /^`dark` must be darker/],
  ["#f80", "#fff", /got 38 %\.$/],
  // Far apart in hue, not in brightness: jsQR sees two levels of 255 between them.
  ["#1e3c2d", "#f00", /^`dark` must be darker than `light` by at least 50 % .*got 0 %\.$/],
  ["#777", "transparent", undefined],
  ["#aaa", "transparent", /got 33 %\.$/],
  // Inverted, however large the contrast is.
  [
    "#fff",
    "#000",
    /^`dark` must be darker than `light`: many scanners cannot read light modules on a dark/,
  ],
  ["#fff", undefined, /^`dark` must be darker than `light`: many scanners/],
  [undefined, "#000", /^`light` must be lighter than `dark`: many scanners/],
  ["#fff", "transparent", /: many scanners/],
];

test("colors are refused where scanners cannot tell them apart, in every format that has colors", () => {
  for (const [dark, light, words] of CONTRASTS) {
    for (const format of ["png", "svg"]) {
      const request = {
        ...{ text: "a", format },
        ...(dark !== undefined && { dark }),
        ...(light !== undefined && { light }),
      };
      if (words === undefined) assert.equal(run(request).ok, true, JSON.stringify(request));
      else assert.match(faultOf(request).message, words);
    }
  }
});

test("utf8 takes a margin and no colors", () => {
  const message = "must be left out for `utf8`, which has no colors";
  for (const colors of [
    { dark: "#000" },
    { light: "transparent" },
    { dark: "#123", light: "#fff" },
  ]) {
    const { details } = faultOf({ text: "a", format: "utf8", ...colors });
    assert.deepEqual(
      details.errors,
      Object.keys(colors).map((field) => ({ pointer: `/${field}`, detail: message })),
    );
  }
});

test("an Accept that asks for text contradicts a color", () => {
  const sent = readInput(qrCode, {
    ...{ body: Buffer.from('{"text":"a"}'), contentType: "application/json", query: "dark=%23036" },
  });
  const { input } = checkInput(qrCode, sent.value, sent.parameters);
  const { dark } = input as { dark: string };
  assert.throws(() => chooseForm(qrCode as never, "text/plain", { text: "a", dark }), {
    code: "not_acceptable",
    message: "Accept asks for text/plain, but `dark` is `#003366`. Leave one of them out.",
  });
  const either = chooseForm(qrCode as never, "text/plain, image/png;q=0.5", { text: "a", dark });
  assert.equal(either?.type, "image/png");
});

const channel = fc.integer({ min: 0, max: 255 });
const anyColor = fc
  .tuple(channel, channel, channel)
  .map((parts) => `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`);

test("what is accepted has 127 levels of grey between its colors, however a reader weights them", () => {
  let accepted = 0;
  fc.assert(
    fc.property(anyColor, fc.oneof(anyColor, fc.constant("#ffffff")), (dark, light) => {
      if (contrastOf(dark, light) < 50) return;
      accepted += 1;
      const [from, to] = [channelsOf(dark), channelsOf(light)];
      for (const [red, green, blue] of [
        [0.299, 0.587, 0.114],
        [0.2126, 0.7152, 0.0722],
        // ZXing's integers.
        [306 / 1024, 601 / 1024, 117 / 1024],
      ] as const) {
        const grey = ([r, g, b]: readonly [number, number, number]) =>
          red * r + green * g + blue * b;
        assert.ok(grey(to) - grey(from) > 127, `${dark} on ${light}`);
      }
    }),
    { numRuns: 3000 },
  );
  assert.ok(accepted > 300, `${accepted}`);
});

/** The palest that are accepted, strong hues, and the usual ones. */
const PAIRS: [string, string][] = [
  ["#000", "#fff"],
  ["#7f7f7f", "#fff"],
  ["#000", "#808080"],
  ["#1a73e8", "transparent"],
  ["#d00", "#ffe"],
  ["#009", "#0f0"],
  ["#400", "#f80"],
];
const WIDTHS = [64, 177, 256, 400];

test("with every margin, and in all colors, both readers read a PNG", async () => {
  for (const margin of MARGINS) {
    const [dark, light] = PAIRS[margin % PAIRS.length] as (typeof PAIRS)[number];
    const width = WIDTHS[margin % WIDTHS.length] as number;
    const text = margin % 3 === 0 ? "é 漢字漢字" : "https://example.com/4711";
    const picture = readPng(run({ text, width, margin, dark, light }).output);
    assert.equal(picture.width, width);
    // The page has what the picture lacks of a quiet zone of four modules.
    const pixels = printInColor(picture, 4 * Math.ceil(width / 21));
    const shown = JSON.stringify({ margin, width, dark, light, text });
    assert.equal(await readWithZxing(pixels), text, shown);
    assert.equal(readWithJsqr(pixels), text, shown);
  }
});
