import * as z from "zod/mini";
import { bodyBytesFor, HASH_TEXT_BYTES_MAX } from "#limits.ts";
import { about, defineTool } from "../define-tool.ts";
import { encodeUtf8, textField } from "../text.ts";

/**
 * Hashes the UTF-8 bytes of a text (FIPS 180-4) with the runtime's native digest. The tool is synchronous if the digest
 * is.
 */
const ALGORITHMS = ["sha1", "sha256", "sha384", "sha512"] as const;

const input = z.strictObject({
  text: textField(HASH_TEXT_BYTES_MAX, "Input text, up to 1 MB (1,048,576 bytes) of UTF-8."),
  // Not `_default`, which JSON Schema omits before a `transform`.
  algorithm: about(
    z.prefault(z.pipe(z.transform(canonicalName), z.enum(ALGORITHMS)), "sha256"),
    "Hash algorithm. The names are accepted in any case, with or without the hyphen (`SHA-256`).",
  ),
});

const output = z.strictObject({
  ok: about(z.literal(true), "True on success."),
  algorithm: about(
    z.enum(["SHA1", "SHA256", "SHA384", "SHA512"]),
    "Algorithm used, in uppercase without a hyphen.",
  ),
  hash: about(z.string(), "Hex-encoded digest, in lowercase."),
  length: about(z.int(), "Number of characters of the hex digest."),
});

type Output = z.infer<typeof output>;

export default defineTool({
  name: "hash",
  title: "Hash",
  summary: "SHA-1, SHA-256, SHA-384 or SHA-512 digest of text.",
  description:
    "Computes a cryptographic hash of the UTF-8 bytes of `text` and returns it in hex. Use SHA-1 only for legacy formats, because attackers can forge collisions.",
  price: 1,
  input,
  output,
  body: "required",
  bodyBytesMax: bodyBytesFor(HASH_TEXT_BYTES_MAX),
  fieldBytesMax: { text: HASH_TEXT_BYTES_MAX },
  rawBody: { field: "text", types: ["application/octet-stream", "text/plain"], octets: true },
  representations: [{ type: "text/plain", write: ({ hash }) => `${hash}\n` }],
  heavyFromBytes: 384 * 1024,
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
  ],
  run({ text, algorithm }, context) {
    const digest = context.digest(algorithm, context.octets ?? encodeUtf8(text));
    return digest instanceof Uint8Array
      ? result(algorithm, digest)
      : digest.then((bytes) => result(algorithm, bytes));
  },
});

function result(algorithm: (typeof ALGORITHMS)[number], digest: Uint8Array): Output {
  const hex = toHex(digest);
  return {
    ok: true,
    algorithm: algorithm.toUpperCase() as Output["algorithm"],
    hash: hex,
    length: hex.length,
  };
}

/** Turns `SHA-256` and `Sha256` into `sha256`. It removes only a hyphen right after `sha`. */
function canonicalName(name: unknown): unknown {
  return typeof name === "string" && name.length <= 7
    ? name.toLowerCase().replace(/^sha-/, "sha")
    : name;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function toHex(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += HEX[byte];
  return hex;
}
