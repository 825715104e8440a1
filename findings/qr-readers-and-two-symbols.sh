#!/usr/bin/env bash
# Two QR codes side by side on one picture, as on a sheet of labels, each with its own quiet zone.
# Expected: readers that return one text return one of the two; the others return both.
# Seen on 2026-11-29: jsqr 1.4.0 returns null, as if there were no code, and @zxing/library 0.23.0 throws a ChecksumException: both take three corner marks for one
# symbol, but from both codes. Each code alone they read. `qr` 0.7.0 returns the left one; @undecaf/zbar-wasm 0.11.0 and @nuintun/qrcode
# 5.0.3 return both.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts qrcode@1.5.4 jsqr@1.4.0 @zxing/library@0.23.0 qr@0.7.0 @undecaf/zbar-wasm@0.11.0 @nuintun/qrcode@5.0.3
cat > seen.mjs <<'JS'
import { createRequire } from "node:module";
import { binarize, Decoder, Detector, grayscale } from "@nuintun/qrcode";
import { scanGrayBuffer } from "@undecaf/zbar-wasm";
import jsqr from "jsqr";
import qrcode from "qrcode";
import decodeQr from "qr/decode.js";
const { BinaryBitmap, HybridBinarizer, QRCodeReader, RGBLuminanceSource } = createRequire(import.meta.url)("@zxing/library");
const SCALE = 4;
const MARGIN = 4;
/** The symbols of the texts, in a row: one byte of gray a pixel. */
function picture(...texts) {
  const symbols = texts.map((text) => qrcode.create(text, { errorCorrectionLevel: "M" }).modules);
  const side = (symbols[0].size + 2 * MARGIN) * SCALE;
  const width = side * symbols.length;
  const gray = new Uint8Array(width * side).fill(255);
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const { size, ...symbol } = symbols[Math.floor(x / side)];
      const column = Math.floor((x % side) / SCALE) - MARGIN;
      const row = Math.floor(y / SCALE) - MARGIN;
      if (Math.min(row, column) >= 0 && Math.max(row, column) < size && symbol.data[row * size + column]) gray[y * width + x] = 0;
    }
  }
  return { gray, width, height: side, data: new Uint8ClampedArray([...gray].flatMap((value) => [value, value, value, 255])) };
}
const readers = {
  jsqr: ({ data, width, height }) => jsqr(data, width, height)?.data ?? null,
  "@zxing/library": ({ gray, width, height }) =>
    new QRCodeReader().decode(new BinaryBitmap(new HybridBinarizer(new RGBLuminanceSource(Uint8ClampedArray.from(gray), width, height)))).getText(),
  qr: (image) => decodeQr(image),
  "zbar-wasm": async ({ gray, width, height }) => (await scanGrayBuffer(gray.slice().buffer, width, height)).map((symbol) => symbol.decode()).sort().join(" "),
  nuintun(image) {
    const found = new Detector().detect(binarize(grayscale(image), image.width, image.height));
    const texts = [];
    for (let next = found.next(); !next.done; ) {
      let decoded = false;
      try {
        texts.push(new Decoder().decode(next.value.matrix).content);
        decoded = true;
      } catch {}
      next = found.next(decoded);
    }
    return texts.sort().join(" ");
  },
};
for (const [name, read] of Object.entries(readers)) {
  const results = [];
  for (const texts of [["first"], ["second"], ["first", "second"]]) {
    results.push(await Promise.resolve(picture(...texts)).then(read).then(String, (error) => error.constructor.name));
  }
  console.log(`${name}: ${results.join(" | ")}`);
}
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = 'jsqr: first | second | null
@zxing/library: first | second | ChecksumException
qr: first | second | first
zbar-wasm: first | second | first second
nuintun: first | second | first second' ]
