import { setTimeout } from "node:timers/promises";
import pino from "pino";
import type { AccessLogEntry, AppContext } from "#api/app-context.ts";
import type { LOG_LEVELS } from "#config/settings.ts";

/**
 * Structured logs, one JSON object a line, to stderr. A line a request; never a key, never a header's value but the
 * request id, never a body but for letters on one's own machine. Lines are written in the background, so that a slow reader does not slow the service.
 */
export type NodeLog = {
  info(message: string, details?: object): void;
  /** What works, but not as it should where others reach the service. */
  warn(message: string): void;
  access(entry: AccessLogEntry): void;
  logError: AppContext["logError"];
  /** A letter that found no mail server: the file it is in; its text and link too on one's own machine. */
  email(text: string): void;
  /** Writes out what still waits; gives up on a reader that does not read. */
  close(): Promise<void>;
};

/** Lines wait for each other up to this size or time: a write for each would cost more than making the line. */
const BATCH_BYTES = 8_192;
const BATCH_MS = 100;
/** What a reader that has stopped may make us hold; beyond it lines are lost, and the service goes on. */
const HELD_BYTES_MAX = 16 * 1024 * 1024;
const CLOSE_TIMEOUT_MS = 1_000;

export function createNodeLog(level: (typeof LOG_LEVELS)[number]): NodeLog {
  const destination = pino.destination({
    dest: 2,
    sync: false,
    minLength: BATCH_BYTES,
    periodicFlush: BATCH_MS,
    maxLength: HELD_BYTES_MAX,
  });
  // A reader that went away is no reason to stop serving.
  destination.on("error", () => {});
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const logsAccess = log.isLevelEnabled("info");
  const isoTime = createIsoClock();
  const lines = gatherLines((written) => destination.write(written));
  return {
    info: (message, details = {}) => log.info(details, message),
    warn: (message) => log.warn(message),
    access(entry) {
      if (logsAccess) lines.add(accessLine(isoTime(Date.now()), entry));
    },
    email: (text) => log.info({ email: text }, "letter"),
    logError(message, { requestId, cause }) {
      // What went before it stands before it.
      lines.hand();
      log.error({ requestId, err: cause }, message);
    },
    async close() {
      lines.close();
      const flushed = new Promise<void>((resolve) => destination.flush(() => resolve()));
      await Promise.race([flushed, setTimeout(CLOSE_TIMEOUT_MS)]);
      // Or pino would flush once more at exit, and wait for ever for a reader that does not read.
      destination.destroy();
    },
  };
}

/** The destination reads all that it gathers anew with every line: so it is given many at once. */
function gatherLines(write: (lines: string) => void) {
  let lines = "";
  const hand = () => {
    if (lines !== "") write(lines);
    lines = "";
  };
  const timer = setInterval(hand, BATCH_MS / 2).unref();
  // Before the destination's own last write, should the process end without a word.
  process.prependListener("exit", hand);
  return {
    add(line: string) {
      lines += line;
      if (lines.length >= BATCH_BYTES) hand();
    },
    hand,
    close() {
      clearInterval(timer);
      process.off("exit", hand);
      hand();
    },
  };
}

/**
 * The line that pino would write for a entry. Written out, because it is made for every call: 3 microseconds instead
 * of 8. None of the texts needs an escape: methods, routes, tools and codes are ours or the HTTP parser's, ids are
 * checked where they come in.
 */
function accessLine(time: string, entry: AccessLogEntry): string {
  const text = (value: string | null) => (value === null ? "null" : `"${value}"`);
  return (
    `{"level":"info","time":"${time}","requestId":"${entry.requestId}","method":"${entry.method}",` +
    `"route":"${entry.route}","tool":${text(entry.tool)},"status":${entry.status},` +
    `"code":${text(entry.code)},"account":${text(entry.account)},"charged":${entry.charged},` +
    `"replayed":${entry.replayed},"durationMs":${entry.durationMs},"msg":"answered"}\n`
  );
}

/** ISO 8601 in UTC with milliseconds; the calendar is looked up once a second. */
function createIsoClock(): (now: number) => string {
  let second = Number.NaN;
  let text = "";
  return (now) => {
    const thisSecond = Math.floor(now / 1000);
    if (thisSecond !== second) {
      second = thisSecond;
      text = new Date(thisSecond * 1000).toISOString().slice(0, -4);
    }
    return `${text}${String(now - thisSecond * 1000).padStart(3, "0")}Z`;
  };
}
