import { NOT_ACCEPTED } from "#api/readiness.ts";
import { OrderRejected } from "#ledger/port.ts";
import { LATE, TOO_MANY_ORDERS } from "#stores/order-queue.ts";
import {
  AccountHeld,
  BrokenOff,
  codeOf,
  isLocked,
  isReadOnly,
  NotReplicated,
  OutOfReach,
  StatementRejected,
} from "#stores/postgres/faults.ts";
import { isTimeOut } from "#stores/postgres/reach.ts";
import { mayBeOneOrder, primaryCodeOf } from "#stores/sqlite/faults.ts";
import { isThreadFault } from "#stores/sqlite/thread.ts";

/** What an error of the ledger means for other calls, and its sentence for `/readyz`. */

/**
 * Whether other orders may succeed although this one failed: it was invalid, or its account is locked. Such an error
 * says nothing about the ledger.
 */
export function isOfOneOrder(error: unknown): boolean {
  if (error instanceof OrderRejected) return true;
  if (primaryCodeOf(error) !== 0) return mayBeOneOrder(error);
  return chainOf(error).some(
    (each) => each instanceof StatementRejected || each instanceof AccountHeld || isLocked(each),
  );
}

/**
 * Returns one sentence about a fault of the ledger. Anyone can read it, so it is chosen by the error's code and contains nothing of its
 * message.
 */
export function explainLedgerFault(error: unknown): string {
  const cause = SQLITE_CAUSES[primaryCodeOf(error)] ?? firstOf(chainOf(error), causeOf);
  return cause === undefined ? NOT_ACCEPTED : `Calls fail: ${cause}.`;
}

/** By primary result code (sqlite.org/rescode.html). */
const SQLITE_CAUSES: Readonly<Record<number, string>> = {
  5: "another process keeps the database locked",
  6: "another process keeps the database locked",
  8: "the database is read-only",
  10: "the disk of the database reports errors",
  11: "the database file is damaged",
  13: "the disk of the database is full",
  14: "the files of the database cannot be opened",
  26: "the database file is damaged",
};

function causeOf(error: Error): string | undefined {
  if (isThreadFault(error)) return "the ledger is restarting";
  if (error.message === TOO_MANY_ORDERS) return "too many calls wait for the ledger";
  if (error.message === LATE) return SLOW;
  if (error instanceof NotReplicated) return "the synchronous standby of the database is missing";
  if (isReadOnly(error)) return "the database is a standby or read-only";
  if (isTimeOut(error)) return SLOW;
  const code = codeOf(error) ?? "";
  const found = POSTGRES_CAUSES.find(([prefix]) => code.startsWith(prefix));
  if (found !== undefined) return found[1];
  if (error instanceof OutOfReach) return "the database is unreachable";
  return error instanceof BrokenOff ? "connections to the database are lost" : undefined;
}

const SLOW = "the database does not respond in time";
/** By the beginning of the SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html). */
const POSTGRES_CAUSES: readonly (readonly [prefix: string, cause: string])[] = [
  ["53100", "the disk of the database is full"],
  ["53200", "the database is out of memory"],
  ["533", "the database has no connection left"],
  ["55P03", "a table of the database is locked"],
  ["57014", SLOW],
  ["25P03", SLOW],
  ["57P", "the database is starting or stopping"],
  ["58", "the disk of the database reports errors"],
  ["XX00", "the database is damaged"],
  ["28", "the database rejects the login of this node"],
  ["3D", "the database does not exist"],
  ["42", "the schema of the database does not match this version"],
];

/** The error and its causes: the innermost first, because it says most. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let each = error; each instanceof Error && chain.length < 8; each = each.cause)
    chain.unshift(each);
  return chain;
}

function firstOf<Found>(
  errors: readonly Error[],
  find: (error: Error) => Found | undefined,
): Found | undefined {
  for (const error of errors) {
    const found = find(error);
    if (found !== undefined) return found;
  }
  return undefined;
}
