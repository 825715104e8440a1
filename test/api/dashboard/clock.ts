import { beforeEach, mock } from "node:test";

/** The time of a whole test file, better-auth's included: it stands still unless a test moves it. */
const START = Date.UTC(2026, 10, 21, 12);
let isStarted = false;

/** Each test begins at noon, however long those before it took: random ones move the clock by hours that differ from run to run. */
beforeEach(() => {
  if (isStarted) clock.advance(DAY - ((clock.now() - START) % DAY));
});

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
