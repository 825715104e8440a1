#!/usr/bin/env bash
# @simplewebauthn/server 14.0.3: `generateAuthenticationOptions({ challenge })` with a challenge of one's own, in base64url.
# Expected: the options hold the challenge as given, since it is base64url there and in the response of the browser.
# Seen on 2026-11-29: a string is taken for text and encoded once more. Whoever keeps what he gave as `expectedChallenge` refuses every
# sign-in; what counts is `options.challenge`. Bytes are encoded once. `generateRegistrationOptions` does the same.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @simplewebauthn/server@14.0.3
cat > seen.mjs <<'JS'
import { generateAuthenticationOptions, generateRegistrationOptions } from "@simplewebauthn/server";
const bytes = Uint8Array.from({ length: 32 }, (_, index) => index);
const text = Buffer.from(bytes).toString("base64url");
const registration = { rpID: "api.test", rpName: "Api", userName: "ann" };
for (const [name, options] of [
  ["sign in, text", await generateAuthenticationOptions({ rpID: "api.test", challenge: text })],
  ["register, text", await generateRegistrationOptions({ ...registration, challenge: text })],
  ["sign in, bytes", await generateAuthenticationOptions({ rpID: "api.test", challenge: bytes })],
]) {
  const again = Buffer.from(options.challenge, "base64url").toString() === text;
  console.log(`${name}: ${options.challenge === text ? "as given" : again ? "encoded again" : "something else"}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'sign in, text: encoded again
register, text: encoded again
sign in, bytes: as given' ]
