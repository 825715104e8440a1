import { HOUR_MS } from "#limits.ts";

/** Anyone can send forged messages, so the log gets one line per hour for each kind of fault, with a count. */
export type RejectedMessages = {
  /** Returns how many messages the next log line reports; null if the last line is less than an hour old. */
  count(fault: string, now: number): number | null;
};

export function createRejectedMessages(): RejectedMessages {
  const lines = new Map<string, { at: number; unreported: number }>();
  return {
    count(fault, now) {
      const last = lines.get(fault);
      if (last !== undefined && now < last.at + HOUR_MS) {
        last.unreported += 1;
        return null;
      }
      lines.set(fault, { at: now, unreported: 0 });
      return (last?.unreported ?? 0) + 1;
    },
  };
}
