import { setTimeout } from "node:timers/promises";
import pino from "pino";
import type { House, Visit } from "#http/house.ts";
import type { LOG_LEVELS } from "#settings.ts";

/**
 * Structured logs, one JSON object a line, to stderr. A line a request; never a key, never a header's value but the
 * request id, never a body but for letters on one's own machine. Lines are written in the background, so that a slow reader does not slow the service.
 */
export type NodeLog = {
  info(message: string, details?: object): void;
  /** What works, but not as it should where others reach the service. */
  warn(message: string): void;
  visit(visit: Visit): void;
  complain: House["complain"];
  /** A letter that found no mail server: the file it is in; its text and link too on one's own machine. */
  letter(text: string): void;
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
  const logsVisits = log.isLevelEnabled("info");
  const isoTime = createIsoClock();
  const visits = gatherLines((lines) => destination.write(lines));
  return {
    info: (message, details = {}) => log.info(details, message),
    warn: (message) => log.warn(message),
    visit(visit) {
      if (logsVisits) visits.add(visitLine(isoTime(Date.now()), visit));
    },
    letter: (text) => log.info({ letter: text }, "letter"),
    complain(message, { requestId, cause }) {
      // What went before it stands before it.
      visits.hand();
      log.error({ requestId, err: cause }, message);
    },
    async close() {
      visits.close();
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
 * The line that pino would write for a visit. Written out, because it is made for every call: 3 microseconds instead
 * of 8. None of the texts needs an escape: methods, routes, tools and codes are ours or the HTTP parser's, ids are
 * checked where they come in.
 */
function visitLine(time: string, visit: Visit): string {
  const text = (value: string | null) => (value === null ? "null" : `"${value}"`);
  return (
    `{"level":"info","time":"${time}","requestId":"${visit.requestId}","method":"${visit.method}",` +
    `"route":"${visit.route}","tool":${text(visit.tool)},"status":${visit.status},` +
    `"code":${text(visit.code)},"account":${text(visit.account)},"charged":${visit.charged},` +
    `"replayed":${visit.replayed},"durationMs":${visit.durationMs},"msg":"answered"}\n`
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
