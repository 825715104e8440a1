import { mock } from "node:test";

/** The time of day of a whole test file, better-auth's included: it stands still unless a test moves it. */
const START = Date.UTC(2026, 10, 21, 12);
let isStarted = false;

export const clock = {
  start(): void {
    if (!isStarted) mock.timers.enable({ apis: ["Date"], now: START });
    isStarted = true;
  },
  now: () => Date.now(),
  advance: (ms: number) => mock.timers.setTime(Date.now() + ms),
};

export const SECOND = 1_000;
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
