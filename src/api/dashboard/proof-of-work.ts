import { type Challenge, createChallenge, verifySolution } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/web/pbkdf2";
import * as z from "zod/mini";

/**
 * Proofs of work: a page spends about a second of computing time before a request that is answered only for such a proof.
 * Challenges are signed, so none of them is stored until it is used. The library checks times with the system's clock.
 */
export type ProofsOfWork = {
  issue(): Promise<Challenge>;
  /** Returns the id of a proof, null if the proof is wrong or expired. The caller accepts an id once. */
  check(proof: string): Promise<string | null>;
};

export const PROOF_VALID_SECONDS = 10 * 60;

/**
 * Iterations of PBKDF2 for one attempt. A browser needs 256 attempts on average: together 1.5 s of one core, five times what
 * hashing a password costs the server (0.3 s, measured on the same machine). Checking a proof costs the server one attempt, 7 ms.
 */
const COST = 25_000;
/** One attempt in 256 has a key that starts with this byte. */
const KEY_PREFIX = "00";
const ALGORITHM = "PBKDF2/SHA-256";

const PROOF = z.object({
  challenge: z.object({
    parameters: z.strictObject({
      algorithm: z.string(),
      cost: z.number(),
      expiresAt: z.number(),
      keyLength: z.number(),
      keyPrefix: z.string(),
      nonce: z.string(),
      salt: z.string(),
    }),
    signature: z.string(),
  }),
  solution: z.object({ counter: z.number(), derivedKey: z.string() }),
});

export function createProofsOfWork(deps: {
  /** Signs challenges. */
  secret: string;
  now(): number;
  cost?: number;
}): ProofsOfWork {
  const { secret, now, cost = COST } = deps;
  return {
    issue: () =>
      createChallenge({
        algorithm: ALGORITHM,
        cost,
        keyPrefix: KEY_PREFIX,
        expiresAt: Math.floor(now() / 1_000) + PROOF_VALID_SECONDS,
        deriveKey,
        hmacSignatureSecret: secret,
      }),
    async check(proof) {
      const parsed = PROOF.safeParse(parseJson(proof));
      if (!parsed.success) return null;
      const { challenge, solution } = parsed.data;
      const { verified } = await verifySolution({
        // Its signature shows that the parameters are those of a challenge that we issued.
        challenge,
        solution,
        deriveKey,
        hmacSignatureSecret: secret,
      });
      return verified ? challenge.signature : null;
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
