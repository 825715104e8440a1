import { timeText } from "./numbers.ts";

/** A date and time; `at` is in milliseconds since 1970 UTC. */
export function Time({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} className="tb-time">
      {timeText(at)}
    </time>
  );
}
