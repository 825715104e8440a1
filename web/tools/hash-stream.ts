import { sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import type { HashAlgorithm } from "#tools/define-tool.ts";

export type Digests = Record<HashAlgorithm, Uint8Array>;
export const ALGORITHMS: readonly HashAlgorithm[] = ["sha256", "sha1", "sha384", "sha512"];

/**
 * All digests of a stream in one pass. Only one piece of the stream is in memory at a time, so a file may be of any size.
 * `onProgress` gets the number of bytes that were hashed.
 */
export async function hashStream(
  stream: ReadableStream<Uint8Array>,
  onProgress: (bytes: number) => void,
): Promise<Digests> {
  const states = {
    sha1: sha1.create(),
    sha256: sha256.create(),
    sha384: sha384.create(),
    sha512: sha512.create(),
  };
  let bytes = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    for (const state of Object.values(states)) state.update(value);
    bytes += value.byteLength;
    onProgress(bytes);
  }
  return {
    sha1: states.sha1.digest(),
    sha256: states.sha256.digest(),
    sha384: states.sha384.digest(),
    sha512: states.sha512.digest(),
  };
}
