#!/usr/bin/env bash
# Which version (size) of a QR code do nine writers need for the same texts at level M: 50 digits; an address of capitals that ends with 60 digits; one in small letters that does; 80 digits and a letter?
# Expected: the same, since ISO/IEC 18004 has modes for digits and for capitals, and shows in an annex how to change the mode within a text; at most one more for a writer that never changes.
# Seen on 2026-11-29: qrcode 1.5.4, lean-qr 2.7.4 and bwip-js 4.11.4 change the mode and need 2, 4, 4 and 3. uqr 0.1.3, qr 0.7.0 and qr-image 3.2.0 choose one mode for the whole text, so one letter behind 80 digits costs
# two versions. qrcode-generator 2.0.4 writes bytes unless it is told otherwise, digits too, and needs 4, 6, 5 and 5, as does @nuintun/qrcode 5.0.3 with the `Byte` that the caller has to choose. qrcode-svg 1.1.0
# takes version 6 for the 82 bytes of the third text, of which version 5 holds 84. A symbol of version 6 has 41 modules on a side, one of version 4 has 33: on a label of one size they are about a fifth smaller.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts qrcode@1.5.4 lean-qr@2.7.4 bwip-js@4.11.4 uqr@0.1.3 qr@0.7.0 qr-image@3.2.0 qrcode-generator@2.0.4 @nuintun/qrcode@5.0.3 qrcode-svg@1.1.0
cat > seen.mjs <<'JS'
import { Byte, Encoder } from "@nuintun/qrcode";
import bwip from "bwip-js";
import { correction, generate } from "lean-qr";
import encodeQr from "qr";
import qrImage from "qr-image";
import qrcode from "qrcode";
import generator from "qrcode-generator";
import QrSvg from "qrcode-svg";
import { encode } from "uqr";
const digits = "1234567890";
const texts = [digits.repeat(5), `HTTPS://EXAMPLE.COM/TICKET/${digits.repeat(6)}`, `https://example.com/t/${digits.repeat(6)}`, `${"0".repeat(80)}a`];
const sizes = {
  qrcode: (text) => qrcode.create(text, { errorCorrectionLevel: "M" }).modules.size,
  "lean-qr": (text) => generate(text, { minCorrectionLevel: correction.M, maxCorrectionLevel: correction.M }).size,
  "bwip-js": (text) => bwip.raw("qrcode", text, "eclevel=M")[0].pixx,
  uqr: (text) => encode(text, { ecc: "M", border: 0, boostEcc: false }).size,
  qr: (text) => encodeQr(text, "raw", { ecc: "medium", border: 1 }).length - 2,
  "qr-image": (text) => qrImage.matrix(text, "M").length,
  "qrcode-generator": (text) => {
    const code = generator(0, "M");
    code.addData(text);
    code.make();
    return code.getModuleCount();
  },
  "@nuintun/qrcode": (text) => new Encoder({ level: "M" }).encode(new Byte(text)).size,
  "qrcode-svg": (text) => new QrSvg({ content: text, ecl: "M" }).qrcode.modules.length,
};
for (const [name, size] of Object.entries(sizes)) console.log(`${name}: ${texts.map((text) => (size(text) - 17) / 4).join(", ")}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'qrcode: 2, 4, 4, 3
lean-qr: 2, 4, 4, 3
bwip-js: 2, 4, 4, 3
uqr: 2, 4, 5, 5
qr: 2, 4, 5, 5
qr-image: 2, 4, 5, 5
qrcode-generator: 4, 6, 5, 5
@nuintun/qrcode: 4, 6, 5, 5
qrcode-svg: 4, 6, 6, 5' ]
