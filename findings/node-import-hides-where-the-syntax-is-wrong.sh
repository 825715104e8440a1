#!/usr/bin/env bash
# Node 24.21.0: `import()` of a file with a mistake in its second line, uncaught in the main thread, caught there, and in a worker thread.
# Expected: the error says where the mistake is: message or stack name the file and the line. Seen on 2026-11-29: only what Node prints when the
# main thread ends has them. The error's own message and stack, which a program can log and which the worker's `error` event has, are
# "Unexpected token ';'" and lines of Node itself: with hundreds of files nobody knows which one is meant. `require()` names both.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
printf 'export const one = 1;\nexport const two = ;\n' > wrong.mjs
printf 'exports.one = 1;\nexports.two = ;\n' > wrong.cjs
echo 'await import("./wrong.mjs");' > loads.mjs
cat > main.mjs <<'JS'
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
const told = (error) => (/wrong\.[cm]js:2\b/.test(error.stack) ? "file and line" : /wrong/.test(error.stack) ? "file" : "neither");
console.log(`caught: ${await import("./wrong.mjs").catch(told)}`);
try {
  createRequire(import.meta.url)("./wrong.cjs");
} catch (error) {
  console.log(`require: ${told(error)}`);
}
new Worker(new URL("./loads.mjs", import.meta.url)).on("error", (error) => console.log(`worker: ${told(error)}`));
JS
seen=$("$node" main.mjs)
uncaught=$("$node" loads.mjs 2>&1 | grep -c 'wrong.mjs:2' || true)
seen="$seen
uncaught: $([ "$uncaught" = 1 ] && echo "file and line" || echo "neither")"
echo "$seen"
[ "$seen" = 'caught: neither
require: file and line
worker: neither
uncaught: file and line' ]
