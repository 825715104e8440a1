import { HOUR_MS } from "#limits.ts";

/** Anybody can send bad messages: of each sort the log has one line an hour, with how many there were. */
export type RefusedMessages = {
  /** How many there were since the last line, this one among them; null: this is no time for a line. */
  count(sort: string, now: number): number | null;
};

export function createRefusedMessages(): RefusedMessages {
  const told = new Map<string, { at: number; since: number }>();
  return {
    count(sort, now) {
      const last = told.get(sort);
      if (last !== undefined && now < last.at + HOUR_MS) {
        last.since += 1;
        return null;
      }
      told.set(sort, { at: now, since: 0 });
      return (last?.since ?? 0) + 1;
    },
  };
}
