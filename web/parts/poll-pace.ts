/** The longest time between two polls. */
export const POLL_MAX_MS = 15_000;

/** How long a page waits after so many polls for something to come: 2 seconds for the first ones, then ever longer. */
export const nextPollMs = (polls: number, quickPolls: number): number =>
  Math.min(POLL_MAX_MS, Math.round(2_000 * 1.25 ** Math.max(0, polls - quickPolls)));
