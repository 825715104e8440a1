#!/usr/bin/env bash
# better-auth 1.7.6 with social sign-in alone: `emailAndPassword` is not set, and the table `account` has no column `password`.
# Expected: it starts, since nothing can write or read a password. Seen on 2026-11-29: the first use fails with SCHEMA_MISMATCH, because the
# column belongs to the fixed schema of the table, whatever the options say. A service that has no passwords must keep an
# empty column for them.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts better-auth@1.7.6 @better-auth/core@1.7.6 \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { DatabaseSync } from "node:sqlite";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
const options = {
  database: new DatabaseSync(":memory:"),
  secret: "a secret that is long enough: 0123456789",
  baseURL: "http://app.test",
  socialProviders: { google: { clientId: "id", clientSecret: "secret" } },
  logger: { disabled: true },
};
await (await getMigrations(options)).runMigrations();
const ask = async () => (await betterAuth(options).handler(new Request("http://app.test/api/auth/get-session"))).status;
console.log(`with the column: ${await ask()}`);
options.database.exec("ALTER TABLE account DROP COLUMN password");
process.on("unhandledRejection", () => {});
console.log(`without: ${await ask().catch((error) => `${error.code} ${error.findings?.map(({ table, column }) => `${table}.${column}`)}`)}`);
process.exit();
JS
seen=$("$node" seen.mjs)
echo "$seen"
[ "$seen" = 'with the column: 200
without: SCHEMA_MISMATCH account.password' ]
