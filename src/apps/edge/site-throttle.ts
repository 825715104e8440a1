import type { Counts } from "#accounts/request-counts.ts";
import type { ObjectNamespace, Objects } from "#stores/durable-object/objects.ts";
import { sendToObject } from "#stores/durable-object/sending.ts";
import type { SignInThrottleObject } from "#stores/durable-object/sign-in.ts";

/** The stub of a counting Durable Object. */
export type SignInStub = Pick<SignInThrottleObject, "countRequest" | "giveBack">;
export type SignInBinding = ObjectNamespace<SignInStub>;

/** A request that may have arrived is not repeated, because counting it twice would cost the user one. */
const COUNTING = { target: "The sign-in throttle", isRepeatable: false };

/**
 * The counts of requests in Durable Objects. Per-isolate counters would not stop a client that reaches another isolate. Names are spread over
 * 64 objects, so that requests for a million addresses do not create a million objects.
 */
export function createEdgeCounts(objects: Pick<Objects<SignInStub>, "ofService">): Counts {
  const ask = <Reply>(name: string, send: (stub: SignInStub) => Promise<Reply>): Promise<Reply> => {
    const shard = `sign-in-${Number.parseInt(name.slice(0, 2), 16) % 64}`;
    return sendToObject(() => send(objects.ofService(shard)), COUNTING);
  };
  return {
    countRequest: (name, rule, at) => ask(name, (stub) => stub.countRequest(name, rule, at)),
    giveBack: (name) => ask(name, (stub) => stub.giveBack(name)),
  };
}
