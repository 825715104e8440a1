#!/usr/bin/env bash
# pino 10.4.0 logs three errors of a service: a fetch that was aborted, a problem (RFC 9457) with its `type`, and an error whose cause is a text.
# Expected: name, message and stack, the members of the error's own, and the cause.
# Seen on 2026-11-29: for each AbortError and TimeoutError, which are DOMExceptions, it adds the 25 constants of that class, from INDEX_SIZE_ERR to DATA_CLONE_ERR, since it copies
# inherited members too. The problem's `type`, a URL, is replaced by the name of the class. The text of the cause is left out.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts pino@10.4.0 \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { Writable } from "node:stream";
import pino from "pino";
let line;
const stream = new Writable({
  write(chunk, _, done) {
    line = JSON.parse(chunk);
    done();
  },
});
const logger = pino(stream);
class ProblemError extends Error {
  type = "https://api.example.com/errors/no-credits";
}
const aborted = await fetch("http://127.0.0.1/", { signal: AbortSignal.abort() }).catch((error) => error);
const errors = { abort: aborted, problem: new ProblemError("no credits"), cause: new Error("not sent", { cause: "the queue is full" }) };
for (const [name, error] of Object.entries(errors)) {
  logger.error(error);
  const { type, message, stack, ...more } = line.err;
  const constants = Object.keys(more).filter((key) => key.endsWith("_ERR"));
  const others = Object.entries(more).filter(([key]) => !constants.includes(key));
  console.log(`${name}: type ${type}, message ${message}, ${constants.length} constants, others ${JSON.stringify(Object.fromEntries(others))}`);
}
JS
seen=$("$node" seen.mjs)
echo "$seen"
[ "$seen" = 'abort: type DOMException, message This operation was aborted, 25 constants, others {"name":"AbortError","code":20}
problem: type ProblemError, message no credits, 0 constants, others {}
cause: type Error, message not sent, 0 constants, others {}' ]
