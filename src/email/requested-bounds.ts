import { DAY_MS, HOUR_MS } from "#limits.ts";

/**
 * How many emails all people together can cause without signing in, so that a flood of sign-ups does not cost the sender its
 * reputation. Counted by UTC hour and day; 0: no bound.
 */
export type RequestedBounds = { perHour: number; perDay: number };

/**
 * - `verified`: the email goes to a user with a verified address, or was caused by one.
 * - `anyone`: any other. These emails leave a quarter of the bounds to verified users, so that strangers who sign up do not keep
 *   users from resetting their passwords.
 */
export type Requester = "anyone" | "verified";

const PART_OF_ANYONE = 0.75;

/** The bounds for one kind of requester; infinite where there is none. */
export function boundsFor({ perHour, perDay }: RequestedBounds, requester: Requester) {
  const partOf = (bound: number) =>
    requester === "verified" ? bound : Math.max(1, Math.floor(bound * PART_OF_ANYONE));
  return {
    perHour: perHour === 0 ? Number.POSITIVE_INFINITY : partOf(perHour),
    perDay: perDay === 0 ? Number.POSITIVE_INFINITY : partOf(perDay),
  };
}

export const startOfHour = (now: number): number => now - (now % HOUR_MS);
const startOfDay = (now: number): number => now - (now % DAY_MS);

/** Since when emails of the current hour and day are counted. */
export const countedSince = (now: number) => ({ hour: startOfHour(now), day: startOfDay(now) });

/** Returns when the service may send another email of this kind; null: now. Asking counts nothing. */
export type WhenSendable = (requester: Requester) => Promise<number | null>;

export function createWhenSendable(deps: {
  queue: { countRequested(order: { now: number }): Promise<{ hour: number; day: number }> };
  bounds: RequestedBounds;
  now(): number;
}): WhenSendable {
  return async (requester) => {
    const { perHour, perDay } = boundsFor(deps.bounds, requester);
    if (perHour + perDay === Number.POSITIVE_INFINITY && perHour === perDay) return null;
    const now = deps.now();
    const { hour, day } = await deps.queue.countRequested({ now });
    if (day >= perDay) return startOfDay(now) + DAY_MS;
    return hour >= perHour ? startOfHour(now) + HOUR_MS : null;
  };
}
