#!/usr/bin/env bash
# Two documents of nine characters, one of them not ASCII, are hashed by sixteen libraries: as text, as Uint8Array and as ArrayBuffer, which is what `TextEncoder`, `fetch` and files hand out.
# Expected: the digest of their UTF-8, as node:crypto has it, or an error for what the library does not take.
# Seen on 2026-11-29: for a Uint8Array crypto-js 4.2.0 and sjcl 1.0.9 return one digest, whatever it holds, and node-forge 1.4.3, sha1 1.1.1 and blueimp-md5 2.19.0 that of something else; for an ArrayBuffer ten of the sixteen have one digest for all, among them
# md5 2.3.0, hash.js 1.1.7, fast-sha256 1.3.0 and @stablelib/sha256 2.0.1: as a key for repeats or for a cache it makes all files one. Text is hashed wrong by node-forge, sha256 0.2.0, fast-sha256 and @stablelib/sha256. js-sha256 1.0.0 and
# @aws-crypto/sha256-js 5.2.0 are right each time; @noble/hashes 2.4.0, hash-wasm 4.13.0 and sha.js 2.4.12 are right or throw.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts crypto-js@4.2.0 sjcl@1.0.9 node-forge@1.4.3 sha1@1.1.1 sha256@0.2.0 blueimp-md5@2.19.0 \
  md5@2.3.0 hash.js@1.1.7 fast-sha256@1.3.0 @stablelib/sha256@2.0.1 js-sha256@1.0.0 @noble/hashes@2.4.0 hash-wasm@4.13.0 sha.js@2.4.12 \
  sha256-uint8array@0.12.1 @aws-crypto/sha256-js@5.2.0
cat > seen.mjs <<'JS'
import { createHash } from "node:crypto";
import aws from "@aws-crypto/sha256-js";
import { sha256 as noble } from "@noble/hashes/sha2.js";
import * as stable from "@stablelib/sha256";
import blueimp from "blueimp-md5";
import CryptoJS from "crypto-js";
import * as fast from "fast-sha256";
import hashJs from "hash.js";
import { sha256 as wasm } from "hash-wasm";
import * as jsSha256 from "js-sha256";
import md5 from "md5";
import forge from "node-forge";
import shaJs from "sha.js";
import sha1 from "sha1";
import sha256 from "sha256";
import { createHash as uint8 } from "sha256-uint8array";
import sjcl from "sjcl";
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const libraries = {
  "crypto-js": (data) => CryptoJS.SHA256(data).toString(),
  sjcl: (data) => sjcl.codec.hex.fromBits(sjcl.hash.sha256.hash(data)),
  "node-forge": (data) => forge.md.sha256.create().update(data).digest().toHex(),
  sha1: (data) => sha1(data),
  sha256: (data) => sha256(data),
  "blueimp-md5": (data) => blueimp(data),
  md5: (data) => md5(data),
  "hash.js": (data) => hashJs.sha256().update(data).digest("hex"),
  "fast-sha256": (data) => hex(fast.hash(data)),
  "@stablelib/sha256": (data) => hex(stable.hash(data)),
  "js-sha256": (data) => jsSha256.sha256(data),
  "@noble/hashes": (data) => hex(noble(data)),
  "hash-wasm": (data) => wasm(data),
  "sha.js": (data) => shaJs("sha256").update(data).digest("hex"),
  "sha256-uint8array": (data) => uint8().update(data).digest("hex"),
  "@aws-crypto/sha256-js": (data) => {
    const hash = new aws.Sha256();
    hash.update(data);
    return hex(hash.digestSync());
  },
};
const texts = ["price é 5", "price é 7"];
const kinds = { text: (text) => text, Uint8Array: (text) => new TextEncoder().encode(text), ArrayBuffer: (text) => new TextEncoder().encode(text).buffer };
for (const [name, digest] of Object.entries(libraries)) {
  const seen = [];
  for (const [kind, make] of Object.entries(kinds)) {
    try {
      const [one, two] = [await digest(make(texts[0])), await digest(make(texts[1]))];
      const right = createHash({ 32: "md5", 40: "sha1", 64: "sha256" }[one.length]).update(texts[0]).digest("hex");
      seen.push(`${kind} ${one === right ? "right" : one === two ? "one digest for both" : "wrong"}`);
    } catch {
      seen.push(`${kind} an error`);
    }
  }
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'crypto-js: text right, Uint8Array one digest for both, ArrayBuffer one digest for both
sjcl: text right, Uint8Array one digest for both, ArrayBuffer one digest for both
node-forge: text wrong, Uint8Array wrong, ArrayBuffer one digest for both
sha1: text right, Uint8Array wrong, ArrayBuffer one digest for both
sha256: text wrong, Uint8Array right, ArrayBuffer right
blueimp-md5: text right, Uint8Array wrong, ArrayBuffer one digest for both
md5: text right, Uint8Array right, ArrayBuffer one digest for both
hash.js: text right, Uint8Array right, ArrayBuffer one digest for both
fast-sha256: text wrong, Uint8Array right, ArrayBuffer one digest for both
@stablelib/sha256: text wrong, Uint8Array right, ArrayBuffer one digest for both
js-sha256: text right, Uint8Array right, ArrayBuffer right
@noble/hashes: text an error, Uint8Array right, ArrayBuffer an error
hash-wasm: text right, Uint8Array right, ArrayBuffer an error
sha.js: text right, Uint8Array right, ArrayBuffer an error
sha256-uint8array: text right, Uint8Array right, ArrayBuffer one digest for both
@aws-crypto/sha256-js: text right, Uint8Array right, ArrayBuffer right' ]
