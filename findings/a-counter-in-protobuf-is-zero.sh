#!/usr/bin/env bash
# A counter of credits, `int64` in Protocol Buffers, 5 and 9007199254740993: read by five libraries, and written by protobufjs 8.8.1 as number, BigInt, text and fraction.
# Expected: the same number, in a type that can hold it; and an error for what a field of integers cannot be.
# Seen on 2026-11-29: `Type.create` and `encode` of protobufjs write 0 for every BigInt, and 1 for 1.5, without an error; `fromObject` writes the BigInt right, and `verify` would have refused it. So usage that is counted in BigInt is sent as nothing.
# pbf 5.1.2 reads ...992. google-protobuf 4.0.3 reads a number, or above 2^53 a text, to which `+ 1` appends a digit. protobufjs, @bufbuild/protobuf 2.17.0 and @protobuf-ts/runtime 2.11.1 read it right, as Long, BigInt and an object.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts protobufjs@8.8.1 google-protobuf@4.0.3 pbf@5.1.2 @bufbuild/protobuf@2.17.0 \
  @protobuf-ts/runtime@2.11.1
cat > seen.mjs <<'JS'
import { BinaryReader as Buf, BinaryWriter as BufWriter } from "@bufbuild/protobuf/wire";
import { BinaryReader as Ts } from "@protobuf-ts/runtime";
import google from "google-protobuf";
import { PbfReader } from "pbf";
import protobuf from "protobufjs";
const { root } = protobuf.parse('syntax = "proto3"; message Usage { int64 credits = 1; }');
const Usage = root.lookupType("Usage");
const bytesOf = (credits) => new BufWriter().tag(1, 0).int64(credits).finish();
const readers = {
  protobufjs: (bytes) => Usage.decode(bytes).credits,
  "@bufbuild/protobuf": (bytes) => {
    const reader = new Buf(bytes);
    reader.tag();
    return reader.int64();
  },
  "@protobuf-ts/runtime": (bytes) => {
    const reader = new Ts(bytes);
    reader.tag();
    return reader.int64();
  },
  "google-protobuf": (bytes) => {
    const reader = new google.BinaryReader(bytes);
    reader.nextField();
    return reader.readInt64();
  },
  pbf: (bytes) => new PbfReader(bytes).readFields((tag, usage, reader) => (usage.credits = reader.readVarint(true)), {}).credits,
};
for (const [name, read] of Object.entries(readers)) {
  console.log(`${name} reads ${[5n, 9007199254740993n].map((credits) => read(bytesOf(credits))).map((value) => `${value} (${typeof value})`).join(", ")}`);
}
for (const credits of [5, 5n, 9007199254740993n, "9007199254740993", 1.5]) {
  const read = (bytes) => readers["@bufbuild/protobuf"](bytes);
  console.log(`protobufjs writes ${typeof credits} ${credits}: create ${read(Usage.encode(Usage.create({ credits })).finish())}, fromObject ${read(Usage.encode(Usage.fromObject({ credits })).finish())}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'protobufjs reads 5 (object), 9007199254740993 (object)
@bufbuild/protobuf reads 5 (bigint), 9007199254740993 (bigint)
@protobuf-ts/runtime reads 5 (object), 9007199254740993 (object)
google-protobuf reads 5 (number), 9007199254740993 (string)
pbf reads 5 (number), 9007199254740992 (number)
protobufjs writes number 5: create 5, fromObject 5
protobufjs writes bigint 5: create 0, fromObject 5
protobufjs writes bigint 9007199254740993: create 0, fromObject 9007199254740993
protobufjs writes string 9007199254740993: create 9007199254740993, fromObject 9007199254740993
protobufjs writes number 1.5: create 1, fromObject 1' ]
