import { sha256 } from "@noble/hashes/sha2.js";
import { isSameHash } from "#accounts/keyed-hash.ts";
import { createThrottle } from "#ledger/throttle.ts";
import { networkOf } from "#networks.ts";
import { OperatorError } from "./operator-error.ts";

/** Wrong tokens per second from one network, with bursts of twice as many. A token is too long to guess at any rate. */
const WRONG_A_SECOND = 2;

/** Returns a check that throws `wrong_token`, or `too_many_tries` after many wrong tokens from one network. */
export function createTokenCheck(token: string) {
  const isRight = createTokenComparison(token);
  const tries = createThrottle(WRONG_A_SECOND);
  return (authorization: string | null, peer: string | null, now: number): void => {
    // A client with the token is not held up by others behind the same address.
    if (isRight(authorization)) return;
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
      "The bearer token is not the operator token of this service. Send the value of its setting TOOLBOOTH_OPERATOR_TOKEN.",
      { "WWW-Authenticate": 'Bearer realm="toolbooth operator"' },
    );
  };
}

/** Returns a function that compares an `Authorization` header with the token, in a time that reveals nothing about it. */
export function createTokenComparison(token: string): (authorization: string | null) => boolean {
  const expected = digestOf(token);
  return (authorization) => {
    const sent = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    return sent !== undefined && isSameHash(digestOf(sent), expected);
  };
}

/** Digests have one length, and the position of a difference reveals nothing about the tokens. */
const digestOf = (text: string) => sha256(new TextEncoder().encode(text));
