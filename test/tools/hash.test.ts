import assert from "node:assert/strict";
import { createHash, createHmac, webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { readInput } from "#calls/read-input.ts";
import { HASH_TEXT_BYTES_MAX, HMAC_KEY_BYTES_MAX } from "#limits.ts";
import { base64ByteLength, base64Fault, fromBase64, toBase64 } from "#tools/base64.ts";
import { checkInput } from "#tools/check-input.ts";
import type { HashAlgorithm, ToolContext } from "#tools/define-tool.ts";
import { hmac } from "#tools/hash/hmac.ts";
import hash from "#tools/hash/tool.ts";
import fc from "../support/properties.ts";
import { fixedToolContext } from "../support/tool-context.ts";
import { errorOf, runTool } from "./run-tool.ts";

const ALGORITHMS: HashAlgorithm[] = ["sha1", "sha256", "sha384", "sha512"];
const run = async (request: unknown) =>
  hash.run(checkInput(hash, request).input, fixedToolContext());

/**
 * `digests`: NIST, "Examples with intermediate values" for FIPS 180-4, and the vectors of RFC 6234, section 8.5; a number stands for
 * as many letters a. `hmacs`: RFC 2202, section 3 (cases 1, 2, 3, 4, 6, 7), and RFC 4231, sections 4.2 to 4.8 (without the
 * truncated case 5); key and message in hex.
 */
const VECTORS = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "hash-vectors.json"), "utf8"),
) as {
  digests: [HashAlgorithm, string | number, string][];
  hmacs: ({ key: string; message: string } & Partial<Record<HashAlgorithm, string>>)[];
};

for (const [algorithm, letters, digest] of VECTORS.digests) {
  const text = typeof letters === "number" ? "a".repeat(letters) : letters;
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

/** The digests of the edge: promises, but for short inputs of SHA-256. */
const edgeDigest: ToolContext["digest"] = (algorithm, bytes) =>
  algorithm === "sha256" && bytes.length <= 1024
    ? createHash(algorithm).update(bytes).digest()
    : webcrypto.subtle
        .digest(`SHA-${algorithm.slice(3)}`, Uint8Array.from(bytes))
        .then((digest) => new Uint8Array(digest));

const rejectionOf = async (request: unknown) => errorOf(() => runTool(hash, request));

test("the HMACs are those of RFC 2202 and RFC 4231, from synchronous digests and from promises", async () => {
  let count = 0;
  for (const { key, message, ...digests } of VECTORS.hmacs) {
    for (const algorithm of ALGORITHMS) {
      const expected = digests[algorithm];
      if (expected === undefined) continue;
      const { digest } = fixedToolContext();
      const bytes = [Buffer.from(key, "hex"), Buffer.from(message, "hex")] as const;
      const atOnce = hmac(digest, algorithm, ...bytes);
      assert.ok(atOnce instanceof Uint8Array);
      assert.equal(Buffer.from(atOnce).toString("hex"), expected);
      const promised = await hmac(edgeDigest, algorithm, ...bytes);
      assert.equal(Buffer.from(promised).toString("hex"), expected);
      count += 1;
    }
  }
  assert.equal(count, 23);
});

test("with hmacKey the hash is the HMAC that node:crypto gives, in every encoding", async () => {
  const texts = fc.string({ unit: "grapheme", maxLength: 200 });
  // Around the blocks of 64 and 128 bytes.
  const keys = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 }),
    fc.constantFrom(63, 64, 65, 127, 128, 129, 300).map((length) => "k".repeat(length)),
  );
  const encodings = fc.constantFrom("hex", "base64", "base64url");
  await fc.assert(
    fc.asyncProperty(
      texts,
      keys,
      fc.constantFrom(...ALGORITHMS),
      encodings,
      async (text, hmacKey, algorithm, encoding) => {
        const request = { text, hmacKey, algorithm, encoding };
        const expected = createHmac(algorithm, Buffer.from(hmacKey)).update(text, "utf8");
        const response = await run(request);
        assert.equal(response.hash, expected.digest(encoding as "hex"));
        const { input } = checkInput(hash, request);
        const context = { ...fixedToolContext(), digest: edgeDigest };
        assert.deepEqual(await hash.run(input, context), response);
      },
    ),
  );
});

test("a key has 1 to 4,096 bytes of UTF-8", async () => {
  const text = "";
  assert.equal((await run({ text, hmacKey: "é".repeat(HMAC_KEY_BYTES_MAX / 2) })).ok, true);
  const large = await rejectionOf({ text, hmacKey: `a${"é".repeat(HMAC_KEY_BYTES_MAX / 2)}` });
  assert.equal(large.code, "too_large");
  assert.deepEqual(large.details.members, { limit: 4096, size: 4097 });
  for (const hmacKey of ["", null, 5, ["a"], "\ud800"]) {
    const fault = await rejectionOf({ text, hmacKey });
    assert.equal(fault.code, "invalid_request");
    assert.equal(fault.details.errors?.[0]?.pointer, "/hmacKey");
  }
});

test("an encoding is accepted in any case, and the response repeats it only where it was asked for", async () => {
  const digest = createHash("sha256").update("abc").digest();
  for (const [encoding, canonical] of [
    ["hex", "hex"],
    ["base64", "base64"],
    ["base64url", "base64url"],
    ["BASE64URL", "base64url"],
  ] as const) {
    const expected = digest.toString(canonical);
    const response = await run({ text: "abc", encoding });
    assert.equal(
      JSON.stringify(response),
      JSON.stringify({
        ok: true,
        algorithm: "SHA256",
        hash: expected,
        length: expected.length,
        encoding: canonical,
      }),
    );
  }
  const plain = await run({ text: "abc", hmacKey: "k" });
  assert.deepEqual(Object.keys(plain), ["ok", "algorithm", "hash", "length"]);
  for (const encoding of ["", "b64", "base-64", "base64 ", "utf8", null, 16, []]) {
    assert.equal((await rejectionOf({ text: "a", encoding })).code, "invalid_request");
  }
});

test("base64 is decoded as in RFC 4648, section 10, with or without padding", async () => {
  for (const [text, base64] of [
    ["", ""],
    ["f", "Zg=="],
    ["fo", "Zm8="],
    ["foo", "Zm9v"],
    ["foob", "Zm9vYg=="],
    ["fooba", "Zm9vYmE="],
    ["foobar", "Zm9vYmFy"],
  ] as const) {
    assert.equal(toBase64(Buffer.from(text)), base64);
    for (const sent of [base64, base64.replaceAll("=", "")]) {
      assert.deepEqual(await run({ base64: sent }), await run({ text }), sent);
    }
  }
});

/** Texts with one reading, and the bytes in Node's decoder. Sources: RFC 4648 sections 4 and 5, RFC 2045 (line breaks of 76). */
const LENIENT: [source: string, base64: string, hex: string][] = [
  ["missing padding", "Zg", "66"],
  ["the alphabet of URLs", "-_-_", "fbffbf"],
  ["the alphabet of URLs with padding", "_-8=", "ffef"],
  ["a line feed at the end, as echo writes it", "Zm9v\n", "666f6f"],
  ["GNU base64 and base64.encodebytes", "Zm9v\nYg==\n", "666f6f62"],
  ["MIME", "Zm9v\r\nYmFy\r\n", "666f6f626172"],
  ["a break within the padding", "Zg=\n=\n", "66"],
  ["nothing but line breaks", "\r\n", ""],
];

test("base64 with line breaks, the alphabet of URLs or no padding has one reading and is taken", async () => {
  for (const [source, base64, hex] of LENIENT) {
    const bytes = Buffer.from(hex, "hex");
    assert.equal(base64Fault(base64), undefined, source);
    assert.deepEqual(Buffer.from(fromBase64(base64)), bytes, source);
    assert.equal(base64ByteLength(base64), bytes.length, source);
    const expected = createHash("sha256").update(bytes).digest("hex");
    assert.equal((await run({ base64 })).hash, expected, source);
  }
  // GNU `base64` and `openssl base64` break after 76 and 64 characters.
  const bytes = Buffer.alloc(1_000_000, 0xfb);
  for (const width of [64, 76]) {
    const lines = bytes.toString("base64").replace(new RegExp(`.{${width}}`, "g"), "$&\n");
    const expected = createHash("sha256").update(bytes).digest("hex");
    assert.equal((await run({ base64: lines })).hash, expected);
  }
});

/** Text that may be damaged, and words of its message. */
const NOT_BASE64: [string, RegExp][] = [
  ["Zg ==", /character 3 is a space.*%2B/],
  [" Zm9v", /character 1 is a space/],
  ["-_+_", /mixes.*character 3/],
  ["data:;base64,Zg==", /leave out the `data:`/],
  ["Zg===", /padding at character 3 is not at the end/],
  ["Zg==Zg==", /padding at character 3 is not at the end/],
  ["=", /nothing is left to pad at character 1/],
  ["Z", /end is missing after character 1/],
  ["Zm8==", /more padding than it needs/],
  ["Zm9v\nY", /end is missing after character 6/],
  ["Zh==", /unused bits that are not zero/],
  ["Zm9=", /unused bits that are not zero/],
  ["Zm9\0", /character 4/],
];

test("base64 that may be damaged is rejected with the field and the place", async () => {
  for (const [base64, words] of NOT_BASE64) {
    for (const [field, request] of [
      ["base64", { base64 }],
      ["hmacKey", { text: "a", hmacKey: base64, hmacKeyEncoding: "base64" }],
    ] as const) {
      const fault = await rejectionOf(request);
      assert.equal(fault.code, "invalid_request", base64);
      assert.equal(fault.details.errors?.length, 1);
      assert.equal(fault.details.errors[0]?.pointer, `/${field}`);
      assert.match(fault.message, words, base64);
    }
  }
  for (const base64 of [null, 5, true, ["Zg=="]]) {
    assert.equal((await rejectionOf({ base64 })).code, "invalid_request");
  }
});

test("valid is what the encoding of some bytes gives in one of its forms, and nothing else", () => {
  const texts = fc.oneof(
    fc.string({ unit: fc.constantFrom(..."ABQgw/+=09zZ-_\n"), maxLength: 12 }),
    fc.base64String({ maxLength: 24 }).map((text) => text.slice(0, -1)),
    fc.base64String({ maxLength: 24 }),
    fc.string({ maxLength: 8 }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const joined = text.replace(/[\r\n]/g, "");
      const canonical = Buffer.from(joined, "base64").toString("base64");
      const forms = [canonical, canonical.replaceAll("+", "-").replaceAll("/", "_")];
      const isEncoding = forms.some(
        (form) => joined === form || joined === form.replaceAll("=", ""),
      );
      assert.equal(base64Fault(text) === undefined, isEncoding, text);
      if (isEncoding) assert.deepEqual([...fromBase64(text)], [...Buffer.from(joined, "base64")]);
    }),
    { numRuns: 3000 },
  );
});

test("a key in hex or base64 gives the HMAC of its bytes", async () => {
  const text = "Hi There";
  const key = Buffer.alloc(20, 0x0b);
  // RFC 4231, section 4.2.
  const expected = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7";
  const base64 = key.toString("base64");
  for (const [hmacKeyEncoding, hmacKey] of [
    ["hex", key.toString("hex")],
    ["HEX", key.toString("hex").toUpperCase()],
    ["hex", `${"0b".repeat(10)}\r\n${"0b".repeat(10)}\r\n`],
    ["base64", base64],
    ["Base64", base64.replaceAll("=", "")],
    ["base64", key.toString("base64url")],
    ["utf8", key.toString("utf8")],
  ] as const) {
    const response = await run({ text, hmacKey, hmacKeyEncoding });
    assert.equal(response.hash, expected, `${hmacKeyEncoding} ${hmacKey}`);
  }
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(bytes, fc.constantFrom("hex", "base64"), async (own, hmacKeyEncoding) => {
      const hmacKey = Buffer.from(own).toString(hmacKeyEncoding as BufferEncoding);
      const digest = createHmac("sha256", own).update(text).digest("hex");
      assert.equal((await run({ text, hmacKey, hmacKeyEncoding })).hash, digest);
    }),
  );
});

test("a wrong key names its place and not itself", async () => {
  const rows: [request: object, pointer: string, words: RegExp][] = [
    [{ hmacKey: "abc", hmacKeyEncoding: "hex" }, "/hmacKey", /two digits for each byte; got 3/],
    [{ hmacKey: "0x0b", hmacKeyEncoding: "hex" }, "/hmacKey", /character 2 is not allowed/],
    [{ hmacKey: "sécret", hmacKeyEncoding: "hex" }, "/hmacKey", /character 1/],
    [{ hmacKey: "\n", hmacKeyEncoding: "hex" }, "/hmacKey", /must not be empty/],
    [{ hmacKey: "", hmacKeyEncoding: "base64" }, "/hmacKey", /must not be empty/],
    [{ hmacKey: "whsec_C2FVsBQI", hmacKeyEncoding: "base64" }, "/hmacKey", /prefix `whsec_`/],
    [{ hmacKey: "a".repeat(4097), hmacKeyEncoding: "hex" }, "/hmacKey", /4097 bytes/],
    [{ hmacKeyEncoding: "hex" }, "/hmacKeyEncoding", /needs `hmacKey`/],
    [{ hmacKey: "a", hmacKeyEncoding: "latin1" }, "/hmacKeyEncoding", /one of `utf8`, `hex`/],
    [{ hmacKey: "a", hmacKeyEncoding: null }, "/hmacKeyEncoding", /one of/],
  ];
  for (const [fields, pointer, words] of rows) {
    const fault = await rejectionOf({ text: "a", ...fields });
    assert.deepEqual(
      fault.details.errors?.map((each) => each.pointer),
      [pointer],
    );
    assert.match(fault.message, words);
    assert.doesNotMatch(fault.message, /sécret|C2FV/);
  }
});

test("hash computes the signature that standardwebhooks computes, and that of the example in the docs", async () => {
  const docs = (name: string) =>
    readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");
  const sample = (pattern: RegExp) => pattern.exec(docs("webhooks"))?.[1] ?? "";
  const secret = sample(/`(whsec_[^`]+)`/);
  const [id, at] = [sample(/^webhook-id: (.+)$/m), sample(/^webhook-timestamp: (.+)$/m)];
  const body = sample(/^(\{"type":.+)$/m);
  const response = await run({
    text: `${id}.${at}.${body}`,
    hmacKey: secret.replace("whsec_", ""),
    hmacKeyEncoding: "base64",
    encoding: "base64",
  });
  const signature = `v1,${response.hash}`;
  assert.equal(signature, new Webhook(secret).sign(id, new Date(Number(at) * 1_000), body));
  assert.equal(signature, sample(/^webhook-signature: (.+)$/m));
  assert.ok(docs("hash").includes(`text=${id}.${at}.${body}'`));
  assert.ok(docs("hash").includes(`hmacKey=${secret.replace("whsec_", "")}"`));
});

test("1 MB of decoded bytes is the bound, with or without padding", async () => {
  const bytes = Buffer.alloc(HASH_TEXT_BYTES_MAX + 2, 0xfb);
  const base64 = bytes.subarray(0, -2).toString("base64");
  const expected = createHash("sha256").update(bytes.subarray(0, -2)).digest("hex");
  for (const sent of [base64, base64.replaceAll("=", "")]) {
    assert.equal((await run({ base64: sent })).hash, expected);
  }
  for (const more of [1, 2]) {
    const size = HASH_TEXT_BYTES_MAX + more;
    const padded = bytes.subarray(0, size).toString("base64");
    for (const sent of [padded, padded.replaceAll("=", "")]) {
      const fault = await rejectionOf({ base64: sent });
      assert.equal(fault.code, "too_large");
      assert.equal(fault.message, `\`base64\` decodes to ${size} bytes; the limit is 1048576.`);
      assert.deepEqual(fault.details.members, { limit: HASH_TEXT_BYTES_MAX, size });
    }
  }
});

/** The input of a call with this body. */
function sentAs(contentType: string, body: string, query = "") {
  const sent = readInput(hash, { body: Buffer.from(body), contentType, query });
  const { input } = checkInput(hash, sent.value, sent.parameters);
  return hash.run(input, { ...fixedToolContext(), octets: sent.octets });
}

test("a raw body takes the place of text, and so excludes base64", async () => {
  for (const type of ["application/octet-stream", "text/plain"]) {
    const query = "encoding=BASE64URL&algorithm=SHA-1";
    const expected = createHash("sha1").update("abc").digest("base64url");
    assert.equal((await sentAs(type, "abc", query)).hash, expected);
    assert.throws(() => sentAs(type, "abc", "base64=Zg"), {
      code: "invalid_request",
      message: "`base64` must not be combined with `text` or with a raw body.",
      details: {
        errors: [
          { parameter: "base64", detail: "must not be combined with `text` or with a raw body" },
        ],
      },
    });
  }
});

test("a key is refused in the URL", () => {
  assert.throws(() => sentAs("application/json", '{"text":"a"}', "hmacKey=k"), {
    code: "invalid_request",
    message: /`hmacKey` must not be in the URL, because URLs are logged; send it in the body/,
  });
});
