import * as z from "zod/mini";
import { bodyBytesFor, HASH_TEXT_BYTES_MAX, HMAC_KEY_BYTES_MAX } from "#limits.ts";
import { toBase64 } from "../base64.ts";
import { BYTE_CODECS, BYTE_ENCODINGS } from "../byte-text.ts";
import { defineTool } from "../define-tool.ts";
import {
  about,
  anyCaseOption,
  base64Field,
  checkTogether,
  findSourceFaults,
  readBase64,
  textField,
} from "../fields.ts";
import { encodeUtf8 } from "../text.ts";
import { hmac } from "./hmac.ts";

/**
 * Hashes bytes (FIPS 180-4), with a key too (FIPS 198-1), with the runtime's native digest. The tool is synchronous if the
 * digest is.
 */
const ALGORITHMS = ["sha1", "sha256", "sha384", "sha512"] as const;
const ENCODINGS = ["hex", "base64", "base64url"] as const;

const input = z
  .strictObject({
    text: z.optional(
      textField(
        HASH_TEXT_BYTES_MAX,
        "Input text, up to 1 MB (1,048,576 bytes) of UTF-8. Required, or `base64` in its place.",
      ),
    ),
    algorithm: about(
      // Not `_default`, which JSON Schema leaves out before a `transform`.
      z.prefault(z.pipe(z.transform(canonicalName), z.enum(ALGORITHMS)), "sha256"),
      "Hash algorithm. The names are accepted in any case, with or without the hyphen (`SHA-256`).",
    ),
    base64: base64Field(
      "Input bytes in place of `text`: base64 (RFC 4648) of up to 1 MB, in either alphabet. Line breaks are ignored, and the padding may be left out.",
    ),
    hmacKey: z.optional(
      textField(
        HMAC_KEY_BYTES_MAX,
        "Returns the HMAC (RFC 2104) under this key, up to 4 KB (4,096 bytes) of UTF-8. A secret: it is rejected in the URL.",
        1,
      ),
    ),
    hmacKeyEncoding: anyCaseOption(
      BYTE_ENCODINGS,
      "utf8",
      "How `hmacKey` is written: as text, or as bytes in `hex` or `base64`. Only with `hmacKey`.",
    ),
    encoding: anyCaseOption(
      ENCODINGS,
      "hex",
      "Encoding of `hash`, in any case. `base64url` has no padding.",
    ),
  })
  .check(
    checkTogether(["text", "base64"], findSourceFaults),
    checkTogether(["hmacKey", "hmacKeyEncoding"], findKeyFaults),
  );

const output = z.strictObject({
  ok: about(z.literal(true), "True on success."),
  algorithm: about(
    z.enum(["SHA1", "SHA256", "SHA384", "SHA512"]),
    "Algorithm used, in uppercase without a hyphen.",
  ),
  hash: about(z.string(), "The digest or HMAC: hex in lowercase, or the `encoding` asked for."),
  length: about(z.int(), "Number of characters of `hash`."),
  encoding: about(z.optional(z.enum(ENCODINGS)), "Encoding used; only if the request named one."),
});

type Input = z.infer<typeof input>;
type Output = z.infer<typeof output>;

export default defineTool({
  name: "hash",
  operation: "hashText",
  title: "Hash",
  summary: "SHA-1, SHA-256, SHA-384 or SHA-512 digest of text or bytes, or an HMAC.",
  description:
    "Computes a cryptographic hash of the UTF-8 bytes of `text`, or of the bytes in `base64`, and returns it in hex. With `hmacKey` it computes an HMAC. Use SHA-1 only for legacy formats, because attackers can forge collisions.",
  agents: {
    fields: {
      text: "Input text, up to 1 MB (1,048,576 bytes) of UTF-8; this or `base64` is required.",
    },
  },
  price: 1,
  effect: "none",
  input,
  output,
  body: "required",
  // 1 MB in base64 fits as well with 4.5 bytes for each character, and no encoder escapes letters and digits.
  bodyBytesMax: bodyBytesFor(HASH_TEXT_BYTES_MAX + HMAC_KEY_BYTES_MAX),
  fieldBytesMax: { text: HASH_TEXT_BYTES_MAX, hmacKey: HMAC_KEY_BYTES_MAX },
  secretFields: ["hmacKey"],
  rawBody: {
    field: "text",
    types: ["application/octet-stream", "text/plain"],
    octets: true,
    standIns: ["base64"],
  },
  representations: [{ type: "text/plain", write: ({ hash }) => `${hash}\n` }],
  heavyFromBytes: 384 * 1024,
  browser: true,
  examples: [
    {
      name: "SHA-256, the default",
      request: { text: "Hello, world!" },
      response: {
        ok: true,
        algorithm: "SHA256",
        hash: "315f5bdb76d078c43b8ac0064e4a0164612b1fce77c869345bfc94c75894edd3",
        length: 64,
      },
    },
    {
      name: "SHA-1 of an empty text",
      request: { text: "", algorithm: "sha1" },
      response: {
        ok: true,
        algorithm: "SHA1",
        hash: "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        length: 40,
      },
    },
    {
      name: "SHA-512 of UTF-8",
      request: { text: "naïve café ☕", algorithm: "sha512" },
      response: {
        ok: true,
        algorithm: "SHA512",
        hash: "ebfae6d955ff4846ba9fcd9dc6677057ffd4ee21bbbf6fdd7c33dedce5fd3809335e776f18dc7ad51c1a0f4e70d938fe51f812addac1d5130cfd38671b9771e8",
        length: 128,
      },
    },
    {
      name: "HMAC-SHA256 in Base64",
      request: { text: "Hello, world!", hmacKey: "a secret", encoding: "base64" },
      response: {
        ok: true,
        algorithm: "SHA256",
        hash: "PG6tN1V8i6w3tLGPCe8mrjqdGqo1fTf/pbiBmg1Ul8s=",
        length: 44,
        encoding: "base64",
      },
    },
  ],
  // Bytes are for programs; a page has text.
  page: { controls: { base64: "none" } },
  run(request, context) {
    const { algorithm, hmacKey, hmacKeyEncoding = "utf8" } = request;
    const bytes = context.octets ?? bytesOf(request);
    const digest =
      hmacKey === undefined
        ? context.digest(algorithm, bytes)
        : hmac(context.digest, algorithm, BYTE_CODECS[hmacKeyEncoding].decode(hmacKey), bytes);
    return digest instanceof Uint8Array
      ? result(request, digest)
      : digest.then((digested) => result(request, digested));
  },
});

/** The encoding of a key that is missing would give a digest without a key. */
function findKeyFaults({
  hmacKey,
  hmacKeyEncoding,
}: Pick<Input, "hmacKey" | "hmacKeyEncoding">): Record<string, string> {
  if (hmacKeyEncoding === undefined) return {};
  if (hmacKey === undefined) return { hmacKeyEncoding: "needs `hmacKey`" };
  // Its characters are base64, so that it would be decoded as part of the key.
  if (hmacKeyEncoding === "base64" && hmacKey.startsWith("whsec_")) {
    return { hmacKey: "must not have the prefix `whsec_`; send what follows it" };
  }
  const { fault, byteLength } = BYTE_CODECS[hmacKeyEncoding];
  const found = fault(hmacKey) ?? (byteLength(hmacKey) === 0 ? "must not be empty" : undefined);
  return found === undefined ? {} : { hmacKey: found };
}

const bytesOf = ({ text = "", base64 }: Input): Uint8Array =>
  base64 === undefined ? encodeUtf8(text) : readBase64(base64, HASH_TEXT_BYTES_MAX);

function result({ algorithm, encoding }: Input, digest: Uint8Array): Output {
  const hash = ENCODERS[encoding ?? "hex"](digest);
  return {
    ok: true,
    algorithm: algorithm.toUpperCase() as Output["algorithm"],
    hash,
    length: hash.length,
    ...(encoding !== undefined && { encoding }),
  };
}

/** Turns `SHA-256` and `Sha256` into `sha256`. It removes only a hyphen right after `sha`. */
function canonicalName(name: unknown): unknown {
  return typeof name === "string" && name.length <= 7
    ? name.toLowerCase().replace(/^sha-/, "sha")
    : name;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

const ENCODERS: Record<(typeof ENCODINGS)[number], (bytes: Uint8Array) => string> = {
  hex(bytes) {
    let hex = "";
    for (const byte of bytes) hex += HEX[byte];
    return hex;
  },
  base64: toBase64,
  // RFC 4648, section 5.
  base64url: (bytes) =>
    toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""),
};
