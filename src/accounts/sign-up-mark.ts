import { bytesToHex } from "@noble/hashes/utils.js";
import { keyedHash } from "./keyed-hash.ts";

/**
 * A mark names one sign-up, unguessably. A browser gets it when it signs up, or signs in with the right password before the
 * address is verified; it shows it when it opens the link of the email. Mark and link together prove that the reader of the
 * email knows the password.
 */
export const signUpMark = (secret: string, user: string): string =>
  bytesToHex(keyedHash(secret, `toolbooth sign-up ${user}`)).slice(0, 32);

export const SIGN_UP_MARK = /^[0-9a-f]{32}$/;
