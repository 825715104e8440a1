const DAY_AND_MINUTE = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});

/** `21 Nov 2026, 22:26 UTC`, in every time zone and locale. */
export const timeText = (at: number): string => `${DAY_AND_MINUTE.format(at)} UTC`;

/** A date and time; `at` is in milliseconds since 1970 UTC. */
export function Time({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} className="tb-time">
      {timeText(at)}
    </time>
  );
}
