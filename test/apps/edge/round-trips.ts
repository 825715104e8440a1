/** A round trip to D1 or to a Durable Object. */
export type Trip = { target: string; what: string };

/** The round trips of the Workers in this process. */
export type RoundTrips = {
  /** Makes a trip: carries `act` out when it arrives. */
  take<Result>(trip: Trip, act: () => Result | Promise<Result>): Promise<Result>;
  /** Runs the work until its trips are made. Returns them in rounds: those of one round were under way at the same time. */
  run<Result>(work: () => Promise<Result>): Promise<{ result: Result; rounds: Trip[][] }>;
};

/** Timers that a Worker sets without a delay have fired after this many turns of our own. */
const QUIET_TURNS = 3;

/**
 * Counts trips that follow one after the other, without a clock: all trips under way arrive together, once the program waits for nothing
 * else. The number of rounds is the length of the longest chain of trips. With a latency of 100 ms, a request waits 100 ms for each.
 */
export function countRoundTrips(): RoundTrips {
  let underWay: { trip: Trip; arrive(): void }[] = [];
  let taken = 0;
  const crypto = watchCrypto();

  /** Resolves once nothing has happened for some turns of the event loop: everything waits for the trips. */
  async function quiet(): Promise<void> {
    for (let turns = 0, seen = -1; turns < QUIET_TURNS; turns += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      const happened = taken + crypto.calls();
      if (happened !== seen || crypto.isBusy()) turns = 0;
      seen = happened;
    }
  }

  return {
    take: (trip, act) =>
      new Promise((resolve, reject) => {
        taken += 1;
        const arrive = () => void (async () => act())().then(resolve, reject);
        underWay.push({ trip, arrive });
      }),
    async run(work) {
      const rounds: Trip[][] = [];
      let isDone = false;
      const working = work().finally(() => {
        isDone = true;
      });
      working.catch(() => {});
      for (;;) {
        await quiet();
        if (isDone) return { result: await working, rounds };
        const round = underWay;
        underWay = [];
        if (round.length > 0) rounds.push(round.map(({ trip }) => trip));
        for (const { arrive } of round) arrive();
      }
    },
  };
}

/** Trips that take time, to see how long pages take. Their rounds are not known. */
export const delayRoundTrips = (latencyMs: number): RoundTrips => ({
  async take(_, act) {
    await new Promise((resolve) => setTimeout(resolve, latencyMs));
    return act();
  },
  run: async (work) => ({ result: await work(), rounds: [] }),
});

/** Web Crypto works on other threads, so an idle event loop does not show that it has finished. */
function watchCrypto() {
  let [calls, busy] = [0, 0];
  const methods = Object.getPrototypeOf(crypto.subtle) as Record<string, unknown>;
  for (const name of Object.getOwnPropertyNames(methods)) {
    const method = methods[name];
    if (name === "constructor" || typeof method !== "function") continue;
    methods[name] = function (this: unknown, ...given: unknown[]) {
      calls += 1;
      busy += 1;
      return (method.apply(this, given) as Promise<unknown>).finally(() => {
        busy -= 1;
      });
    };
  }
  return { calls: () => calls, isBusy: () => busy > 0 };
}
