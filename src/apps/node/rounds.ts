/** Takes a step again and again, each after as many milliseconds as the one before has returned, until it is stopped. */
export function startRounds(firstMs: number, step: () => Promise<number>): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const takeIn = (ms: number) => {
    if (!isStopped) timer = setTimeout(async () => takeIn(await step()), ms).unref();
  };
  takeIn(firstMs);
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
