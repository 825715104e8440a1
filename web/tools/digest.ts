import { sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import type { ToolContext } from "#tools/define-tool.ts";

/**
 * Digests in JavaScript: the browser's own (crypto.subtle) is missing on pages that came over plain http from another
 * machine. One way for all, as the result is the same and a large input is hashed beside the page anyway.
 */
const HASHES = { sha1, sha256, sha384, sha512 };

export const digest: ToolContext["digest"] = (algorithm, bytes) => HASHES[algorithm](bytes);
