#!/usr/bin/env bash
# Sizes as people write them into settings: `10MiB`, `10M`, `1.5MiB` and `10mb`, read by four libraries, and `limit: "1MiB"` of express.json().
# Expected: `10MiB` is 10,485,760 bytes, or an error.
# Seen on 2026-11-29: bytes 3.1.2 knows `kb`, `mb` and `gb` alone and takes the number of any other text for bytes, without an error: `10MiB` is 10. Express 5.3.0 reads
# its limits with it, so a limit of `1MiB` is one byte and every request with a body gets 413. xbytes 1.9.1 takes `10mb` for megabits. bytes-iec 3.1.1 and
# filesize-parser 1.5.2 read mebibytes as such.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts bytes@3.1.2 bytes-iec@3.1.1 filesize-parser@1.5.2 xbytes@1.9.1 express@5.3.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import bytes from "bytes";
import bytesIec from "bytes-iec";
import express from "express";
import filesizeParser from "filesize-parser";
import xbytes from "xbytes";
const readers = { bytes: bytes.parse, "bytes-iec": bytesIec.parse, "filesize-parser": filesizeParser, xbytes: (text) => xbytes.parseSize(text) };
for (const [name, read] of Object.entries(readers)) {
  const seen = ["10MiB", "10M", "1.5MiB", "10mb"].map((text) => {
    try {
      return `${text} ${read(text)}`;
    } catch {
      return `${text} throws`;
    }
  });
  console.log(`${name}: ${seen.join(", ")}`);
}
const app = express().use(express.json({ limit: "1MiB" }));
app.post("/", (_, response) => response.end());
const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const { status } = await fetch(`http://127.0.0.1:${server.address().port}/`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: '{"text":"hello"}',
});
console.log(`express, limit 1MiB, a body of 16 bytes: ${status}`);
process.exit();
JS
seen=$(NODE_ENV=test node seen.mjs)
echo "$seen"
[ "$seen" = 'bytes: 10MiB 10, 10M 10, 1.5MiB 1, 10mb 10485760
bytes-iec: 10MiB 10485760, 10M null, 1.5MiB 1572864, 10mb 10000000
filesize-parser: 10MiB 10485760, 10M 10485760, 1.5MiB 1572864, 10mb 10485760
xbytes: 10MiB 10485760, 10M undefined, 1.5MiB 1572864, 10mb 1250000
express, limit 1MiB, a body of 16 bytes: 413' ]
