import { sha256 } from "@noble/hashes/sha2.js";
import { isSameHash } from "#accounts/keyed-hash.ts";
import { createThrottle } from "#ledger/throttle.ts";
import { networkOf } from "../people/network.ts";
import { OperatorFault } from "./operator-fault.ts";

/** Wrong tokens a second from one network, bursts of twice as many. The token itself is far too long to be found so. */
const WRONG_A_SECOND = 2;

/** Lets through who has the token; throws for everybody else. What is wrong counts for the network it comes from. */
export function createTokenCheck(token: string) {
  const expected = digestOf(token);
  const tries = createThrottle(WRONG_A_SECOND);
  return (authorization: string | null, peer: string | null, now: number): void => {
    const network = networkOf(peer ?? "");
    const { allowed, retryAfterSeconds } = tries.take(network, now);
    if (!allowed) {
      throw new OperatorFault(
        "too_many_tries",
        "Too many wrong tokens came from this network. Wait a moment and try again.",
        { "Retry-After": String(retryAfterSeconds) },
      );
    }
    const given = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    if (given === undefined || !isSameHash(digestOf(given), expected)) {
      throw new OperatorFault(
        "wrong_token",
        "This is not the token of this service's operator (its secret TOOLBOOTH_OPERATOR_TOKEN).",
        { "WWW-Authenticate": 'Bearer realm="toolbooth operator"' },
      );
    }
    tries.giveBack(network);
  };
}

/** Digests have one length whatever was sent, and where two differ first says nothing about the texts. */
const digestOf = (text: string) => sha256(new TextEncoder().encode(text));
