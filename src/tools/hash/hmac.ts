import type { HashAlgorithm, ToolContext } from "../define-tool.ts";

/** In bytes (FIPS 180-4, section 1, figure 1). */
const BLOCK_BYTES: Record<HashAlgorithm, number> = {
  sha1: 64,
  sha256: 64,
  sha384: 128,
  sha512: 128,
};

type Digested = ReturnType<ToolContext["digest"]>;

/** HMAC (FIPS 198-1, RFC 2104) over the runtime's digest. Where that is synchronous, so is this. */
export function hmac(
  digest: ToolContext["digest"],
  algorithm: HashAlgorithm,
  key: Uint8Array,
  message: Uint8Array,
): Digested {
  const blockBytes = BLOCK_BYTES[algorithm];
  const short = key.length > blockBytes ? digest(algorithm, key) : key;
  return then(short, (bytes) => {
    const inner = digest(algorithm, padded(bytes, 0x36, blockBytes, message));
    return then(inner, (digested) => digest(algorithm, padded(bytes, 0x5c, blockBytes, digested)));
  });
}

/** The key, zeros up to a block, each byte exclusive-or `pad`; then the text. */
function padded(key: Uint8Array, pad: number, blockBytes: number, text: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(blockBytes + text.length);
  bytes.set(key);
  for (let i = 0; i < blockBytes; i++) bytes[i] = (bytes[i] as number) ^ pad;
  bytes.set(text, blockBytes);
  return bytes;
}

const then = (value: Digested, next: (bytes: Uint8Array) => Digested): Digested =>
  value instanceof Uint8Array ? next(value) : value.then(next);
