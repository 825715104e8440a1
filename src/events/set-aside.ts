/**
 * Notices that could not be handled, each passed over for a while that gets longer, so that those behind it come to their turn.
 * In memory: whoever starts anew tries each of them once more.
 */
export type Aside = {
  /** How many there are: so many more must be listed. */
  size(): number;
  holds(id: string, now: number): boolean;
  put(id: string, now: number): void;
  drop(id: string): void;
};

const FIRST_MS = 10_000;
const LONGEST_MS = 5 * 60_000;
/** Beyond it nothing can be written at all, and the oldest come to their turn again. */
const ASIDE_MAX = 1_000;

export function createDeferredEvents(): Aside {
  const waits = new Map<string, { ms: number; until: number }>();
  return {
    size: () => waits.size,
    holds: (id, now) => now < (waits.get(id)?.until ?? 0),
    put(id, now) {
      const before = waits.get(id)?.ms ?? FIRST_MS / 2;
      const ms = Math.min(2 * before, LONGEST_MS);
      // The last one that was put is the youngest.
      waits.delete(id);
      waits.set(id, { ms, until: now + ms });
      const [oldest] = waits.keys();
      if (waits.size > ASIDE_MAX && oldest !== undefined) waits.delete(oldest);
    },
    drop: (id) => void waits.delete(id),
  };
}
