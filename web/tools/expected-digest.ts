import { fromBase64, toBase64 } from "#tools/base64.ts";
import type { HashAlgorithm } from "#tools/define-tool.ts";
import type { Digests } from "./hash-stream.ts";

/** What a digest that somebody published says, or why it says nothing. */
export type Expected = { algorithm: HashAlgorithm; bytes: Uint8Array } | { fault: string };

const BYTES: Record<HashAlgorithm, number> = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 };
const NAMES = Object.keys(BYTES) as HashAlgorithm[];
export const ALGORITHM_NAMES: Record<HashAlgorithm, string> = {
  sha1: "SHA-1",
  sha256: "SHA-256",
  sha384: "SHA-384",
  sha512: "SHA-512",
};

const UNKNOWN =
  "This is not a SHA-1, SHA-256, SHA-384 or SHA-512 digest in hex or Base64. Check that you pasted all of it.";

/**
 * Reads a digest as people publish it: in hex or Base64, with `sha256:` or `sha256-` (Subresource Integrity) before it, or as the
 * file that `sha256sum` or BSD's `sha256` writes, from which the line of `fileName` is taken. Null for a blank text.
 */
export function readExpected(text: string, fileName: string | null): Expected | null {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (lines.length === 0) return null;
  const listed = lines.flatMap((line) => listedDigest(line) ?? []);
  if (listed.length === lines.length && listed.length > 0) {
    const ofFile = listed.find(({ name }) => baseName(name) === fileName);
    if (listed.length > 1 && ofFile === undefined) {
      return { fault: `The list has ${listed.length} files, and none has the name of this one.` };
    }
    const { digest, algorithm } = ofFile ?? (listed[0] as ListedDigest);
    return readDigest(digest, algorithm);
  }
  const [, prefix, rest] = /^(sha-?(?:1|256|384|512))\s*[:=-]\s*(.+)$/is.exec(lines.join("")) ?? [];
  const algorithm = prefix === undefined ? undefined : algorithmOf(prefix);
  return readDigest(rest ?? lines.join(""), algorithm);
}

type ListedDigest = { digest: string; name: string; algorithm: HashAlgorithm | undefined };

function listedDigest(line: string): ListedDigest | null {
  // GNU: digest, a space, a space or `*` for binary, name. A backslash before the digest marks a name with escapes.
  const gnu = /^\\?([0-9a-f]{40,128}) [ *](.+)$/i.exec(line);
  if (gnu !== null)
    return { digest: gnu[1] as string, name: gnu[2] as string, algorithm: undefined };
  const bsd = /^(SHA-?(?:1|256|384|512)) ?\((.+)\) ?= ?([0-9a-f]+)$/i.exec(line);
  if (bsd === null) return null;
  const [, algorithm = "", name = "", digest = ""] = bsd;
  return { digest, name, algorithm: algorithmOf(algorithm) };
}

const algorithmOf = (name: string) => name.toLowerCase().replace("-", "") as HashAlgorithm;
const baseName = (path: string): string => path.replace(/^.*[\\/]/, "");

function readDigest(text: string, named: HashAlgorithm | undefined): Expected {
  const bytes = bytesOf(text, named);
  const algorithm = NAMES.find((each) => BYTES[each] === bytes?.byteLength);
  if (bytes === null || algorithm === undefined) return { fault: UNKNOWN };
  if (named !== undefined && named !== algorithm) {
    return {
      fault: `The digest names ${ALGORITHM_NAMES[named]}, but has the length of ${ALGORITHM_NAMES[algorithm]}.`,
    };
  }
  return { algorithm, bytes };
}

/** Hex with spaces, colons or dashes between its digits, else Base64 or Base64url. */
function bytesOf(text: string, named: HashAlgorithm | undefined): Uint8Array | null {
  const hex = text.replace(/[\s:-]/g, "");
  // 64 hex digits are Base64 of 48 bytes too: SHA-384 only where it is named.
  if (/^(?:[0-9a-f]{2})+$/i.test(hex) && (named === undefined || hex.length === 2 * BYTES[named])) {
    return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  }
  const base64 = text.replace(/\s/g, "").replaceAll("-", "+").replaceAll("_", "/");
  if (!/^[0-9a-z+/]+=*$/i.test(base64)) return null;
  const bytes = fromBase64(base64.replace(/=+$/, ""));
  // Bits after the last byte would be ignored.
  return toBase64(bytes).replace(/=+$/, "") === base64.replace(/=+$/, "") ? bytes : null;
}

/** Whether a digest is the expected one. */
export const matches = (
  digests: Digests,
  { algorithm, bytes }: Exclude<Expected, { fault: string }>,
): boolean => digests[algorithm].every((byte, at) => byte === bytes[at]);
