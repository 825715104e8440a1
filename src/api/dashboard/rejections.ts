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

/** Counts rejections. Those of a flood are logged at most once a minute, in one line with the counts since the line before. */
export type RejectionCounter = (to: Reports, thrown: unknown, now: number) => void;

type Reports = { onRejection(reason: Rejection): void; logWarning(message: string): void };

export function createRejectionCounter(): RejectionCounter {
  const counts = new Map<Rejection, number>();
  let lastLineAt = Number.NEGATIVE_INFINITY;
  return (to, thrown, now) => {
    const reason = reasonOf(thrown);
    if (reason === null) return;
    to.onRejection(reason);
    if (!LOGGED.includes(reason)) return;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
    if (now < lastLineAt + LINE_EVERY_MS) return;
    const list = [...counts].map(([name, count]) => `${name} ${count}`).join(", ");
    to.logWarning(`Rejecting requests to the dashboard; since the last such line: ${list}`);
    lastLineAt = now;
    counts.clear();
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
