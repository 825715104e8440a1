import { readFile } from "node:fs/promises";
import path from "node:path";

/**
 * The lists that a sign-up is checked against. Node reads them when they are first needed; `npm run build` puts them among
 * the assets of the site Worker, because its code would grow by 300 kB (gzipped).
 */
const COMMON_PASSWORDS = path.join(import.meta.dirname, "../../../src/accounts/weak-passwords.bin");

export const readCommonPasswords = (): Promise<Buffer> => readFile(COMMON_PASSWORDS);

export async function readDisposableDomains(): Promise<readonly string[]> {
  const { disposableEmailBlocklist } = await import("disposable-email-domains-js");
  return disposableEmailBlocklist();
}
