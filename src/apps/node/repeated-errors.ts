import type { AppContext, ErrorDetails } from "#calls/app-context.ts";

/**
 * Counts errors that repeat instead of logging each one: while a disk is full, every call fails, and a line with a stack for each
 * of them would make it worse. The first one is logged in full, then a line per minute says how often it happened again, and a
 * last one that it is over. Errors are the same if their messages, codes, causes and places are the same; an error that differs
 * in any of them is logged in full.
 */
export type RepeatedErrors = {
  /** Logs or counts an error. */
  add: AppContext["logError"];
  /** Writes the lines that are due. */
  report(): void;
  /** Writes what was counted since the last line of each error. */
  close(): void;
};

type ErrorLog = {
  error(details: object, message: string): void;
  info(details: object, message: string): void;
};

/** An error that repeats has a line per interval, and is over after an interval without it. */
export const REPORT_EVERY_MS = 60_000;
/** Errors that are counted at once, about 2 KB each. Beyond it the one that began first is forgotten, and logged in full again. */
export const COUNTED_ERRORS_MAX = 200;

type Counted = {
  message: string;
  firstAt: number;
  lastAt: number;
  /** Since the first one. */
  total: number;
  /** Since the last line. */
  repeated: number;
  /** Of the last one. */
  last: ErrorDetails;
  dueAt: number;
};

export function createRepeatedErrors(log: ErrorLog, now: () => number): RepeatedErrors {
  const counted = new Map<string, Counted>();

  function reportCount(error: Counted): void {
    if (error.repeated === 0) return;
    const { repeated, total, firstAt, last } = error;
    const { cause, ...ids } = last;
    const details = { repeated, total, since: isoTime(firstAt), ...ids };
    error.repeated = 0;
    log.error({ ...details, cause: partsOf(cause).head || undefined }, error.message);
  }

  function reportEnd({ message, total, firstAt, lastAt }: Counted): void {
    if (total === 1) return;
    const details = { total, since: isoTime(firstAt), last: isoTime(lastAt) };
    log.info(details, `This error has stopped: ${message}`);
  }

  return {
    add(message, details) {
      const { cause, ...ids } = details;
      const name = identityOf(message, cause);
      const at = now();
      const error = counted.get(name);
      if (error !== undefined) {
        error.total += 1;
        error.repeated += 1;
        error.lastAt = at;
        error.last = details;
        return;
      }
      const [oldest] = counted.size < COUNTED_ERRORS_MAX ? [] : counted;
      if (oldest !== undefined) {
        counted.delete(oldest[0]);
        reportCount(oldest[1]);
      }
      counted.set(name, {
        ...{ message, firstAt: at, lastAt: at, total: 1, repeated: 0, last: details },
        dueAt: at + REPORT_EVERY_MS,
      });
      log.error({ ...ids, err: cause }, message);
    },
    report() {
      const at = now();
      for (const [name, error] of counted) {
        if (at < error.dueAt) continue;
        error.dueAt = at + REPORT_EVERY_MS;
        if (error.repeated > 0) reportCount(error);
        else {
          reportEnd(error);
          counted.delete(name);
        }
      }
    },
    close() {
      for (const error of counted.values()) reportCount(error);
      counted.clear();
    },
  };
}

const isoTime = (at: number) => new Date(at).toISOString();

/** Bounds what is kept of an error. */
const PART_CHARS_MAX = 300;
const CAUSES_MAX = 3;

/** Long words with digits, in which causes of the same kind differ: ids and large numbers. Short ones are statuses and codes. */
const LONG_WORD = /\w{5,}/g;
const withoutIds = (text: string) =>
  text.replace(LONG_WORD, (word) => (/\d/.test(word) ? "#" : word));

/** The message of an error stays exact, because it may name what failed: an email, a job. */
function identityOf(message: string, cause: unknown): string {
  const parts = [message.slice(0, PART_CHARS_MAX)];
  let each = cause;
  for (let depth = 0; depth < CAUSES_MAX && each != null; depth += 1) {
    const { head, place } = partsOf(each);
    const { code, cause } = each instanceof Error ? (each as NodeJS.ErrnoException) : {};
    parts.push(String(code), withoutIds(head), place);
    each = cause;
  }
  return parts.join("\n");
}

/** Name and message of an error, and the line of code that threw it. Errors of other threads arrive as the text of their stack. */
function partsOf(cause: unknown): { head: string; place: string } {
  const stack = cause instanceof Error ? (cause.stack ?? String(cause)) : String(cause ?? "");
  const [head = "", place = ""] = stack.split("\n    at ", 2);
  return { head: head.slice(0, PART_CHARS_MAX), place: place.slice(0, PART_CHARS_MAX) };
}
