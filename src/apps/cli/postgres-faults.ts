import { NotCarriedOut, OutcomeUnknown } from "#ledger/port.ts";
import { codeOf } from "#stores/postgres/faults.ts";
import { UnfitDatabase } from "#stores/postgres/migrate.ts";
import { SchemaMismatch, SchemaTooNew } from "#stores/schema/migrations.ts";
import { explainDatabase } from "../node/database-fault.ts";
import { ProblemDetails } from "./command.ts";

/** The database in sentences: by its name and host, never by the URL, which may hold a password. */
export function placeOf(url: string): string {
  const { hostname, pathname } = new URL(url);
  const name = `the database ${pathname.slice(1)}`;
  return hostname === "" ? name : `${name} on ${hostname}`;
}

/** One sentence for what went wrong with the database or on the way to it; every other error stays what it is. */
export function explainPostgres(error: unknown): unknown {
  const { message, cause } = error as Error;
  const isKnown = [SchemaTooNew, SchemaMismatch, UnfitDatabase, NotCarriedOut].some(
    (kind) => error instanceof kind,
  );
  if (isKnown || codeOf(error) !== null)
    return new ProblemDetails(sentence(explainDatabase(error)));
  if (LOST.test(message)) return new ProblemDetails(BROKEN_OFF);
  if (cause instanceof NotCarriedOut)
    return new ProblemDetails(`${sentence(explainDatabase(error))} ${BETWEEN_STEPS}`);
  if (error instanceof OutcomeUnknown) return new ProblemDetails(BROKEN_OFF);
  return error;
}

const sentence = (text: string) => (/[.?]$/.test(text) ? text : `${text}.`);

/** What the driver says of a connection that ended or fell silent, and the ledger of an order that was on it. */
const LOST =
  /^(?:Connection terminated|Client has encountered a connection error|Query read timeout|read ECONNRESET|The outcome of the order is unknown)/;

const BROKEN_OFF =
  "The connection to PostgreSQL broke off in the middle, and nobody knows whether the last step was carried out. Look before you run the command again.";

const BETWEEN_STEPS =
  "The command was broken off between two steps: run it again to bring it to its end.";
