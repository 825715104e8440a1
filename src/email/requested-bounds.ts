import { DAY_MS, HOUR_MS } from "#limits.ts";
import type { RequestedGroup } from "./email-group.ts";

/**
 * How many emails of each group all people together can cause without signing in, so that a flood does not cost the sender its
 * reputation. Counted by UTC hour and day; 0: no bound.
 */
export type RequestedBounds = { perHour: number; perDay: number };

/** One network cannot use up the bounds of all: a tenth, but enough for a person who tries again. */
const PART_OF_NETWORK = 0.1;
const NETWORK_MIN = 4;

type Bounds = Record<"hour" | "day" | "networkHour" | "networkDay", number>;

/** The bounds of a group and of a network, over all groups; infinite where there is none. `network` is empty where it is not counted. */
export function boundsFor({ perHour, perDay }: RequestedBounds, network: string): Bounds {
  const ofAll = (bound: number) => (bound === 0 ? Number.POSITIVE_INFINITY : bound);
  const ofNetwork = (bound: number) =>
    network === "" || bound === 0
      ? Number.POSITIVE_INFINITY
      : Math.max(NETWORK_MIN, Math.floor(bound * PART_OF_NETWORK));
  return {
    hour: ofAll(perHour),
    day: ofAll(perDay),
    networkHour: ofNetwork(perHour),
    networkDay: ofNetwork(perDay),
  };
}

const startOfHour = (now: number): number => now - (now % HOUR_MS);
const startOfDay = (now: number): number => now - (now % DAY_MS);

/** Since when emails of the current hour and day are counted. */
export const countedSince = (now: number) => ({ hour: startOfHour(now), day: startOfDay(now) });

/** How many emails that anyone can request count in this UTC hour and day, by group. */
export type RequestedCounts = Record<RequestedGroup, { hour: number; day: number }>;

/**
 * Returns for each of the groups when the service may send another email of it; null: now. This counts the requests of a network in the
 * UTC hour and day, whether or not they cause an email: the number of emails left would reveal whether the last request was for
 * an address with an account. Every request is counted before its email, so the queue's own count of a network's emails is not
 * reached first. Emails of all networks are counted in the queue alone.
 */
export type WhenSendable = <Group extends RequestedGroup>(
  order: { groups: readonly Group[]; network: string },
  count: CountRequests,
) => Promise<Record<Group, number | null>>;

/** Counts a request under a name. Returns whether the count is within the rule. */
type CountRequests = (
  name: string,
  rule: { window: number; max: number },
) => Promise<{ allowed: boolean }> | { allowed: boolean };

export function createWhenSendable(deps: {
  queue: { countRequested(order: { now: number }): Promise<RequestedCounts> };
  bounds: RequestedBounds;
  now(): number;
}): WhenSendable {
  return async (order, count) => {
    const { groups, network } = order;
    const all = (at: number | null) =>
      Object.fromEntries(groups.map((group) => [group, at])) as Record<
        (typeof groups)[number],
        number | null
      >;
    const { perHour, perDay } = deps.bounds;
    if (perHour === 0 && perDay === 0) return all(null);
    const bounds = boundsFor(deps.bounds, network);
    const now = deps.now();
    const counts = await deps.queue.countRequested({ now });
    const endOfDay = startOfDay(now) + DAY_MS;
    const endOfHour = startOfHour(now) + HOUR_MS;
    const when = all(null);
    for (const group of groups) {
      if (counts[group].day >= bounds.day) when[group] = endOfDay;
      else if (counts[group].hour >= bounds.hour) when[group] = endOfHour;
    }
    if (groups.every((group) => when[group] !== null)) return when;
    const isWithin = async (max: number, ms: number, end: number) => {
      if (!Number.isFinite(max)) return true;
      const name = `requested emails ${ms} ${end} ${network}`;
      return (await count(name, { window: ms / 1_000, max })).allowed;
    };
    if (!(await isWithin(bounds.networkHour, HOUR_MS, endOfHour))) return all(endOfHour);
    return (await isWithin(bounds.networkDay, DAY_MS, endOfDay)) ? when : all(endOfDay);
  };
}
