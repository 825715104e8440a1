import { bytesToHex } from "@noble/hashes/utils.js";
import { keyedHash } from "#accounts/keyed-hash.ts";

const CHARS = 16;

/**
 * Returns the marks that identify this service's payments when several services (staging, production) share one account at
 * the payment provider. A mark is derived from a secret without revealing it, so every process with that secret agrees.
 */
export function paymentMarks(secrets: readonly string[]): readonly [string, ...string[]] {
  const [newest, ...older] = secrets.map((secret) =>
    bytesToHex(keyedHash(secret, "toolbooth payments")).slice(0, CHARS),
  );
  if (newest === undefined) throw new RangeError("A service needs at least one secret");
  return [newest, ...older];
}
