import { NotCarriedOut, OrderRejected, OutcomeUnknown } from "#ledger/port.ts";

/** What errors of PostgreSQL and of the way to it mean: surely nothing was changed, or nobody knows. */

/** No connection could be had: nothing was sent. */
export class OutOfReach extends NotCarriedOut {}

/** The connection broke before a COMMIT was sent, or where there was nothing to write: the server undoes the rest. */
export class BrokenOff extends NotCarriedOut {}

/** The server does not take the statement, and would not a moment later. */
export class StatementRejected extends NotCarriedOut {}

/** The server has committed, but does not know whether its standby has it too: the primary's disk alone may not be trusted. */
export class NotReplicated extends OutcomeUnknown {}

/** SQLSTATE of an error that the server sent; null for any other. */
export function codeOf(error: unknown): string | null {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === "string" && typeof severity === "string" ? code : null;
}

/** Somebody holds a lock that was asked for without waiting, or not for long. */
export const isLocked = (error: unknown): boolean => codeOf(error) === "55P03";

/** There is such a row already. */
export const UNIQUE_VIOLATION = "23505";

/** The server has no connection left. */
export const isCrowded = (error: unknown): boolean => codeOf(error) === "53300";

/** After these the server ends the connection, whatever it was doing (25P03, 25P04: a transaction that took too long). */
const ENDING = /^(?:08|57P0|25P0[34])/;

/** The connection broke, or the server is about to go: what was being done may have been done. */
export function isLost(error: unknown): boolean {
  if (error instanceof NotCarriedOut || error instanceof OrderRejected) return false;
  const code = codeOf(error);
  return code === null || ENDING.test(code) || isFatal(error);
}

const isFatal = (error: unknown) =>
  /^(?:FATAL|PANIC)$/.test((error as { severity: string }).severity);

/** The server refused a statement, and the connection is as good as before. */
export const isPlain = (error: unknown): boolean =>
  error instanceof OrderRejected ||
  (codeOf(error) !== null && !isLost(error) && (!isPassing(error) || isMeeting(error)));

/** A transaction met another one. */
const isMeeting = (error: unknown) => isLocked(error) || /^40/.test(codeOf(error) ?? "");

/**
 * It may go well a moment later: a server that starts, stops, is a standby or has no connection left, a transaction that
 * met another one.
 */
export const isPassing = (error: unknown): boolean =>
  error instanceof OutOfReach ||
  error instanceof BrokenOff ||
  isLost(error) ||
  isReadOnly(error) ||
  isMeeting(error) ||
  /^(?:53|57|58)/.test(codeOf(error) ?? "");

/**
 * The server takes no writes. A standby says so to a statement that writes (25006), and with a code that stands for many
 * other things (0A000, feature_not_supported) to a BEGIN READ WRITE: from the check of a setting that is on or off, which
 * its routine tells in every language.
 */
export function isReadOnly(error: unknown): boolean {
  const code = codeOf(error);
  return code === "25006" || (code === "0A000" && isFromSwitch(error));
}

const isFromSwitch = (error: unknown) => {
  const { message, routine } = error as { message: string; routine?: unknown };
  return routine === "call_bool_check_hook" || message === NO_WRITES;
};
const NO_WRITES = "cannot set transaction read-write mode during recovery";

/** The error with which an order is rejected. */
export function orderFault(error: unknown): Error {
  if (error instanceof OrderRejected || error instanceof NotCarriedOut) return error;
  const { message } = error as Error;
  if (isLost(error)) return new OutcomeUnknown(message, { cause: error });
  // Where the server says what was wrong, it has rolled the transaction back.
  const ApiError = isPassing(error) ? NotCarriedOut : StatementRejected;
  return new ApiError(`${message} (${codeOf(error)})`, { cause: error });
}

/** What surely came to nothing is refused soon, so that calls do not pile up before a database that is gone. */
export const SURE_RETRIES = 3;
export const waitMs = (failures: number) => Math.min(1_000, 50 * 2 ** failures);
