import { setTimeout } from "node:timers/promises";
import pino from "pino";
import type { AccessLogEntry } from "#api/access-log.ts";
import type { AppContext } from "#calls/app-context.ts";
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

/** Lines are batched up to this length or time, because a write costs more than building a line. */
const BATCH_CHARS = 32_768;
const BATCH_MS = 100;
/** Memory for lines that a stalled reader does not take. Beyond it lines are dropped and the service continues. */
const HELD_BYTES_MAX = 16 * 1024 * 1024;
const CLOSE_TIMEOUT_MS = 1_000;
/** How often the counts of repeated errors are looked at. */
const REPEATS_MS = 10_000;

type LogOptions = {
  /** A file, or the number of an open one; stderr by default. */
  dest?: string | number;
  /** Turns a line of JSON into what is written, for a person at a terminal (`readable-log.ts`); null: JSON. */
  readable?: ((line: string) => string) | null;
};

export function createNodeLog(
  level: (typeof LOG_LEVELS)[number],
  { dest = 2, readable = null }: LogOptions = {},
): NodeLog {
  // With a length of 1 it writes what it gets at once, and waits for that write when it is flushed.
  const file = pino.destination({ dest, sync: false, minLength: 1, maxLength: HELD_BYTES_MAX });
  // The service continues without a log reader.
  file.on("error", () => {});
  // The destination measures all that waits in it at every write, so lines wait here.
  let batch = "";
  const write = (line: string) => {
    batch += readable === null ? line : readable(line.trimEnd());
    if (batch.length >= BATCH_CHARS) writeBatch();
  };
  const writeBatch = () => {
    if (batch !== "") file.write(batch);
    batch = "";
  };
  const writing = setInterval(writeBatch, BATCH_MS).unref();
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  );
  const errors = createRepeatedErrors(log, Date.now);
  const isNews = createProbeWatch();
  const reporting = setInterval(errors.report, REPEATS_MS).unref();
  const finish = () => {
    errors.close();
    writeBatch();
  };
  // Runs before the destination's own exit handler.
  process.prependListener("exit", finish);
  return {
    info: (message, details = {}) => log.info(details, message),
    warn: (message) => log.warn(message),
    access(entry) {
      const level = isNews(entry) ? "info" : "debug";
      if (!log.isLevelEnabled(level)) return;
      write(requestLine(level, entry));
    },
    // A person at the terminal sees the link (`show`), and finds the rest in the file.
    email: (text) =>
      readable === null ? log.info({ email: text }, "email") : log.info(text.split("\n")[0]),
    show: (text) => void (level !== "silent" && process.stdout.write(text)),
    error: (message) => log.error(message),
    logError: errors.add,
    async close() {
      clearInterval(reporting);
      clearInterval(writing);
      process.off("exit", finish);
      finish();
      const flushed = new Promise<void>((resolve) => file.flush(() => resolve()));
      await Promise.race([flushed, setTimeout(CLOSE_TIMEOUT_MS)]);
      // Otherwise pino flushes again at exit and waits forever for a reader that does not read.
      file.destroy();
    },
  };
}

/**
 * The line that pino would write, in a fraction of the time: this runs for every call. No value needs escaping: methods, routes,
 * tools and codes come from this code or the HTTP parser, and ids are validated on arrival.
 */
function requestLine(level: "info" | "debug", entry: AccessLogEntry): string {
  const text = (value: string | null) => (value === null ? "null" : `"${value}"`);
  const trace = entry.traceId === null ? "" : `"traceId":"${entry.traceId}",`;
  return (
    `{"level":"${level}","time":"${new Date().toISOString()}","requestId":"${entry.requestId}",` +
    `"method":"${entry.method}","route":"${entry.route}","tool":${text(entry.tool)},` +
    `"status":${entry.status},"code":${text(entry.code)},"account":${text(entry.account)},` +
    `"key":${text(entry.key)},${trace}"charged":${entry.charged},"callId":${text(entry.callId)},` +
    `"replayed":${entry.replayed},"delivered":${entry.delivered},"durationMs":${entry.durationMs},` +
    `"msg":"request"}\n`
  );
}

/**
 * Whether a request is news. Monitoring asks for some routes every few seconds, and would make up most of the log of a quiet
 * service: these are news when their status changes, which is 200 at first.
 */
function createProbeWatch(): (entry: AccessLogEntry) => boolean {
  const statuses = new Map(["/healthz", "/health", "/readyz"].map((route) => [route, 200]));
  return ({ route, status }) => {
    // Clients without the token ask for it too. A rejected request is a request like any other.
    if (route === "/metrics") return status !== 200;
    const before = statuses.get(route);
    if (before !== undefined) statuses.set(route, status);
    return status !== before;
  };
}
