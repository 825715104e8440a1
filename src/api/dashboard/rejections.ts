import { ProblemError } from "#errors.ts";

/**
 * Requests to the dashboard that were rejected because of how many there are, or because of a wrong code. Anyone can
 * cause them, so they are metrics and not errors: an attack must not fill the log.
 */
export const REJECTIONS = [
  "wrong_code",
  "too_many_requests",
  "emails_exhausted",
  "dashboard_busy",
] as const;
export type Rejection = (typeof REJECTIONS)[number];

const LINE_EVERY_MS = 60_000;

/** What only a flood causes. The others also happen to single users, so they are in the metrics alone. */
const LOGGED: readonly Rejection[] = ["emails_exhausted"];

/**
 * What anyone can cause gets one line in a while for each reason, with a count. Returns how many the next line reports; null if the last
 * line is too recent.
 */
export type Tally = (reason: string, now: number) => number | null;

export function createTally(lineEveryMs: number): Tally {
  const lines = new Map<string, { at: number; unreported: number }>();
  return (reason, now) => {
    const last = lines.get(reason);
    if (last !== undefined && now < last.at + lineEveryMs) {
      last.unreported += 1;
      return null;
    }
    lines.set(reason, { at: now, unreported: 0 });
    return (last?.unreported ?? 0) + 1;
  };
}

/** Counts rejections. Those of a flood are logged at most once a minute. */
export type RejectionCounter = (to: Reports, thrown: unknown, now: number) => void;

type Reports = { onRejection(reason: Rejection): void; logWarning(message: string): void };

export function createRejectionCounter(): RejectionCounter {
  const tally = createTally(LINE_EVERY_MS);
  return (to, thrown, now) => {
    const reason = reasonOf(thrown);
    if (reason === null) return;
    to.onRejection(reason);
    const count = LOGGED.includes(reason) ? tally(reason, now) : null;
    if (count === null) return;
    to.logWarning(
      `Rejecting requests to the dashboard; since the last such line: ${reason} ${count}`,
    );
  };
}

function reasonOf(thrown: unknown): Rejection | null {
  if (!(thrown instanceof ProblemError)) return null;
  switch (thrown.code) {
    case "too_many_requests":
    case "emails_exhausted":
    case "wrong_code":
      return thrown.code;
    case "too_many_codes":
    case "too_many_emails":
    case "too_many_downloads":
      return "too_many_requests";
    default:
      return null;
  }
}
