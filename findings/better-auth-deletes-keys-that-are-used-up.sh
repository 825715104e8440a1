#!/usr/bin/env bash
# @better-auth/api-key 1.7.5 with better-auth 1.7.6: an API key with two uses left is checked three times, then its owner buys ten more.
# Expected: the third check says that the key is used up, and the update fills it again.
# Seen on 2026-11-29: the third check answers USAGE_EXCEEDED and deletes the key from the database. The update says that there is no such key, so the owner has to get a
# new one and change it in each program; its name, its metadata and the row that a log refers to are gone as well.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps better-auth@1.7.6 @better-auth/api-key@1.7.5
cat > seen.mjs <<'JS'
import { apiKey } from "@better-auth/api-key";
import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
const tables = { user: [], session: [], account: [], verification: [], apikey: [] };
const auth = betterAuth({
  baseURL: "http://localhost",
  database: memoryAdapter(tables),
  emailAndPassword: { enabled: true },
  logger: { disabled: true },
  plugins: [apiKey({ rateLimit: { enabled: false } })],
  secret: "a secret of more than thirty-two characters",
});
const { user } = await auth.api.signUpEmail({ body: { email: "ann@example.com", name: "Ann", password: "a long password" } });
const { id, key } = await auth.api.createApiKey({ body: { userId: user.id, remaining: 2 } });
for (let check = 1; check <= 3; check += 1) {
  const { valid, error, key: row } = await auth.api.verifyApiKey({ body: { key } });
  console.log(`check ${check}: ${valid ? "valid" : error.code}, ${row?.remaining ?? "no"} left, keys stored: ${tables.apikey.length}`);
}
const filled = await auth.api.updateApiKey({ body: { keyId: id, userId: user.id, remaining: 10 } }).then(() => "done", (error) => error.message);
console.log(`ten more: ${filled}`);
JS
seen=$(node --no-warnings seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = 'check 1: valid, 1 left, keys stored: 1
check 2: valid, 0 left, keys stored: 1
check 3: USAGE_EXCEEDED, no left, keys stored: 0
ten more: API Key not found' ]
