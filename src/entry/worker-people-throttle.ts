import { bytesToHex } from "@noble/hashes/utils.js";
import type { CountRequest } from "#accounts/auth-options.ts";
import { keyedHash } from "#accounts/keyed-hash.ts";
import { bucketOf, type SignInThrottle } from "#accounts/sign-in-throttle.ts";
import { sendToObject } from "#store/durable-object-sending.ts";
import type { SignInThrottleObject } from "#store/durable-object-sign-in.ts";

/** An object that counts, as a Worker reaches it. */
export type SignInStub = Pick<
  SignInThrottleObject,
  "takeTry" | "takeTurn" | "forget" | "countRequest"
>;
export type SignInBinding = { getByName(name: string): SignInStub };

export type EdgeThrottle = { signIn: SignInThrottle; countRequest: CountRequest };

type Wiring = {
  objects: SignInBinding;
  /** Hides whose counts they are. */
  secret: string;
  now(): number;
  waitUntil(work: Promise<unknown>): void;
  complain(message: string, details: { cause?: unknown }): void;
};

/** A try that is counted twice is a try less, so what counts is not sent again where it may have arrived. */
const COUNTING = { whom: "The throttle of the sign-in", isRepeatable: false };
const FORGETTING = { ...COUNTING, isRepeatable: true };

/**
 * The throttle of the sign-in over objects: what isolates count for themselves holds back nobody who comes to another one.
 * The names are spread over 64 objects, so that one who asks for a million addresses makes no million objects.
 */
export function createEdgeThrottle(wiring: Wiring): EdgeThrottle {
  const { objects, secret, now, waitUntil, complain } = wiring;

  /** An object that cannot be asked lets nobody try. */
  function ask<Answer>(
    name: string,
    send: (stub: SignInStub, hidden: string) => Promise<Answer>,
    sending = COUNTING,
  ): Promise<Answer> {
    const hidden = bytesToHex(keyedHash(secret, `toolbooth throttle ${name}`)).slice(0, 32);
    const shard = `sign-in-${Number.parseInt(hidden.slice(0, 2), 16) % 64}`;
    return sendToObject(() => send(objects.getByName(shard), hidden), sending);
  }

  return {
    signIn: {
      async ask(attempt, at) {
        const refusedForMs = await ask(bucketOf(attempt), (stub, name) => stub.takeTry(name, at));
        if (refusedForMs > 0) return { refusedForMs };
        if (attempt.isKnownBrowser) return { waitMs: 0 };
        return ask(`mistakes ${attempt.email}`, (stub, name) => stub.takeTurn(name, at));
      },
      succeeded({ email }) {
        const work = ask(`mistakes ${email}`, (stub, name) => stub.forget(name), FORGETTING);
        waitUntil(
          work.catch((cause) => complain("Wrong passwords could not be forgotten", { cause })),
        );
      },
    },
    countRequest: (name, rule) =>
      ask(`requests ${name}`, (stub, hidden) => stub.countRequest(hidden, rule, now())),
  };
}
