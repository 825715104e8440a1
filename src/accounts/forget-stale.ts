import { DAY_MS } from "#limits.ts";
import type { Journal } from "./journal.ts";

/** Accounts that nobody confirmed in a week go, with what a stranger may have typed there. */
const UNVERIFIED_KEPT_MS = 7 * DAY_MS;
const AT_ONCE = 500;

/** Deletes stale people, sessions and links, at most 500 of each. */
export const forgetStale = (journal: Pick<Journal, "forgetStale">, now: number) =>
  journal.forgetStale({ unverifiedBefore: now - UNVERIFIED_KEPT_MS, now, max: AT_ONCE });
