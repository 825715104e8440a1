#!/usr/bin/env bash
# A secret for one-time passwords as services show it to be typed: base32 without padding, in small letters, in groups of four.
# Expected: the same bytes, or an error that says what to remove.
# Seen on 2026-11-29: thirty-two 1.0.2 and base32.js 0.1.0, the readers of speakeasy and many others, return other bytes without an
# error, because a space or a hyphen is read as a digit; the codes then never fit. hi-base32 0.5.1, base32-decode 1.0.0, rfc4648 1.5.4 and @scure/base
# 2.4.0 throw, also for small letters alone (rfc4648 reads those with `loose`). And validator 13.15.35 `isBase32` is false for the secret without
# groups, in capitals, because it wants the padding that secrets do not have.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts thirty-two@1.0.2 base32.js@0.1.0 hi-base32@0.5.1 base32-decode@1.0.0 \
  rfc4648@1.5.4 @scure/base@2.4.0 validator@13.15.35
cat > seen.mjs <<'JS'
import { base32nopad } from "@scure/base";
import base32Decode from "base32-decode";
import base32js from "base32.js";
import hiBase32 from "hi-base32";
import { base32 as rfc4648 } from "rfc4648";
import thirtyTwo from "thirty-two";
import validator from "validator";
const secret = "GAYTEMZUGU3DOOBZMFRGGZDFMY";
const bytes = "0123456789abcdef";
const groups = (between) => secret.match(/.{1,4}/g).join(between);
const spellings = { plain: secret, small: secret.toLowerCase(), spaces: groups(" "), hyphens: groups("-") };
const readers = {
  "thirty-two": (text) => thirtyTwo.decode(text),
  "base32.js": (text) => base32js.decode(text),
  "hi-base32": (text) => hiBase32.decode.asBytes(text),
  "base32-decode": (text) => new Uint8Array(base32Decode(text, "RFC4648")),
  rfc4648: (text) => rfc4648.parse(text, { loose: true }),
  "@scure/base": (text) => base32nopad.decode(text),
};
for (const [name, read] of Object.entries(readers)) {
  const results = Object.entries(spellings).map(([spelling, text]) => {
    try {
      return `${spelling} ${Buffer.from(read(text)).toString("latin1") === bytes ? "right" : "wrong"}`;
    } catch {
      return `${spelling} error`;
    }
  });
  console.log(`${name}: ${results.join(", ")}`);
}
console.log(`isBase32: ${validator.isBase32(secret)}, padded: ${validator.isBase32(`${secret}======`)}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'thirty-two: plain right, small right, spaces wrong, hyphens wrong
base32.js: plain right, small right, spaces wrong, hyphens wrong
hi-base32: plain right, small error, spaces error, hyphens error
base32-decode: plain right, small error, spaces error, hyphens error
rfc4648: plain right, small right, spaces error, hyphens error
@scure/base: plain right, small error, spaces error, hyphens error
isBase32: false, padded: true' ]
