#!/usr/bin/env bash
# Node 24.21.0, `node --watch`: a program starts a worker thread that posts one message of its own.
# Expected: the program's `message` listener gets that message alone; what watch mode needs to know goes to Node.
# Seen on 2026-11-28: the listener also gets objects such as `{ "watch:import": [...] }`, one for each file that the thread
# imports. A program that trusts its own threads' messages breaks in development only.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
echo 'export const answer = 42;' > answer.mjs
cat > thread.mjs <<'JS'
import { parentPort } from "node:worker_threads";
import { answer } from "./answer.mjs";
parentPort.postMessage({ answer });
JS
cat > main.mjs <<'JS'
import { Worker } from "node:worker_threads";
const kinds = new Set();
const worker = new Worker(new URL("./thread.mjs", import.meta.url));
worker.on("message", (message) => kinds.add(Object.keys(message).join()));
worker.on("exit", () => {
  console.log(`messages: ${[...kinds].sort().join(" ")}`);
  // Watch mode would wait for a change.
  process.kill(process.ppid);
});
JS
plain=$("$node" main.mjs 2>/dev/null | grep messages) || true
watched=$("$node" --watch main.mjs 2>/dev/null | grep messages) || true
echo "Node 24.21.0: plain $plain, watched $watched"
[ "$watched" = "messages: answer watch:import" ]
