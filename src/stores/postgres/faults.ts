import { NotCarriedOut, OrderRejected, OutcomeUnknown } from "#ledger/port.ts";

/** The meaning of errors of PostgreSQL and of the connection to it: nothing was changed, or the outcome is unknown. */

/** No connection could be opened, so nothing was sent. */
export class OutOfReach extends NotCarriedOut {}

/** The connection broke before the COMMIT was sent, or in a transaction that only reads. The server rolls it back. */
export class BrokenOff extends NotCarriedOut {}

/** The server rejected the statement, and would reject it again. */
export class StatementRejected extends NotCarriedOut {}

/** Another transaction held the lock on the account for longer than a batch waits. */
export class AccountHeld extends NotCarriedOut {}

/** The primary has committed, but the synchronous standby may not have. If the primary is lost, the commit may be lost too. */
export class NotReplicated extends OutcomeUnknown {}

/** Returns the SQLSTATE of an error from the server; null for any other error. */
export function codeOf(error: unknown): string | null {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === "string" && typeof severity === "string" ? code : null;
}

/** Another transaction holds a lock that was requested without waiting or with a timeout (lock_not_available). */
export const isLocked = (error: unknown): boolean => codeOf(error) === "55P03";

/** unique_violation */
export const UNIQUE_VIOLATION = "23505";

/** The server has no connection left (too_many_connections). */
export const isCrowded = (error: unknown): boolean => codeOf(error) === "53300";

/** After these errors the server closes the connection (25P03 and 25P04: a transaction that took too long). */
const ENDING = /^(?:08|57P0|25P0[34])/;

/** Whether the connection broke or the server is shutting down, so that the outcome of the current statement is unknown. */
export function isLost(error: unknown): boolean {
  if (error instanceof NotCarriedOut || error instanceof OrderRejected) return false;
  const code = codeOf(error);
  return code === null || ENDING.test(code) || isFatal(error);
}

const isFatal = (error: unknown) =>
  /^(?:FATAL|PANIC)$/.test((error as { severity: string }).severity);

/** Whether the server rejected a statement and the connection is still usable. */
export const isPlain = (error: unknown): boolean =>
  error instanceof OrderRejected ||
  (codeOf(error) !== null && !isLost(error) && (!isPassing(error) || isMeeting(error)));

/** Whether the transaction conflicted with another one. */
const isMeeting = (error: unknown) => isLocked(error) || /^40/.test(codeOf(error) ?? "");

/**
 * Whether a later attempt may succeed: the server is starting, stopping, a standby or out of connections, or the transaction
 * conflicted with another one.
 */
export const isPassing = (error: unknown): boolean =>
  error instanceof OutOfReach ||
  error instanceof BrokenOff ||
  isLost(error) ||
  isReadOnly(error) ||
  isMeeting(error) ||
  /^(?:53|57|58)/.test(codeOf(error) ?? "");

/**
 * Whether the server accepts no writes. A standby rejects a writing statement with 25006, and a BEGIN READ WRITE with 0A000
 * (feature_not_supported), which has many other causes. The error's `routine` identifies this cause in every language.
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

/** Converts an error to the one with which an order is rejected. */
export function orderFault(error: unknown): Error {
  if (error instanceof OrderRejected || error instanceof NotCarriedOut) return error;
  const { message } = error as Error;
  if (isLost(error)) return new OutcomeUnknown(message, { cause: error });
  // If the server reports an error, it has rolled the transaction back.
  const OrderError = isPassing(error) ? NotCarriedOut : StatementRejected;
  return new OrderError(`${message} (${codeOf(error)})`, { cause: error });
}

/** Orders that were certainly not carried out are rejected after a few attempts, so that calls do not pile up while the database is down. */
export const SURE_RETRIES = 3;
export const waitMs = (failures: number) => Math.min(1_000, 50 * 2 ** failures);
