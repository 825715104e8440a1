/**
 * How many requests of one kind one network may make in a while, as better-auth counts them: after so many of them it has to be
 * quiet for as long as the while lasts.
 */
export type RequestRule = { window: number; max: number };
export type RequestCount = { count: number; at: number };
export type RequestVerdict = { allowed: boolean; retryAfter: number | null };

/** `window` is in seconds, and so is `retryAfter`. No `kept`: nothing changes. */
export function countRequest(
  before: RequestCount | undefined,
  { window, max }: RequestRule,
  at: number,
): RequestVerdict & { kept?: RequestCount } {
  const ends = before === undefined ? at : before.at + window * 1_000;
  if (before === undefined || at >= ends) {
    return { kept: { count: 1, at }, allowed: true, retryAfter: null };
  }
  if (before.count >= max) {
    return { allowed: false, retryAfter: Math.ceil((ends - at) / 1_000) };
  }
  return { kept: { count: before.count + 1, at }, allowed: true, retryAfter: null };
}
