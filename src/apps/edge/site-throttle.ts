import {
  type CountedThrottle,
  type Counts,
  createCountedThrottle,
} from "#accounts/counted-throttle.ts";
import { sendToObject } from "#stores/durable-object/sending.ts";
import type { SignInThrottleObject } from "#stores/durable-object/sign-in.ts";

/** An object that counts, as a Worker reaches it. */
export type SignInStub = Pick<
  SignInThrottleObject,
  "takeTry" | "takeTurn" | "forget" | "countRequest"
>;
export type SignInBinding = { getByName(name: string): SignInStub };

type Wiring = {
  objects: SignInBinding;
  secret: string;
  now(): number;
  waitUntil(work: Promise<unknown>): void;
  logError(message: string, details: { cause?: unknown }): void;
};

/** A try that is counted twice is a try less, so what counts is not sent again where it may have arrived. */
const COUNTING = { whom: "The throttle of the sign-in", isRepeatable: false };
const FORGETTING = { ...COUNTING, isRepeatable: true };

/** The throttle of the sign-in over objects, for what isolates count for themselves holds back nobody who comes to another one. */
export function createEdgeThrottle(wiring: Wiring): CountedThrottle {
  const { objects, secret, now, waitUntil, logError } = wiring;
  return createCountedThrottle({
    ...{ counts: countsOf(objects), secret, now },
    inBackground: (work) =>
      waitUntil(
        work.catch((cause) => logError("Wrong passwords could not be forgotten", { cause })),
      ),
  });
}

/** The names are spread over 64 objects, so that one who asks for a million addresses makes no million objects. */
function countsOf(objects: SignInBinding): Counts {
  function ask<ApiResponse>(
    name: string,
    send: (stub: SignInStub) => Promise<ApiResponse>,
    sending = COUNTING,
  ): Promise<ApiResponse> {
    const shard = `sign-in-${Number.parseInt(name.slice(0, 2), 16) % 64}`;
    return sendToObject(() => send(objects.getByName(shard)), sending);
  }
  return {
    takeTry: (name, at) => ask(name, (stub) => stub.takeTry(name, at)),
    takeTurn: (name, at) => ask(name, (stub) => stub.takeTurn(name, at)),
    forget: (name) => ask(name, (stub) => stub.forget(name), FORGETTING),
    countRequest: (name, rule, at) => ask(name, (stub) => stub.countRequest(name, rule, at)),
  };
}
