import { pbkdf2 } from "@noble/hashes/pbkdf2.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { deriveKey } from "altcha-lib/algorithms/web/pbkdf2";
import type { DeriveKeyFunction } from "altcha-lib/types";
import { handler } from "altcha-lib/workers/shared";

/** Solves challenges off the main thread. */

/** Browsers offer no Web Crypto to pages that are neither https nor on their own machine. This takes several times longer. */
const deriveWithoutWebCrypto: DeriveKeyFunction = async ({ cost, keyLength }, salt, password) => ({
  derivedKey: pbkdf2(sha256, password, salt, { c: cost, dkLen: keyLength ?? 32 }),
});

handler({ deriveKey: isSecureContext ? deriveKey : deriveWithoutWebCrypto });
