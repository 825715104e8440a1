import assert from "node:assert/strict";
import { test } from "node:test";
import jsqr from "jsqr";
import { decodeQR } from "qr/decode.js";
import { readBarcodes } from "zxing-wasm/reader";
import { readInput } from "#calls/read-input.ts";
import { encodeQr, type QrSymbol } from "#tools/qr-code/encode-qr.ts";
import qrCode from "#tools/qr-code/tool.ts";
import { readBlocks, readPng } from "../read-qr.ts";
import { errorOf, runTool } from "../run-tool.ts";
import {
  enlarge,
  type Pixels,
  pictureOf,
  readRaw,
  readWithJsqr,
  readWithQr,
  readWithZxing,
} from "./readers.ts";

/** Bytes in place of a text, the ECI header, and `invert`. */
const run = (request: unknown) => runTool(qrCode, request);
const faultOf = (request: unknown) => errorOf(() => run(request));

const base64 = (bytes: Uint8Array | readonly number[]) => Buffer.from(bytes).toString("base64");

/** The bytes that three readers find in a code. */
async function bytesRead({ width, height, data }: Pixels): Promise<number[][]> {
  const image = { width, height, data, colorSpace: "srgb" } as const;
  const [zxing] = await readBarcodes(image, { formats: ["QRCode"], maxNumberOfSymbols: 1 });
  const found = jsqr.default(data, width, height, { inversionAttempts: "dontInvert" });
  const third: number[] = [];
  const textDecoder = (bytes: Uint8Array) => {
    third.push(...bytes);
    return "";
  };
  decodeQR({ width, height, data }, { textDecoder });
  return [[...(zxing?.bytes ?? [])], [...(found?.binaryData ?? [])], third];
}

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const BYTES: Record<string, Uint8Array> = {
  "every byte": ALL_BYTES,
  "one zero": Uint8Array.of(0),
  "no UTF-8": Uint8Array.of(0xff, 0xfe, 0xc3, 0x28, 0x80),
  "UTF-8 of a text": new TextEncoder().encode("é 漢字 😀"),
  "Shift JIS of a text": Uint8Array.of(0x93, 0xfa, 0x96, 0x7b),
  "a header of gzip": Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3),
};

for (const [name, bytes] of Object.entries(BYTES)) {
  test(`bytes are read back as they are, without a header: ${name}`, async () => {
    const { output } = run({ base64: base64(bytes), width: 600 });
    const expected = [...bytes];
    assert.deepEqual(await bytesRead(enlarge(readPng(output))), [expected, expected, expected]);
    const { segments } = readRaw(encodeQr(bytes, "M") as QrSymbol);
    assert.deepEqual(segments, [{ mode: "byte", count: bytes.length }]);
  });
}

test("bytes that are digits or capitals are a byte segment too, because readers give the bytes of those alone", () => {
  const bytes = Buffer.from("HELLO 0123456789");
  const { segments } = readRaw(encodeQr(bytes, "M") as QrSymbol);
  assert.deepEqual(segments, [{ mode: "byte", count: bytes.length }]);
  // A text of letters is one as well.
  assert.equal(run({ base64: base64(Buffer.from("abc")) }).output, run({ text: "abc" }).output);
});

test("base64 is taken with line breaks, in either alphabet and without padding", () => {
  const { output } = run({ base64: "+/+/AA==" });
  for (const spelling of ["+/+/\nAA==", "+/+/AA", "-_-_AA", "-_-_\r\nAA=="]) {
    assert.equal(run({ base64: spelling }).output, output, spelling);
  }
});

const WRONG: { request: object; field: string; detail: RegExp }[] = [
  { request: {}, field: "text", detail: /^is required, or `base64` in its place$/ },
  { request: { base64: "" }, field: "base64", detail: /^must not be empty$/ },
  { request: { base64: "A" }, field: "base64", detail: /end is missing/ },
  { request: { base64: "AA BB" }, field: "base64", detail: /is a space/ },
  { request: { base64: "data:text/plain;base64,QQ==" }, field: "base64", detail: /leave out/ },
  { request: { base64: 5 }, field: "base64", detail: /^must be a string; got 5$/ },
  { request: { text: "a", base64: "QQ==" }, field: "base64", detail: /must not be combined/ },
  { request: { text: "", base64: "QQ==" }, field: "text", detail: /^must not be empty$/ },
  {
    request: { text: "a", eci: "always" },
    field: "eci",
    detail: /^must be one of `auto`, `never`/,
  },
  { request: { text: "a", eci: 26 }, field: "eci", detail: /^must be one of/ },
  {
    request: { text: "a", invert: "yes", format: "utf8" },
    field: "invert",
    detail: /true or false/,
  },
  { request: { text: "a", invert: true }, field: "invert", detail: /left out for `png`/ },
  {
    request: { text: "a", invert: true, format: "svg" },
    field: "invert",
    detail: /left out for `svg`/,
  },
];

for (const { request, field, detail } of WRONG) {
  test(`${JSON.stringify(request)} is an error at ${field}`, () => {
    const { code, details } = faultOf(request);
    assert.equal(code, "invalid_request");
    assert.deepEqual(
      details.errors?.map(({ pointer }) => pointer),
      [`/${field}`],
    );
    assert.match(details.errors?.[0]?.detail ?? "", detail);
  });
}

test("4 KB are the bound of the bytes, and a symbol holds 2,953 of them", () => {
  const { code, details } = faultOf({ base64: base64(new Uint8Array(4097)) });
  assert.equal(code, "too_large");
  assert.deepEqual(details.members, { limit: 4096, size: 4097 });
  const most = new Uint8Array(2953).fill(0xff);
  assert.equal(run({ base64: base64(most), errorCorrectionLevel: "L", width: 400 }).ok, true);
  const tooLong = faultOf({
    base64: base64(new Uint8Array(1300).fill(200)),
    errorCorrectionLevel: "H",
  });
  assert.equal(tooLong.code, "text_too_long_for_level");
  assert.equal(
    tooLong.message,
    "`base64` is 1300 bytes; level H holds only the first 1273 bytes. Capacity for these bytes: L all, M all, Q all, H 1273 bytes. Send fewer bytes, or request level Q.",
  );
  assert.deepEqual(
    tooLong.details.errors?.map(({ pointer }) => pointer),
    ["/base64"],
  );
});

const sent = (contentType: string, body: Uint8Array, query = "") =>
  readInput(qrCode, { body, contentType, query });

test("a body of octets is bytes, and one of text is text", () => {
  for (const type of ["application/octet-stream", "Application/Octet-Stream; charset=binary"]) {
    assert.deepEqual(sent(type, ALL_BYTES).value, { base64: base64(ALL_BYTES) });
  }
  // A byte order mark is among the bytes, and JSON is bytes too.
  const json = Buffer.from('\ufeff{"text":"a"}');
  assert.deepEqual(sent("application/octet-stream", json).value, { base64: base64(json) });
  assert.deepEqual(sent("application/octet-stream", ALL_BYTES, "eci=never&width=99").value, {
    ...{ base64: base64(ALL_BYTES), eci: "never", width: 99 },
  });
  assert.deepEqual(sent("text/plain", Buffer.from("é")).value, { text: "é" });
});

test("bytes in a body of text get advice", () => {
  assert.throws(() => sent("text/plain", Uint8Array.of(0xff)), {
    code: "invalid_utf8",
    message:
      "The body is not valid UTF-8. Encode it as UTF-8 and send it again. To send bytes, use the Content-Type `application/octet-stream` or the field `base64`.",
  });
});

test("`never` leaves out the header, and both readers read the text", async () => {
  for (const text of ["Grüße aus Köln", "Привет, мир", "naïve café ☕ 😀", "日本語のテキスト"]) {
    const symbol = encodeQr(text, "M", "never") as QrSymbol;
    const modes = readRaw(symbol).segments.map(({ mode }) => mode);
    assert.ok(!modes.includes("ECI"), text);
    const pixels = enlarge(pictureOf(symbol), 4);
    assert.deepEqual([await readWithZxing(pixels), readWithJsqr(pixels)], [text, text]);
    if (!modes.includes("Kanji")) assert.equal(readWithQr(pixels), text);
  }
  assert.equal(run({ text: "é" }).output, run({ text: "é", eci: "Auto" }).output);
  assert.notEqual(run({ text: "é" }).output, run({ text: "é", eci: "NEVER" }).output);
  assert.equal(run({ text: "ASCII" }).output, run({ text: "ASCII", eci: "never" }).output);
  assert.equal(run({ text: "é", eci: "NEVER" }).eci, "never");
  assert.equal("eci" in run({ text: "é" }), false);
  // The header takes 12 bits: without it a symbol holds one byte more.
  const full = `${"é".repeat(1165)}a`;
  assert.equal(faultOf({ text: full }).code, "text_too_long_for_level");
  assert.equal(run({ text: full, eci: "never", width: 400 }).ok, true);
  const { details } = faultOf({ text: "é".repeat(1170), eci: "never" });
  assert.partialDeepStrictEqual(details.members, { capacities: { M: 2330 } });
});

test("`invert` exchanges blocks and spaces, the quiet zone included", async () => {
  for (const margin of [0, 1, 4]) {
    for (const text of ["a", "Привет ".repeat(20)]) {
      const plain = readBlocks(run({ text, format: "utf8", margin }).output);
      const response = run({ text, format: "utf8", margin, invert: true });
      assert.equal(response.invert, true);
      const inverted = readBlocks(response.output);
      assert.deepEqual(
        inverted.dark,
        plain.dark.map((module) => 1 - module),
      );
    }
  }
  // Light text on a dark background.
  const shown = readBlocks(
    run({ text: "https://example.com", format: "utf8", invert: true }).output,
  );
  const pixels = enlarge({ ...shown, dark: shown.dark.map((module) => 1 - module) }, 8);
  for (const read of [await readWithZxing(pixels), readWithJsqr(pixels), readWithQr(pixels)]) {
    assert.equal(read, "https://example.com");
  }
});

test("an `invert` that changes nothing is taken for every format", () => {
  for (const format of ["png", "svg", "utf8"]) {
    const { invert, ...rest } = run({ text: "a", format, invert: false });
    assert.equal(invert, false);
    assert.deepEqual(rest, run({ text: "a", format }));
  }
});
