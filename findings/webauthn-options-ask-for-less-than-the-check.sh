#!/usr/bin/env bash
# @simplewebauthn/server 14.0.3 with its defaults: the options for a sign-in say `userVerification: "preferred"`; a security key without a PIN signs and says that
# its user was present and not verified.
# Expected: `verifyAuthenticationResponse` accepts what the options of the same library allow, and says in its result whether the user was verified.
# Seen on 2026-11-29: it throws "User verification required", so people with such keys cannot sign in. Options and check have to be set together:
# "required" in the options, or `requireUserVerification: false` in the check.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @simplewebauthn/server@14.0.3
cat > seen.mjs <<'JS'
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { generateAuthenticationOptions, verifyAuthenticationResponse } from "@simplewebauthn/server";
const [rpID, origin] = ["api.test", "https://api.test"];
const sha256 = (data) => createHash("sha256").update(data).digest();
const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const { x, y } = publicKey.export({ format: "jwk" });
const bytes = (...parts) => Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "base64url") : Buffer.from(part))));
const key = bytes([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32], x, [0x22, 0x58, 32], y);
const options = await generateAuthenticationOptions({ rpID });
const id = Buffer.from("key").toString("base64url");
/** The answer of a security key: flag 1 says that the user was present, flag 4 that the user was verified. */
function answer(flags) {
  const data = bytes(sha256(rpID), [flags, 0, 0, 0, 0]);
  const client = Buffer.from(JSON.stringify({ type: "webauthn.get", challenge: options.challenge, origin }));
  const signature = sign("sha256", bytes(data, sha256(client)), privateKey).toString("base64url");
  const response = { authenticatorData: data.toString("base64url"), clientDataJSON: client.toString("base64url"), signature };
  return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
}
const expected = { expectedChallenge: options.challenge, expectedOrigin: origin, expectedRPID: rpID, credential: { id, publicKey: new Uint8Array(key), counter: 0 } };
console.log(`options: ${options.userVerification}`);
for (const [name, flags, more] of [["verified", 5, {}], ["present", 1, {}], ["present, not required", 1, { requireUserVerification: false }]]) {
  const check = verifyAuthenticationResponse({ response: answer(flags), ...expected, ...more });
  console.log(`${name}: ${await check.then(({ verified }) => verified, (error) => error.message.split(",")[0])}`);
}
JS
seen=$(node --no-warnings seen.mjs)
echo "$seen"
[ "$seen" = 'options: preferred
verified: true
present: User verification required
present, not required: true' ]
