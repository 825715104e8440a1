import { NotCarriedOut, OutcomeUnknown } from "#ledger/port.ts";
import { codeOf } from "#stores/postgres/faults.ts";
import { UnfitDatabase } from "#stores/postgres/migrate.ts";
import { SchemaMismatch, SchemaTooNew } from "#stores/schema/migrations.ts";
import { explainDatabase } from "../node/database-fault.ts";
import { CommandError } from "./command.ts";

/** Names the database and its host. The URL itself may contain a password and is never shown. */
export function placeOf(url: string): string {
  const { hostname, pathname } = new URL(url);
  const name = `the database ${pathname.slice(1)}`;
  return hostname === "" ? name : `${name} on ${hostname}`;
}

/** Returns a `CommandError` for an error of the database or its connection, and other errors unchanged. */
export function explainPostgres(error: unknown): unknown {
  const { message, cause, code } = error as NodeJS.ErrnoException;
  const isKnown = [SchemaTooNew, SchemaMismatch, UnfitDatabase, NotCarriedOut].some(
    (kind) => error instanceof kind,
  );
  if (isKnown || codeOf(error) !== null) return new CommandError(sentence(explainDatabase(error)));
  if (code === "ECONNRESET" || LOST.test(message)) return new CommandError(CONNECTION_LOST);
  if (cause instanceof NotCarriedOut)
    return new CommandError(`${sentence(explainDatabase(error))} ${INTERRUPTED}`);
  if (error instanceof OutcomeUnknown) return new CommandError(CONNECTION_LOST);
  return error;
}

const sentence = (text: string) => (/[.?]$/.test(text) ? text : `${text}.`);

/**
 * Messages of a lost connection. The driver's errors have no code or class; the last one is the ledger's, whose cause may be
 * `NotCarriedOut` although an earlier attempt may have been carried out.
 */
const LOST =
  /^(?:Connection terminated|Client has encountered a connection error|Query read timeout|Nobody knows what became)/;

const CONNECTION_LOST =
  "The connection to PostgreSQL was lost, so the last step may or may not have been done. Check the result before you run the command again.";

const INTERRUPTED = "The command was interrupted between two steps. Run it again to complete it.";
