import { isReadOnly } from "#stores/postgres/faults.ts";
import { UnfitDatabase } from "#stores/postgres/migrate.ts";
import { SchemaMismatch, SchemaTooNew } from "#stores/schema/migrations.ts";

/** PostgreSQL cannot be used; every way in which that may be gets one plain sentence, without the URL: it may hold a password. */
export class StartupDatabaseError extends Error {}

export function explainDatabase(error: unknown): string {
  if (isOfSchema(error)) return `PostgreSQL: ${error.message}`;
  if (error instanceof UnfitDatabase) return error.message;
  const { cause, code } = rootOf(error);
  if (isReadOnly(cause)) return STANDBY;
  return explainCode(code, cause.message) ?? explainWords(cause.message);
}

const isOfSchema = (error: unknown) =>
  error instanceof SchemaTooNew || error instanceof SchemaMismatch;

/** Whether the database may be fit a moment later: one that starts, that is full or out of reach, that becomes the primary. */
export function mayPass(error: unknown): boolean {
  if (isOfSchema(error) || error instanceof UnfitDatabase) return false;
  const { cause, code } = rootOf(error);
  return isReadOnly(cause) || PASSING.test(code === "" ? cause.message : code);
}

/** Of codes: of SQL, then of the system. Of what has none, the driver's words. */
const PASSING =
  /^(?:08|25P0[34]|40|53|55P03|57P0|58)|^E(?:CONN|TIMEDOUT|HOST|NET|PIPE|AI_AGAIN|NOTFOUND)|timeout|terminated|not queryable/i;

const STANDBY =
  "The PostgreSQL of DATABASE_URL takes no writes: it is a standby, or its user may only read. Name the primary.";
const NO_RESPONSE =
  "PostgreSQL does not answer at the address in DATABASE_URL. Start it, or correct the address.";

function explainCode(code: string, said: string): string | null {
  switch (code) {
    case "28P01":
    case "28000":
      return `PostgreSQL does not let this user in (${said}). Look at user and password in DATABASE_URL, and at its pg_hba.conf.`;
    case "3D000":
      return `The database that DATABASE_URL names is not there (${said}). Make it with createdb.`;
    case "55000":
      return `The database that DATABASE_URL names takes no connections (${said}). Let it, or name another one.`;
    case "42501":
      return `The user of DATABASE_URL may not make tables, or not in this database (${said}). Make it the owner of the database.`;
    case "53300":
      return "PostgreSQL has no connection left. Raise max_connections, or use a proxy that pools transactions.";
    case "57P03":
      return `PostgreSQL is not ready yet (${said}). Start Toolbooth again in a moment.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "The host that DATABASE_URL names is not known. Correct it, or look at the network's names.";
    case "ECONNREFUSED":
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "ECONNRESET":
      return NO_RESPONSE;
  }
  return null;
}

/** What the driver says by itself has no code. */
function explainWords(said: string): string {
  if (/timeout|terminated/i.test(said)) return NO_RESPONSE;
  if (/password must be/i.test(said))
    return "PostgreSQL asks for a password, and DATABASE_URL has none. Write it as postgres://user:password@host:5432/database.";
  if (/does not support SSL/i.test(said))
    return "PostgreSQL at the address in DATABASE_URL has no TLS, but DATABASE_URL asks for it. Switch TLS on there, or leave sslmode out.";
  return `PostgreSQL cannot be used: ${said}`;
}

/**
 * What a driver wrapped: the first refusal of several addresses, the reason of a failed connection. Its code is of SQL or
 * of the system, or empty.
 */
function rootOf(error: unknown): { cause: Error; code: string } {
  const { cause, errors, code } = error as { cause?: unknown; errors?: unknown[]; code?: string };
  if (errors?.[0] instanceof Error) return rootOf(errors[0]);
  return cause instanceof Error ? rootOf(cause) : { cause: error as Error, code: code ?? "" };
}
