import assert from "node:assert/strict";
import { createHash, webcrypto } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { checkInput } from "#tools/check-input.ts";
import type { HashAlgorithm } from "#tools/define-tool.ts";
import hash from "#tools/hash/tool.ts";
import { fixedToolContext } from "../support/tool-context.ts";

const ALGORITHMS: HashAlgorithm[] = ["sha1", "sha256", "sha384", "sha512"];
const run = async (request: unknown) =>
  hash.run(checkInput(hash, request).input, fixedToolContext());

/** NIST, "Examples with intermediate values" for FIPS 180-4, and the vectors of RFC 6234, section 8.5. */
const TWO_BLOCKS_256 = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
const TWO_BLOCKS_512 =
  "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";
const MILLION = "a".repeat(1_000_000);
const VECTORS: [HashAlgorithm, string, string][] = [
  ["sha1", "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"],
  ["sha1", "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"],
  ["sha1", TWO_BLOCKS_256, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"],
  ["sha1", MILLION, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"],
  ["sha256", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["sha256", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ["sha256", TWO_BLOCKS_256, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"],
  ["sha256", MILLION, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
  [
    "sha384",
    "",
    "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b",
  ],
  [
    "sha384",
    "abc",
    "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
  ],
  [
    "sha384",
    TWO_BLOCKS_512,
    "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039",
  ],
  [
    "sha384",
    MILLION,
    "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b07b8b3dc38ecc4ebae97ddd87f3d8985",
  ],
  [
    "sha512",
    "",
    "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
  ],
  [
    "sha512",
    "abc",
    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
  ],
  [
    "sha512",
    TWO_BLOCKS_512,
    "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909",
  ],
  [
    "sha512",
    MILLION,
    "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b",
  ],
];

for (const [algorithm, text, digest] of VECTORS) {
  const name = text.length > 20 ? `${text.slice(0, 12)}… (${text.length})` : `"${text}"`;
  test(`${algorithm} of ${name} is the one FIPS 180-4 gives`, async () => {
    assert.deepEqual(await run({ text, algorithm }), {
      ok: true,
      algorithm: algorithm.toUpperCase(),
      hash: digest,
      length: digest.length,
    });
  });
}

test("the algorithm is sha256 by default", async () => {
  assert.equal((await run({ text: "abc" })).algorithm, "SHA256");
});

test("the algorithm may be spelt in any case, with or without the hyphen", async () => {
  for (const algorithm of ALGORITHMS) {
    const digits = algorithm.slice(3);
    for (const spelling of [`SHA${digits}`, `Sha${digits}`, `sha-${digits}`, `SHA-${digits}`]) {
      const response = await run({ text: "abc", algorithm: spelling });
      assert.equal(response.algorithm, `SHA${digits}`, spelling);
    }
  }
});

test("other algorithm names are rejected", () => {
  const names = ["md5", "sha", "sha-", "sha224", "sha3-256", "sha--256", "sha256 ", " sha256"];
  for (const algorithm of [...names, "sha2-56", "-sha256", "", "ſha1", 256, true, null, ["sha1"]]) {
    assert.throws(() => checkInput(hash, { text: "", algorithm }), { code: "invalid_request" });
  }
});

test("every text has the digest that node:crypto gives for its UTF-8 bytes", async () => {
  const texts = fc.string({ unit: "grapheme", maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(texts, fc.constantFrom(...ALGORITHMS), async (text, algorithm) => {
      const expected = createHash(algorithm).update(text, "utf8").digest("hex");
      const response = await run({ text, algorithm });
      assert.equal(response.hash, expected);
      assert.equal(response.length, expected.length);
    }),
  );
});

test("a synchronous digest gives a synchronous response, and an asynchronous one a promise", async () => {
  const input = checkInput(hash, { text: "abc" }).input;
  assert.ok(!(hash.run(input, fixedToolContext()) instanceof Promise));
  const promised = hash.run(input, {
    ...fixedToolContext(),
    digest: async (_, bytes) =>
      new Uint8Array(await webcrypto.subtle.digest("SHA-256", Uint8Array.from(bytes))),
  });
  assert.ok(promised instanceof Promise);
  assert.deepEqual(await promised, hash.run(input, fixedToolContext()));
});
