import { sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import type { HashAlgorithm, ToolContext } from "#tools/define-tool.ts";

export type Digests = Record<HashAlgorithm, Uint8Array>;
export const ALGORITHMS: readonly HashAlgorithm[] = ["sha256", "sha1", "sha384", "sha512"];

/** In JavaScript, because `crypto.subtle` is missing on pages loaded over plain HTTP from another machine. */
const HASHES = { sha1, sha256, sha384, sha512 };

export const digest: ToolContext["digest"] = (algorithm, bytes) => HASHES[algorithm](bytes);

/**
 * The algorithms that one worker computes. SHA-384 and SHA-512 each take as long as the other two together, so three workers
 * end at about the same time.
 */
export const WORKER_GROUPS: readonly (readonly HashAlgorithm[])[] = [
  ["sha1", "sha256"],
  ["sha384"],
  ["sha512"],
];

/**
 * Digests of a stream in one pass. Only one piece of the stream is in memory at a time, so a file may be of any size.
 * `onProgress` gets the number of bytes that were hashed.
 */
export async function hashStream(
  stream: ReadableStream<Uint8Array>,
  algorithms: readonly HashAlgorithm[],
  onProgress: (bytes: number) => void,
): Promise<Partial<Digests>> {
  const states = algorithms.map((algorithm) => ({ algorithm, state: HASHES[algorithm].create() }));
  let bytes = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    for (const { state } of states) state.update(value);
    bytes += value.byteLength;
    onProgress(bytes);
  }
  return Object.fromEntries(states.map(({ algorithm, state }) => [algorithm, state.digest()]));
}
