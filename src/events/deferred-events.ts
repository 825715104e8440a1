/**
 * Events that could not be handled. Each is skipped for a while that grows with every failure, so that it does not hold up the
 * events behind it. The list is in memory: after a restart each event is tried once more.
 */
export type DeferredEvents = {
  /** How many events are deferred: a round must list so many more. */
  size(): number;
  /** Whether the event is to be skipped now. */
  isDeferred(id: string, now: number): boolean;
  /** Defers an event, twice as long as the last time. */
  defer(id: string, now: number): void;
  /** Removes an event that was handled. */
  remove(id: string): void;
};

const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 5 * 60_000;
/** With more failures nothing can be written at all, and the oldest events are tried again. */
const DEFERRED_MAX = 1_000;

export function createDeferredEvents(): DeferredEvents {
  const waits = new Map<string, { ms: number; until: number }>();
  return {
    size: () => waits.size,
    isDeferred: (id, now) => now < (waits.get(id)?.until ?? 0),
    defer(id, now) {
      const previousMs = waits.get(id)?.ms ?? FIRST_WAIT_MS / 2;
      const ms = Math.min(2 * previousMs, LONGEST_WAIT_MS);
      // Deleted first, so that the map stays in the order of the last failure.
      waits.delete(id);
      waits.set(id, { ms, until: now + ms });
      const [oldest] = waits.keys();
      if (waits.size > DEFERRED_MAX && oldest !== undefined) waits.delete(oldest);
    },
    remove: (id) => void waits.delete(id),
  };
}
