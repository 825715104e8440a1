#!/usr/bin/env bash
# A log of usage is written compressed in two runs, and the second is appended to the file: two members of gzip, two frames of zstd. What do readers return?
# Expected: both parts, as gzip(1) and zstd(1) do; RFC 1952 and RFC 8878 say that parts may follow each other, and the result is their sum.
# Seen on 2026-11-29: `zstdDecompressSync`, the stream and `fetch` of Node 24.21.0 return the first frame alone, without an error; `gunzipSync` returns both parts of gzip.
# fflate 0.8.3 `gunzipSync`, `decompressSync` and `gunzip` return the first part, its stream `Gunzip` both. DecompressionStream throws. pako 3.0.3
# and fzstd 0.1.1 return both. So a bill that is added up from such a file lacks all but its first run.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts fflate@0.8.3 pako@3.0.3 fzstd@0.1.1 \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { createZstdDecompress, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { decompressSync, Gunzip, gunzip, gunzipSync as fflateGunzip } from "fflate";
import { decompress } from "fzstd";
import { ungzip } from "pako";
const gzip = Buffer.concat([gzipSync("one "), gzipSync("two")]);
const zstd = Buffer.concat([zstdCompressSync("one "), zstdCompressSync("two")]);
const server = createServer((request, response) => {
  response.setHeader("content-encoding", request.url.slice(1));
  response.end(request.url === "/zstd" ? zstd : gzip);
});
await once(server.listen(0), "listening");
const fetched = async (path) => (await fetch(`http://localhost:${server.address().port}/${path}`)).bytes();
const readers = {
  "zstd, Node zstdDecompressSync": () => zstdDecompressSync(zstd),
  "zstd, Node createZstdDecompress": async () => Buffer.concat(await Readable.from([zstd]).pipe(createZstdDecompress()).toArray()),
  "zstd, Node fetch": () => fetched("zstd"),
  "zstd, fzstd": () => decompress(zstd),
  "gzip, Node gunzipSync": () => gunzipSync(gzip),
  "gzip, Node fetch": () => fetched("gzip"),
  "gzip, DecompressionStream": () => new Response(new Blob([gzip]).stream().pipeThrough(new DecompressionStream("gzip"))).bytes(),
  "gzip, fflate gunzipSync": () => fflateGunzip(gzip),
  "gzip, fflate decompressSync": () => decompressSync(gzip),
  "gzip, fflate gunzip": () => new Promise((done, failed) => gunzip(gzip, (error, data) => (error ? failed(error) : done(data)))),
  "gzip, fflate Gunzip": () => {
    const parts = [];
    new Gunzip((part) => parts.push(part)).push(gzip, true);
    return Buffer.concat(parts);
  },
  "gzip, pako ungzip": () => ungzip(gzip),
};
for (const [name, read] of Object.entries(readers)) {
  const seen = await (async () => new TextDecoder().decode(await read()))().catch(() => "an error");
  console.log(`${name}: ${seen.trim()}`);
}
process.exit();
JS
seen=$("$node" seen.mjs)
echo "$seen"
[ "$seen" = 'zstd, Node zstdDecompressSync: one
zstd, Node createZstdDecompress: one
zstd, Node fetch: one
zstd, fzstd: one two
gzip, Node gunzipSync: one two
gzip, Node fetch: one two
gzip, DecompressionStream: an error
gzip, fflate gunzipSync: one
gzip, fflate decompressSync: one
gzip, fflate gunzip: one
gzip, fflate Gunzip: one two
gzip, pako ungzip: one two' ]
