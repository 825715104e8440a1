#!/usr/bin/env bash
# Which of the eight masks do writers of QR codes choose for the same bytes, version and level?
# Expected: the same one almost always, since ISO/IEC 18004 has the penalties added up and the smallest sum chosen, and each mask
# about as often as any other.
# Seen on 2026-11-28 for 60 addresses, level M, byte mode: qrcode 1.5.4, lean-qr 2.7.4, qr-image 3.2.0 and @nuintun/qrcode 5.0.3 agree on
# 57, and take mask 2 for 41. qrcode-generator 2.0.4 and headless-qr 1.0.3, which comes from it, choose another mask than qrcode for 49,
# and uqr 0.1.3 for 19. Readers take any mask; but images of two writers cannot be compared, and a change of writer changes them.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts qrcode@1.5.4 qrcode-generator@2.0.4 uqr@0.1.3 lean-qr@2.7.4 headless-qr@1.0.3 \
  qr-image@3.2.0 @nuintun/qrcode@5.0.3
cat > seen.mjs <<'JS'
import { Byte, Encoder } from "@nuintun/qrcode";
import { qr as headless } from "headless-qr";
import { correction, generate as lean } from "lean-qr";
import qrImage from "qr-image";
import qrcode from "qrcode";
import generator from "qrcode-generator";
import { encode as uqr } from "uqr";
const rows = (size, isDark) => Array.from({ length: size }, (_, y) => Array.from({ length: size }, (_, x) => isDark(x, y)));
const level = "M";
const writers = {
  qrcode(text) {
    const { modules } = qrcode.create([{ data: Buffer.from(text), mode: "byte" }], { errorCorrectionLevel: level });
    return rows(modules.size, (x, y) => modules.get(y, x));
  },
  "lean-qr"(text) {
    const code = lean(text, { minCorrectionLevel: correction.M, maxCorrectionLevel: correction.M });
    return rows(code.size, (x, y) => code.get(x, y));
  },
  "qr-image": (text) => qrImage.matrix(text, level),
  "@nuintun/qrcode"(text) {
    const code = new Encoder({ level }).encode(new Byte(text));
    return rows(code.size, (x, y) => code.get(x, y) === 1);
  },
  "qrcode-generator"(text) {
    const code = generator(0, level);
    code.addData(text);
    code.make();
    return rows(code.getModuleCount(), (x, y) => code.isDark(y, x));
  },
  "headless-qr": (text) => headless(text, { correction: level }),
  uqr: (text) => uqr(text, { ecc: level, border: 0, boostEcc: false }).data,
};
// The 15 bits of the format around the upper left finder pattern.
const PLACES = [[8, 0], [8, 1], [8, 2], [8, 3], [8, 4], [8, 5], [8, 7], [8, 8], [7, 8], [5, 8], [4, 8], [3, 8], [2, 8], [1, 8], [0, 8]];
function formatOf(modules) {
  const bits = PLACES.reduce((sum, [y, x]) => sum * 2 + (modules[y][x] ? 1 : 0), 0) ^ 0x5412;
  return { level: bits >> 13, mask: (bits >> 10) & 7, size: modules.length };
}
const others = {};
let agreed = 0;
let second = 0;
for (let item = 0; item < 60; item += 1) {
  const text = `https://example.com/item/${"abcdefghijklmnopqrstuvwxyz".slice(item % 20)}${item}`;
  const formats = Object.entries(writers).map(([name, write]) => [name, formatOf(write(text))]);
  const [[, first]] = formats;
  for (const [name, format] of formats) {
    if (format.level !== first.level || format.size !== first.size) throw new Error(`${name} wrote another symbol`);
    others[name] = (others[name] ?? 0) + (format.mask === first.mask ? 0 : 1);
  }
  if (formats.slice(0, 4).every(([, { mask }]) => mask === first.mask)) agreed += 1;
  if (first.mask === 2) second += 1;
}
console.log(`the first four agree in ${agreed}, mask 2 in ${second}; other than qrcode's: ${JSON.stringify(others)}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'the first four agree in 57, mask 2 in 41; other than qrcode'"'"'s: {"qrcode":0,"lean-qr":2,"qr-image":2,"@nuintun/qrcode":3,"qrcode-generator":49,"headless-qr":49,"uqr":19}' ]
