import { StepsInterrupted } from "#accounts/accounts.ts";
import { NotCarriedOut, OutcomeUnknown } from "#ledger/port.ts";
import { codeOf } from "#stores/postgres/faults.ts";
import { UnfitDatabase } from "#stores/postgres/migrate.ts";
import { SchemaMismatch, SchemaTooNew } from "#stores/schema/migrations.ts";
import { explainDatabase } from "../node/database-startup.ts";
import { CommandError } from "./command.ts";

/** Names the database and its host. The URL itself may contain a password and is never shown. */
export function placeOf(url: string): string {
  const { hostname, pathname } = new URL(url);
  const name = `the database ${pathname.slice(1)}`;
  return hostname === "" ? name : `${name} on ${hostname}`;
}

/** Returns a `CommandError` for an error of the database or its connection, and other errors unchanged. */
export function explainPostgres(error: unknown): unknown {
  const { message, code } = error as NodeJS.ErrnoException;
  const isKnown = [SchemaTooNew, SchemaMismatch, UnfitDatabase, NotCarriedOut].some(
    (kind) => error instanceof kind,
  );
  if (isKnown || codeOf(error) !== null) return new CommandError(sentence(explainDatabase(error)));
  if (code === "ECONNRESET" || LOST.test(message)) return new CommandError(CONNECTION_LOST);
  if (error instanceof StepsInterrupted)
    return new CommandError(`${sentence(explainDatabase(error))} ${INTERRUPTED}`);
  if (error instanceof OutcomeUnknown) return new CommandError(CONNECTION_LOST);
  return error;
}

const sentence = (text: string) => (/[.?]$/.test(text) ? text : `${text}.`);

/** Messages of the driver for a lost connection, whose errors have neither a code nor a class. */
const LOST =
  /^(?:Connection terminated|Client has encountered a connection error|Query read timeout|read ECONNRESET)/;

const CONNECTION_LOST =
  "The connection to PostgreSQL was lost, so the last step may or may not have completed. Check the result before you run the command again.";

const INTERRUPTED = "The command was interrupted between two steps. Run it again to complete it.";
