import { sha256 } from "@noble/hashes/sha2.js";
import { isSameHash } from "#accounts/keyed-hash.ts";
import { createThrottle } from "#ledger/throttle.ts";
import type { OperatorToken } from "#operator/tokens.ts";
import { networkOf } from "../dashboard/network.ts";
import { OperatorError } from "./operator-error.ts";

/** Wrong tokens a second from one network, bursts of twice as many. The token itself is far too long to be found so. */
const WRONG_A_SECOND = 2;

/** Gives the name of the token that was sent; throws for every other one. What is wrong counts for the network it comes from. */
export function createTokenCheck(tokens: readonly OperatorToken[]) {
  const findName = createTokenSearch(tokens);
  const tries = createThrottle(WRONG_A_SECOND);
  return (authorization: string | null, peer: string | null, now: number): string => {
    const network = networkOf(peer ?? "");
    const { allowed, retryAfterSeconds } = tries.take(network, now);
    if (!allowed) {
      throw new OperatorError(
        "too_many_tries",
        "Too many wrong tokens came from this network. Wait a moment and try again.",
        { "Retry-After": String(retryAfterSeconds) },
      );
    }
    const name = findName(authorization);
    if (name === null) {
      throw new OperatorError(
        "wrong_token",
        "This is not the token of this service's operator (its secret TOOLBOOTH_OPERATOR_TOKEN).",
        { "WWW-Authenticate": 'Bearer realm="toolbooth operator"' },
      );
    }
    tries.putBack(network);
    return name;
  };
}

/** The name of the token that the header `Authorization` carries; null where it is none of these. */
export function createTokenSearch(tokens: readonly OperatorToken[]) {
  const known = tokens.map(({ name, token }) => ({ name, digest: digestOf(token) }));
  return (authorization: string | null): string | null => {
    const given = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (given === undefined) return null;
    const digest = digestOf(given);
    let found: string | null = null;
    // All of them are compared, so that the time tells nothing about which it was.
    for (const each of known) if (isSameHash(digest, each.digest)) found = each.name;
    return found;
  };
}

/** Digests have one length whatever was sent, and where two differ first says nothing about the texts. */
const digestOf = (text: string) => sha256(new TextEncoder().encode(text));
