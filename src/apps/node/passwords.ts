import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { createPasswordLanes } from "./password-lanes.ts";

/**
 * Password hashing with scrypt (RFC 7914), stored as `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`. The parameters follow the
 * OWASP password storage cheat sheet for 32 MB; each hash stores its own, so that they can be raised later.
 */
const LOG_N = 15;
const R = 8;
const P = 3;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

type Scrypt = { logN: number; r: number; p: number; bytes: number };
type Derive = (password: string, salt: Buffer, parameters: Scrypt) => Promise<Buffer>;

export function createPasswords(derive: Derive) {
  return {
    async hashPassword(password: string): Promise<string> {
      const salt = randomBytes(SALT_BYTES);
      const parameters = { logN: LOG_N, r: R, p: P, bytes: HASH_BYTES };
      const hash = await derive(password, salt, parameters);
      return `scrypt$${LOG_N}$${R}$${P}$${salt.toString("base64url")}$${hash.toString("base64url")}`;
    },

    async verifyPassword(stored: string, password: string): Promise<boolean> {
      const [name, logN, r, p, salt = "", right = ""] = stored.split("$");
      if (name !== "scrypt") return false;
      const expected = Buffer.from(right, "base64url");
      const bytes = expected.length;
      if (bytes === 0) return false;
      const salted = Buffer.from(salt, "base64url");
      const parameters = { logN: Number(logN), r: Number(r), p: Number(p), bytes };
      return timingSafeEqual(await derive(password, salted, parameters), expected);
    },
  };
}

/**
 * workerd runs scrypt synchronously on the isolate's only thread: two hashes never hold their 32 MB at the same time, and a
 * queue would outlive the requests in it.
 */
export const deriveAtOnce: Derive = (password, salt, { logN, r, p, bytes }) =>
  new Promise((resolve, reject) => {
    // Normalizes to NFC, so that encodings that look the same are the same password (RFC 8265).
    const text = password.normalize("NFC");
    const options = { N: 2 ** logN, r, p, maxmem: 256 * r * 2 ** logN };
    scrypt(text, salt, bytes, options, (error, key) => (error ? reject(error) : resolve(key)));
  });

const takeTurn = createPasswordLanes();
const deriveInTurn: Derive = (password, salt, parameters) =>
  takeTurn(() => deriveAtOnce(password, salt, parameters));

export const { hashPassword, verifyPassword } = createPasswords(deriveInTurn);
