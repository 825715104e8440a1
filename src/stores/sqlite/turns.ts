/**
 * One connection, several users in one thread: whoever keeps a transaction open over more than one turn of the event
 * loop (an SQL builder with promises) would find the others' statements in it. Each waits for its turn.
 */
export type Turns = { take(): Promise<() => void> };

export function createTurns(): Turns {
  let last: Promise<void> = Promise.resolve();
  return {
    async take() {
      const before = last;
      let end: () => void = () => {};
      last = new Promise((resolve) => {
        end = resolve;
      });
      await before;
      return end;
    },
  };
}

/** The same operations, each in a turn of its own. */
export function inTurns<Operations extends object>(turns: Turns, operations: Operations) {
  const entries = Object.entries(operations).map(([name, operation]) => [
    name,
    async (order: never) => {
      const end = await turns.take();
      try {
        return await operation(order);
      } finally {
        end();
      }
    },
  ]);
  return Object.fromEntries(entries);
}
