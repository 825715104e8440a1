/** A Worker that gives a test access to the sign-in throttle and its objects through JSON. */
import { waitUntil } from "cloudflare:workers";
import { type CountedThrottle, createCountedThrottle } from "#accounts/counted-throttle.ts";
import { objectsOf } from "#stores/durable-object/objects.ts";
import { SignInThrottleObject as Counted } from "#stores/durable-object/sign-in.ts";
import { createEdgeCounts, type SignInBinding } from "../../../src/apps/edge/site-throttle.ts";

type State = ConstructorParameters<typeof Counted>[0] & {
  storage: { deleteAlarm(): Promise<void> };
};

/** The object, with its alarm for a test that cannot wait a quarter of an hour. */
export class SignInThrottleObject extends Counted {
  readonly #state: State;

  constructor(state: State, env: unknown) {
    super(state, env);
    this.#state = state;
  }

  /** Returns whether an alarm was set before, and whether one is set afterwards. */
  async soundAlarm(): Promise<[boolean, boolean]> {
    const { storage } = this.#state;
    const before = await storage.getAlarm();
    await storage.deleteAlarm();
    await this.alarm();
    return [before !== null, (await storage.getAlarm()) !== null];
  }
}

export type ThrottleOrder =
  | { ask: Parameters<CountedThrottle["signIn"]["ask"]> }
  | { succeeded: Parameters<CountedThrottle["signIn"]["succeeded"]> }
  | { soundAlarmOf: string }
  | { countRequest: Parameters<CountedThrottle["countRequest"]>; now: number };

type Env = {
  SIGN_IN: SignInBinding & {
    get(id: unknown): SignInThrottleObject;
    idFromString(id: string): unknown;
  };
};

export default {
  async fetch(request: Request, { SIGN_IN }: Env): Promise<Response> {
    const order = (await request.json()) as ThrottleOrder;
    if ("soundAlarmOf" in order) {
      const object = SIGN_IN.get(SIGN_IN.idFromString(order.soundAlarmOf));
      return Response.json(await object.soundAlarm());
    }
    const work: Promise<unknown>[] = [];
    const throttle = createCountedThrottle({
      counts: createEdgeCounts(objectsOf(SIGN_IN, {})),
      secret: "a secret of a test",
      now: () => ("now" in order ? order.now : 0),
      inBackground(background) {
        work.push(background);
        waitUntil(background);
      },
    });
    const value = await perform(throttle, order);
    // The test retries without pauses.
    await Promise.all(work);
    return Response.json(value ?? null);
  },
};

type Asked = Exclude<ThrottleOrder, { soundAlarmOf: string }>;

function perform({ signIn, countRequest }: CountedThrottle, order: Asked): unknown {
  if ("ask" in order) return signIn.ask(...order.ask);
  if ("succeeded" in order) return signIn.succeeded(...order.succeeded);
  return countRequest(...order.countRequest);
}
