/** A Worker that gives a test access to the counts of requests and their objects through JSON. */
import { createSharedCounts, type RequestRule } from "#accounts/request-counts.ts";
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
  | { count: string; rule: RequestRule; now: number }
  | { giveBack: string }
  | { soundAlarmOf: string };

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
    const counts = createSharedCounts({
      counts: createEdgeCounts(objectsOf(SIGN_IN, {})),
      secret: "a secret of a test",
      now: () => ("now" in order ? order.now : 0),
    });
    const verdict =
      "count" in order
        ? await counts.count(order.count, order.rule)
        : await counts.giveBack(order.giveBack);
    return Response.json(verdict ?? null);
  },
};
