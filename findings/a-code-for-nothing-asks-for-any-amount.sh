#!/usr/bin/env bash
# QR codes of PromptPay and PIX for an amount of 10, 0, 0.001 and 1.005, which a discount has left, by four libraries. The amount stands in field 54.
# Expected: an error for what is no amount to pay, 0 and less than a cent, and 1.01.
# Seen on 2026-11-30: for 0 all four leave the field out, as in a code where the payer enters any amount: promptpay-qr 0.5.0, promptparse 1.6.0, qrcode-pix 5.0.0 and
# pix-utils 2.8.2. For 0.001 they write a code for 0.00. 1.005 is 1.00, the rounding of toFixed.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts promptpay-qr@0.5.0 promptparse@1.6.0 qrcode-pix@5.0.0 pix-utils@2.8.2
cat > seen.mjs <<'JS'
import { createStaticPix, hasError } from "pix-utils";
import { generate, parse } from "promptparse";
import promptpay from "promptpay-qr";
import { QrCodePix } from "qrcode-pix";
const pix = { pixKey: "a@b.example", merchantName: "Ann", merchantCity: "Rio" };
const writers = {
  "promptpay-qr": (amount) => promptpay("0812345678", { amount }),
  promptparse: (amount) => generate.anyId({ type: "MSISDN", target: "0812345678", amount }),
  "qrcode-pix": (value) => QrCodePix({ version: "01", key: pix.pixKey, name: "Ann", city: "Rio", transactionId: "1", value }).payload(),
  "pix-utils": (transactionAmount) => {
    const made = createStaticPix({ ...pix, transactionAmount });
    if (hasError(made)) throw new Error(made.message);
    return made.toBRCode();
  },
};
for (const [name, write] of Object.entries(writers)) {
  const seen = [10, 0, 0.001, 1.005].map((amount) => {
    try {
      return `${amount}: ${parse(write(amount)).getTagValue("54") ?? "any"}`;
    } catch {
      return `${amount}: an error`;
    }
  });
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'promptpay-qr: 10: 10.00, 0: any, 0.001: 0.00, 1.005: 1.00
promptparse: 10: 10.00, 0: any, 0.001: 0.00, 1.005: 1.00
qrcode-pix: 10: 10.00, 0: any, 0.001: 0.00, 1.005: 1.00
pix-utils: 10: 10.00, 0: any, 0.001: 0.00, 1.005: 1.00' ]
