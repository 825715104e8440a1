import type { Counts } from "#accounts/counted-throttle.ts";
import type { ObjectNamespace, Objects } from "#stores/durable-object/objects.ts";
import { sendToObject } from "#stores/durable-object/sending.ts";
import type { SignInThrottleObject } from "#stores/durable-object/sign-in.ts";

/** The stub of a counting Durable Object. */
export type SignInStub = Pick<
  SignInThrottleObject,
  "takeTry" | "takeTurn" | "forget" | "countRequest"
>;
export type SignInBinding = ObjectNamespace<SignInStub>;

/** A request that may have arrived is not repeated, because counting an attempt twice would cost the user one. */
const COUNTING = { target: "The sign-in throttle", isRepeatable: false };
const FORGETTING = { ...COUNTING, isRepeatable: true };

/**
 * The counts of the sign-in throttle in Durable Objects. Per-isolate counters would not stop a client that reaches another isolate. Names are
 * spread over 64 objects, so that requests for a million addresses do not create a million objects.
 */
export function createEdgeCounts(objects: Pick<Objects<SignInStub>, "ofService">): Counts {
  function ask<ApiResponse>(
    name: string,
    send: (stub: SignInStub) => Promise<ApiResponse>,
    sending = COUNTING,
  ): Promise<ApiResponse> {
    const shard = `sign-in-${Number.parseInt(name.slice(0, 2), 16) % 64}`;
    return sendToObject(() => send(objects.ofService(shard)), sending);
  }
  return {
    takeTry: (name, at) => ask(name, (stub) => stub.takeTry(name, at)),
    takeTurn: (name, at) => ask(name, (stub) => stub.takeTurn(name, at)),
    forget: (name) => ask(name, (stub) => stub.forget(name), FORGETTING),
    countRequest: (name, rule, at) => ask(name, (stub) => stub.countRequest(name, rule, at)),
  };
}
