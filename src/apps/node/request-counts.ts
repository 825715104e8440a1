import type { AccessLogEntry } from "#api/access-log.ts";

/** Counts requests in plain variables, because looking up labels in prom-client for each request costs more than the counting itself. */
export type RequestCounts = {
  record(entry: AccessLogEntry): void;
  /** Returns what was counted since the last time. */
  take(): RequestCount[];
};

/** Requests that have all four in common. */
export type RequestCount = Pick<AccessLogEntry, "route" | "tool" | "status" | "code"> & {
  requests: number;
  charged: number;
  /** Responses whose connection was lost before they had left. */
  undelivered: number;
  /** How many ended within each bound of `DURATION_BOUNDS`, but not within a smaller one. The last is for longer ones. */
  durations: number[];
  /** The sum of all durations. */
  seconds: number;
};

/** In seconds. */
export const DURATION_BOUNDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

export function createRequestCounts(): RequestCounts {
  const successes = new Map<string, RequestCount>();
  const others = new Map<string, RequestCount>();

  function find(entry: AccessLogEntry): RequestCount {
    const isSuccess = entry.status === 200;
    const counts = isSuccess ? successes : others;
    const name = isSuccess ? entry.route : `${entry.route} ${entry.status} ${entry.code}`;
    let count = counts.get(name);
    if (count === undefined) {
      const { route, tool, status, code } = entry;
      count = { ...{ route, tool, status, code }, ...zero() };
      counts.set(name, count);
    }
    return count;
  }

  return {
    record(entry) {
      const count = find(entry);
      const seconds = entry.durationMs / 1000;
      count.requests += 1;
      count.charged += entry.charged ?? 0;
      if (!entry.delivered) count.undelivered += 1;
      count.seconds += seconds;
      const bucket = bucketOf(seconds);
      count.durations[bucket] = (count.durations[bucket] as number) + 1;
    },
    take() {
      const taken = [...successes.values(), ...others.values()].filter(
        (count) => count.requests > 0,
      );
      return taken.map((count) => {
        const copy = { ...count };
        Object.assign(count, zero());
        return copy;
      });
    },
  };
}

const zero = () => ({
  ...{ requests: 0, charged: 0, undelivered: 0, seconds: 0 },
  durations: new Array<number>(DURATION_BOUNDS.length + 1).fill(0),
});

function bucketOf(seconds: number): number {
  const bucket = DURATION_BOUNDS.findIndex((bound) => seconds <= bound);
  return bucket === -1 ? DURATION_BOUNDS.length : bucket;
}
