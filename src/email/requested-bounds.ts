import { DAY_MS, HOUR_MS } from "#limits.ts";

/**
 * How many emails all people together can cause without signing in, so that a flood of sign-ups does not cost the sender its
 * reputation. Counted by UTC hour and day; 0: no bound.
 */
export type RequestedBounds = { perHour: number; perDay: number };

/** Who causes an email that anyone can request. */
export type Requester = {
  /**
   * - `verified`: the email goes to a user with a verified address, or was caused by one.
   * - `anyone`: any other. These emails leave a quarter of the bounds to verified users, so that strangers who sign up do not keep
   *   users from resetting their passwords.
   */
  kind: "anyone" | "verified";
  /** Keyed hash of the client's network; empty where it is unknown, which no network's bound counts. */
  network: string;
};

export const UNKNOWN_REQUESTER: Requester = { kind: "anyone", network: "" };

const PART_OF_ANYONE = 0.75;
/** One network cannot use up the bounds of all: a tenth, but enough for a person who tries again. */
const PART_OF_NETWORK = 0.1;
const NETWORK_MIN = 4;

type Bounds = Record<"hour" | "day" | "networkHour" | "networkDay", number>;

/** The bounds for a requester; infinite where there is none. */
export function boundsFor(
  { perHour, perDay }: RequestedBounds,
  { kind, network }: Requester,
): Bounds {
  const inAll = (bound: number) =>
    kind === "verified" ? bound : Math.max(1, Math.floor(bound * PART_OF_ANYONE));
  const ofNetwork = (bound: number) =>
    network === ""
      ? Number.POSITIVE_INFINITY
      : Math.max(NETWORK_MIN, Math.floor(bound * PART_OF_NETWORK));
  const boundOf = (bound: number, part: (bound: number) => number) =>
    bound === 0 ? Number.POSITIVE_INFINITY : part(bound);
  return {
    hour: boundOf(perHour, inAll),
    day: boundOf(perDay, inAll),
    networkHour: boundOf(perHour, ofNetwork),
    networkDay: boundOf(perDay, ofNetwork),
  };
}

const startOfHour = (now: number): number => now - (now % HOUR_MS);
const startOfDay = (now: number): number => now - (now % DAY_MS);

/** Since when emails of the current hour and day are counted. */
export const countedSince = (now: number) => ({ hour: startOfHour(now), day: startOfDay(now) });

/** How many emails that anyone can request count in this UTC hour and day: of all networks, and of one. */
export type RequestedCounts = Record<"hour" | "day" | "networkHour" | "networkDay", number>;

/**
 * Returns when the service may send another email that this requester causes; null: now. This counts the requests of a network in the
 * UTC hour and day, whether or not they cause an email: the number of emails left would reveal whether the last request was for
 * an address with an account. Every request is counted before its email, so the queue's own count of a network's emails is not
 * reached first. Emails of all networks are counted in the queue alone.
 */
export type WhenSendable = (requester: Requester, count: CountRequests) => Promise<number | null>;

/** Counts a request under a name. Returns whether the count is within the rule. */
type CountRequests = (
  name: string,
  rule: { window: number; max: number },
  at: number,
) => Promise<{ allowed: boolean }> | { allowed: boolean };

export function createWhenSendable(deps: {
  queue: { countRequested(order: { now: number; network: string }): Promise<RequestedCounts> };
  bounds: RequestedBounds;
  now(): number;
}): WhenSendable {
  return async (requester, count) => {
    const { perHour, perDay } = deps.bounds;
    if (perHour === 0 && perDay === 0) return null;
    const bounds = boundsFor(deps.bounds, requester);
    const now = deps.now();
    const counts = await deps.queue.countRequested({ now, network: "" });
    const endOfDay = startOfDay(now) + DAY_MS;
    const endOfHour = startOfHour(now) + HOUR_MS;
    if (counts.day >= bounds.day) return endOfDay;
    if (counts.hour >= bounds.hour) return endOfHour;
    const isWithin = async (max: number, ms: number, end: number) => {
      if (!Number.isFinite(max)) return true;
      const name = `requested emails ${ms} ${end} ${requester.network}`;
      return (await count(name, { window: ms / 1_000, max }, now)).allowed;
    };
    if (!(await isWithin(bounds.networkHour, HOUR_MS, endOfHour))) return endOfHour;
    return (await isWithin(bounds.networkDay, DAY_MS, endOfDay)) ? null : endOfDay;
  };
}
