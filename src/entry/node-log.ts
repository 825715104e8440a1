import pino from "pino";
import type { LOG_LEVELS } from "#config.ts";
import type { House, Visit } from "#http/house.ts";

/**
 * Structured logs, one JSON object a line, to stderr. A line a request; never a key, never a body, never a header's
 * value but the request id. Lines are written in the background, so that a slow reader does not slow the service.
 */
export type NodeLog = {
  info(message: string, details?: object): void;
  visit(visit: Visit): void;
  complain: House["complain"];
  /** Writes out what still waits. */
  close(): void;
};

export function createNodeLog(level: (typeof LOG_LEVELS)[number]): NodeLog {
  const destination = pino.destination({ dest: 2, sync: false });
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
  return {
    info: (message, details = {}) => log.info(details, message),
    visit(visit) {
      if (logsVisits) log.info(visit, "answered");
    },
    complain: (message, { requestId, cause }) => log.error({ requestId, err: cause }, message),
    close: () => destination.flushSync(),
  };
}
