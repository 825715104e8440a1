import { bytesToHex } from "@noble/hashes/utils.js";
import { keyedHash } from "#accounts/keyed-hash.ts";

const CHARS = 16;

/**
 * By what payments are known as this service's, where several take money at one account of the provider's: staging beside
 * production. It tells nothing of the secrets, and is the same in every process that works under them.
 */
export function paymentMarks(secrets: readonly string[]): readonly [string, ...string[]] {
  const [newest, ...older] = secrets.map((secret) =>
    bytesToHex(keyedHash(secret, "toolbooth payments")).slice(0, CHARS),
  );
  if (newest === undefined) throw new RangeError("A service works under at least one secret");
  return [newest, ...older];
}
