#!/usr/bin/env bash
# otplib 13.5.0: the code for a secret of 16 letters, the length that version 12's `authenticator.generateSecret()` made.
# Expected: the code that version 12 makes, so that people who are enrolled can still sign in after the update.
# Seen on 2026-11-29: version 12.0.1 makes secrets of 16 letters, which are 10 bytes; version 13 throws "Secret must be at least 16 bytes" for
# each of them, when it makes a code and when it checks one. Guardrails with a smaller `MIN_SECRET_BYTES` bring the code back.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts otplib@13.5.0 otplib-12@npm:otplib@12.0.1
cat > seen.mjs <<'JS'
import { createGuardrails, generateSync, verifySync } from "otplib";
import otplib12 from "otplib-12";
const secret = otplib12.authenticator.generateSecret();
const epoch = 1_800_000_000;
const code = otplib12.authenticator.clone({ epoch: epoch * 1000 }).generate(secret);
const result = (run) => {
  try {
    return run();
  } catch (error) {
    return error.message;
  }
};
console.log(`version 12: ${secret.length} letters, ${code.length} digits`);
console.log(`generate: ${result(() => generateSync({ secret, epoch }))}`);
console.log(`verify: ${result(() => verifySync({ secret, token: code, epoch }).valid)}`);
const guardrails = createGuardrails({ MIN_SECRET_BYTES: 10 });
console.log(`with guardrails: ${result(() => generateSync({ secret, epoch, guardrails }) === code)}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'version 12: 16 letters, 6 digits
generate: Secret must be at least 16 bytes (128 bits), got 10 bytes
verify: Secret must be at least 16 bytes (128 bits), got 10 bytes
with guardrails: true' ]
