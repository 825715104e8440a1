export type Rounds = {
  /** Takes no more steps. Resolves when the one that is under way has been taken. */
  stop(): Promise<void>;
};

/** Takes a step again and again, each after as many milliseconds as the one before has returned, until it is stopped. */
export function startRounds(firstMs: number, step: () => Promise<number>): Rounds {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let underWay: Promise<void> = Promise.resolve();
  const takeIn = (ms: number) => {
    if (isStopped) return;
    timer = setTimeout(() => {
      underWay = step().then(takeIn);
    }, ms).unref();
  };
  takeIn(firstMs);
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
      return underWay;
    },
  };
}
