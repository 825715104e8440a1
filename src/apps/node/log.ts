import { setTimeout } from "node:timers/promises";
import pino from "pino";
import type { AccessLogEntry } from "#api/access-log.ts";
import type { AppContext } from "#api/app-context.ts";
import type { LOG_LEVELS } from "#config/settings.ts";
import { createRepeatedErrors } from "./repeated-errors.ts";

/**
 * Structured logs on stderr: one JSON object per line, one line per request. Logs never contain keys, header values except
 * the ids of request and trace, or bodies except emails on the operator's own machine. Writing happens in the background, so a
 * slow reader does not slow the service.
 */
export type NodeLog = {
  info(message: string, details?: object): void;
  /** Logs a configuration that works but should be changed before others use the service. */
  warn(message: string): void;
  /** Logs a request. Probes are logged at level `debug`, unless their status differs from the one before. */
  access(entry: AccessLogEntry): void;
  /** Logs an error that the caller logs once, when it begins (`lasting-faults.ts`). */
  error(message: string): void;
  /** An error that repeats is counted (`repeated-errors.ts`). */
  logError: AppContext["logError"];
  /** Logs an email that was written to the outbox: its file and, on the operator's own machine, its text. */
  email(text: string): void;
  /** Prints text for a person to copy to standard output, which has no JSON. */
  show(text: string): void;
  /** Flushes waiting lines; gives up if the reader does not read. */
  close(): Promise<void>;
};

/** Lines are batched up to this size or time, because a write costs more than building a line. */
const BATCH_BYTES = 8_192;
const BATCH_MS = 100;
/** Memory for lines that a stalled reader does not take. Beyond it lines are dropped and the service continues. */
const HELD_BYTES_MAX = 16 * 1024 * 1024;
const CLOSE_TIMEOUT_MS = 1_000;
/** How often the counts of repeated errors are looked at. */
const REPEATS_MS = 10_000;

type LogOptions = {
  /** A file, or the number of an open one; stderr by default. */
  dest?: string | number;
  now?: () => number;
  /** Turns a line of JSON into what is written, for a person at a terminal (`readable-log.ts`); null: JSON. */
  readable?: ((line: string) => string) | null;
};

export function createNodeLog(
  level: (typeof LOG_LEVELS)[number],
  { dest = 2, now = Date.now, readable = null }: LogOptions = {},
): NodeLog {
  const file = pino.destination({
    dest,
    sync: false,
    minLength: BATCH_BYTES,
    periodicFlush: BATCH_MS,
    maxLength: HELD_BYTES_MAX,
  });
  // The service continues without a log reader.
  file.on("error", () => {});
  const destination =
    readable === null
      ? file
      : { write: (text: string) => file.write(readableText(text, readable)) };
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const lines = createAccessLines(level, (written) => destination.write(written), now);
  // Keeps the order of lines.
  const inOrder = (write: (details: object, message: string) => void) => {
    return (details: object, message: string) => {
      lines.hand();
      write(details, message);
    };
  };
  const error = inOrder((details, message) => log.error(details, message));
  const info = inOrder((details, message) => log.info(details, message));
  const errors = createRepeatedErrors({ error, info }, now);
  const reporting = setInterval(errors.report, REPEATS_MS).unref();
  const finish = () => {
    errors.close();
    lines.hand();
  };
  // Runs before the destination's own exit handler.
  process.prependListener("exit", finish);
  return {
    info: (message, details = {}) => log.info(details, message),
    warn: (message) => log.warn(message),
    access: lines.add,
    // A person at the terminal sees the link (`show`), and finds the rest in the file.
    email: (text) =>
      readable === null ? log.info({ email: text }, "email") : log.info(text.split("\n")[0]),
    show: (text) => void (level !== "silent" && process.stdout.write(text)),
    error: (message) => error({}, message),
    logError: errors.add,
    async close() {
      clearInterval(reporting);
      process.off("exit", finish);
      finish();
      lines.close();
      const flushed = new Promise<void>((resolve) => file.flush(() => resolve()));
      await Promise.race([flushed, setTimeout(CLOSE_TIMEOUT_MS)]);
      // Otherwise pino flushes again at exit and waits forever for a reader that does not read.
      file.destroy();
    },
  };
}

/** `text` has whole lines. */
const readableText = (text: string, readable: (line: string) => string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map(readable)
    .join("");

/** The lines of the access log. */
type AccessLines = {
  add: NodeLog["access"];
  /** Hands over the lines that wait for more. */
  hand(): void;
  close(): void;
};

function createAccessLines(
  level: (typeof LOG_LEVELS)[number],
  write: (lines: string) => void,
  now: () => number,
): AccessLines {
  const logsAccess = level === "info" || level === "debug";
  const isoTime = createIsoClock();
  const { add, ...lines } = gatherLines(write);
  const isNews = createProbeWatch();
  return {
    ...lines,
    add(entry) {
      if (!logsAccess) return;
      const isProbe = entry.tool === null && PROBES.has(entry.route);
      const isDebug = isProbe && !isNews(entry);
      if (isDebug && level !== "debug") return;
      add(accessLine(isDebug ? "debug" : "info", isoTime(now()), entry));
    },
  };
}

/** Joins lines before they reach the destination, which rescans its buffer on every write. */
function gatherLines(write: (lines: string) => void) {
  let lines = "";
  const hand = () => {
    if (lines !== "") write(lines);
    lines = "";
  };
  const timer = setInterval(hand, BATCH_MS / 2).unref();
  return {
    add(line: string) {
      lines += line;
      if (lines.length >= BATCH_BYTES) hand();
    },
    hand,
    close: () => clearInterval(timer),
  };
}

/**
 * Builds the line that pino would write. By hand because it runs for every call: 3 µs instead of 8. No value needs
 * escaping: methods, routes, tools and codes come from this code or the HTTP parser, and ids are validated on arrival.
 */
function accessLine(level: "info" | "debug", time: string, entry: AccessLogEntry): string {
  const text = (value: string | null) => (value === null ? "null" : `"${value}"`);
  const trace = entry.traceId === null ? "" : `"traceId":"${entry.traceId}",`;
  return (
    `{"level":"${level}","time":"${time}","requestId":"${entry.requestId}",${trace}"method":"${entry.method}",` +
    `"route":"${entry.route}","tool":${text(entry.tool)},"status":${entry.status},` +
    `"code":${text(entry.code)},"account":${text(entry.account)},"key":${text(entry.key)},` +
    `"charged":${entry.charged},"callId":${text(entry.callId)},` +
    `"replayed":${entry.replayed},"delivered":${entry.delivered},"durationMs":${entry.durationMs},"msg":"request"}\n`
  );
}

/** Monitoring asks for these every few seconds, and would make up most of the log of a quiet service. */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/health", "/readyz", "/metrics"]);

/** Whether a probe says something new: another status than the one before on its route, at first than 200. */
function createProbeWatch(): (entry: AccessLogEntry) => boolean {
  const statuses = new Map<string, number>();
  return ({ route, status }) => {
    // Strangers ask for it too. A rejected request is a request like any other.
    if (route === "/metrics") return status !== 200;
    const before = statuses.get(route) ?? 200;
    statuses.set(route, status);
    return status !== before;
  };
}

/** Returns a formatter for ISO 8601 in UTC with milliseconds that computes the date once per second. */
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
