#!/usr/bin/env bash
# A record with counters, `{ calls: 4294967296 }`, and once with 1e21, is written in MessagePack or CBOR by one library and read by another.
# Expected: the same number each time: both formats are binary JSON, and all these numbers are exact in JavaScript.
# Seen on 2026-11-29: msgpackr 2.1.4 and cbor-x 1.6.9 read every integer of 64 bits as a BigInt, so from 2^32 on a counter of @msgpack/msgpack 3.1.3, msgpack5 6.1.0, notepack.io 3.0.1, cbor 10.0.12, cbor2 2.3.0 or cborg 6.1.5 comes as
# 4294967296n, and adding 1 to it throws. What they write themselves they read as numbers, since they write floats from there on. msgpack-lite 0.2.2 does so as well. notepack.io writes 1e21, which fits no 64 bits, as 3875820019684212736.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts msgpackr@2.1.4 @msgpack/msgpack@3.1.3 msgpack-lite@0.2.2 msgpack5@6.1.0 notepack.io@3.0.1 cbor-x@1.6.9 \
  cbor@10.0.12 cbor2@2.3.0 cborg@6.1.5
cat > seen.mjs <<'JS'
import * as msgpack from "@msgpack/msgpack";
import cbor from "cbor";
import * as cborX from "cbor-x";
import * as cbor2 from "cbor2";
import * as cborg from "cborg";
import lite from "msgpack-lite";
import msgpack5 from "msgpack5";
import * as msgpackr from "msgpackr";
import notepack from "notepack.io";
const five = msgpack5();
const formats = {
  MessagePack: {
    msgpackr: [msgpackr.pack, msgpackr.unpack],
    "@msgpack/msgpack": [msgpack.encode, msgpack.decode],
    "msgpack-lite": [lite.encode, lite.decode],
    msgpack5: [(value) => five.encode(value).slice(), (bytes) => five.decode(Buffer.from(bytes))],
    "notepack.io": [notepack.encode, (bytes) => notepack.decode(Buffer.from(bytes))],
  },
  CBOR: {
    "cbor-x": [cborX.encode, cborX.decode],
    cbor: [cbor.encode, (bytes) => cbor.decodeFirstSync(Buffer.from(bytes))],
    cbor2: [cbor2.encode, cbor2.decode],
    cborg: [cborg.encode, cborg.decode],
  },
};
const text = (value) => (typeof value === "bigint" ? `${value}n` : String(value));
for (const [format, libraries] of Object.entries(formats)) {
  for (const [writer, [write]] of Object.entries(libraries)) {
    const seen = [];
    for (const calls of [4_294_967_295, 4_294_967_296, -2_147_483_649, 1e21]) {
      for (const [reader, [, read]] of Object.entries(libraries)) {
        const result = read(write({ calls })).calls;
        if (result !== calls) seen.push(`${reader} reads ${calls} as ${text(result)}`);
      }
    }
    console.log(`${format} of ${writer}: ${seen.join(", ") || "right"}`);
  }
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'MessagePack of msgpackr: right
MessagePack of @msgpack/msgpack: msgpackr reads 4294967296 as 4294967296n, msgpackr reads -2147483649 as -2147483649n
MessagePack of msgpack-lite: right
MessagePack of msgpack5: msgpackr reads 4294967296 as 4294967296n, msgpackr reads -2147483649 as -2147483649n
MessagePack of notepack.io: msgpackr reads 4294967296 as 4294967296n, msgpackr reads -2147483649 as -2147483649n, msgpackr reads 1e+21 as 3875820019684212736n, @msgpack/msgpack reads 1e+21 as 3875820019684212700, msgpack-lite reads 1e+21 as 3875820019684212700, msgpack5 reads 1e+21 as 3875820019684212700, notepack.io reads 1e+21 as 3875820019684212700
CBOR of cbor-x: right
CBOR of cbor: cbor-x reads 4294967296 as 4294967296n
CBOR of cbor2: cbor-x reads 4294967296 as 4294967296n
CBOR of cborg: cbor-x reads 4294967296 as 4294967296n' ]
