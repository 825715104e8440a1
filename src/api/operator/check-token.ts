import { sha256 } from "@noble/hashes/sha2.js";
import { isSameHash } from "#accounts/keyed-hash.ts";
import { createThrottle } from "#ledger/throttle.ts";
import { networkOf } from "#networks.ts";
import type { OperatorToken } from "#operator/perform.ts";
import { OperatorError } from "./operator-error.ts";

/** Wrong tokens per second from one network, with bursts of twice as many. Tokens are too long to guess at any rate. */
const WRONG_A_SECOND = 2;

/** Returns the name of the token in the header. Throws `wrong_token`, or `too_many_tries` after many from one network. */
export function createTokenCheck(tokens: readonly OperatorToken[]) {
  const findName = createTokenSearch(tokens);
  const tries = createThrottle(WRONG_A_SECOND);
  return (authorization: string | null, peer: string | null, now: number): string => {
    const name = findName(authorization);
    // A caller with a token is not held up by others behind the same address.
    if (name !== null) return name;
    const { allowed, retryAfterSeconds } = tries.take(networkOf(peer ?? ""), now);
    if (!allowed) {
      throw new OperatorError(
        "too_many_tries",
        "Too many wrong tokens from this network. Wait a moment, then try again.",
        { "Retry-After": String(retryAfterSeconds) },
      );
    }
    throw new OperatorError(
      "wrong_token",
      "The bearer token is not an operator token of this service. Send one of the tokens in its setting TOOLBOOTH_OPERATOR_TOKEN.",
      { "WWW-Authenticate": 'Bearer realm="toolbooth operator"' },
    );
  };
}

/** Returns a function that finds the name of the token in an `Authorization` header; null for an unknown token. */
export function createTokenSearch(tokens: readonly OperatorToken[]) {
  const known = tokens.map(({ name, token }) => ({ name, digest: digestOf(token) }));
  return (authorization: string | null): string | null => {
    const token = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return null;
    const digest = digestOf(token);
    let found: string | null = null;
    // All are compared, so that the time does not reveal which one matched.
    for (const each of known) if (isSameHash(digest, each.digest)) found = each.name;
    return found;
  };
}

/** Digests have one length, and the position of a difference reveals nothing about the tokens. */
const digestOf = (text: string) => sha256(new TextEncoder().encode(text));
