const FIRST_WAIT_MS = 2_000;
const GROWTH = 1.2;
export const WAIT_MAX_MS = 15_000;
/** A bit more than four minutes in all: whoever still looks then has a button. */
const POLLS_MAX = 24;

/** How long to wait after so many looks at a purchase that goes on; false: nobody looks any more by themselves. */
export const pollDelayMs = (looks: number): number | false =>
  looks > POLLS_MAX ? false : Math.min(FIRST_WAIT_MS * GROWTH ** (looks - 1), WAIT_MAX_MS);
