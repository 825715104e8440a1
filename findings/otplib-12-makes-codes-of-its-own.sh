#!/usr/bin/env bash
# One-time passwords with SHA-256 and SHA-512 for one secret of 20 bytes, the length that most services give, by five libraries.
# Expected: one code, as RFC 6238 takes the secret as it is. Seen on 2026-11-29: otplib 12.0.1 repeats a shorter secret until it is as long as the hash: `totp` does
# for both, `authenticator` for SHA-512 alone. So its codes fit no app and no other library, and version 13.5.0, which is right, refuses
# people who signed up with version 12. speakeasy 2.0.0, otpauth 9.5.2 and totp-generator 2.0.1 agree. With SHA-1 all do.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts otplib@13.5.0 otplib-12@npm:otplib@12.0.1 otpauth@9.5.2 speakeasy@2.0.0 totp-generator@2.0.1
cat > seen.mjs <<'JS'
import { TOTP } from "otpauth";
import { generateSync } from "otplib";
import otplib12 from "otplib-12";
import speakeasy from "speakeasy";
import { TOTP as Generator } from "totp-generator";
const bytes = "12345678901234567890";
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const [digits, time] = [8, 59];
for (const bits of [1, 256, 512]) {
  const algorithm = `sha${bits}`;
  const old = { algorithm, digits, epoch: time * 1_000 };
  const codes = {
    "otplib 12 totp": otplib12.totp.clone(old).generate(bytes),
    "otplib 12 authenticator": otplib12.authenticator.clone(old).generate(secret),
    "otplib 13": generateSync({ secret, algorithm, digits, epoch: time }),
    speakeasy: speakeasy.totp({ secret, encoding: "base32", algorithm, digits, time }),
    otpauth: new TOTP({ secret, algorithm: `SHA${bits}`, digits }).generate({ timestamp: time * 1_000 }),
    "totp-generator": (await Generator.generate(secret, { algorithm: `SHA-${bits}`, digits, timestamp: time * 1_000 })).otp,
  };
  const differ = Object.entries(codes).filter(([, code]) => code !== codes.otpauth);
  console.log(`SHA-${bits}: ${codes.otpauth}${differ.map(([name, code]) => `, ${name} ${code}`).join("")}`);
}
JS
seen=$(node --no-warnings seen.mjs)
echo "$seen"
[ "$seen" = 'SHA-1: 94287082
SHA-256: 32247374, otplib 12 totp 46119246
SHA-512: 69342147, otplib 12 totp 90693936, otplib 12 authenticator 90693936' ]
