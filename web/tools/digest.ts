import { sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import type { ToolContext } from "#tools/define-tool.ts";

/**
 * Digests in JavaScript, because `crypto.subtle` is missing on pages loaded over plain HTTP from another machine. Speed
 * matters little: large inputs are hashed in a worker.
 */
const HASHES = { sha1, sha256, sha384, sha512 };

export const digest: ToolContext["digest"] = (algorithm, bytes) => HASHES[algorithm](bytes);
