import { isReadOnly } from "#stores/postgres/faults.ts";
import { UnfitDatabase } from "#stores/postgres/migrate.ts";
import { SchemaMismatch, SchemaTooNew } from "#stores/schema/migrations.ts";

/** PostgreSQL cannot be used. The message explains each cause in one sentence, without the URL, which may contain a password. */
export class StartupDatabaseError extends Error {}

/** Explains an error by its SQLSTATE, then by its system code, then by the driver's message. */
export function explainDatabase(error: unknown): string {
  if (isOfSchema(error)) return `PostgreSQL: ${error.message}`;
  if (error instanceof UnfitDatabase) return error.message;
  const { cause, code } = rootOf(error);
  if (isReadOnly(cause)) return STANDBY;
  return explainCode(code, cause.message) ?? explainWords(cause.message);
}

const isOfSchema = (error: unknown) =>
  error instanceof SchemaTooNew || error instanceof SchemaMismatch;

/** Returns whether the database may work a moment later: it is starting, out of connections, unreachable, or being promoted. */
function mayPass(error: unknown): boolean {
  if (isOfSchema(error) || error instanceof UnfitDatabase) return false;
  const { cause, code } = rootOf(error);
  return isReadOnly(cause) || PASSING.test(code === "" ? cause.message : code);
}

/** SQLSTATEs and system codes of errors that may pass, and words in the driver's messages, which have no code. */
const PASSING =
  /^(?:08|25P0[34]|40|53|55P03|57P0|58)|^E(?:CONN|TIMEDOUT|HOST|NET|PIPE|AI_AGAIN|NOTFOUND)|timeout|terminated|not queryable/i;

const STANDBY =
  "The PostgreSQL server in DATABASE_URL is read-only: it is a standby, or its user may only read. Use the primary.";
const NO_RESPONSE =
  "PostgreSQL does not respond at the address in DATABASE_URL. Start it or correct the address.";

function explainCode(code: string, said: string): string | null {
  switch (code) {
    case "28P01":
    case "28000":
      return `PostgreSQL rejects this user (${said}). Check the user and password in DATABASE_URL, and pg_hba.conf.`;
    case "3D000":
      return `The database in DATABASE_URL does not exist (${said}). Create it with createdb.`;
    case "55000":
      return `The database in DATABASE_URL does not accept connections (${said}). Allow them or use another database.`;
    case "42501":
      return `The user in DATABASE_URL may not create tables in this database (${said}). Make it the owner of the database.`;
    case "53300":
      return "PostgreSQL has no free connection. Raise max_connections or use a pooler in transaction mode.";
    case "57P03":
      return `PostgreSQL is not ready yet (${said}). Start Toolbooth again in a moment.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "The host in DATABASE_URL cannot be resolved. Correct it or check DNS.";
    case "ECONNREFUSED":
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "ECONNRESET":
      return NO_RESPONSE;
  }
  return null;
}

/** Errors of the driver itself have no code. */
function explainWords(said: string): string {
  if (/timeout|terminated/i.test(said)) return NO_RESPONSE;
  if (/password must be/i.test(said))
    return "PostgreSQL requires a password, but DATABASE_URL has none. Write it as postgres://user:password@host:5432/database.";
  if (/does not support SSL/i.test(said))
    return "DATABASE_URL asks for TLS, but the PostgreSQL server does not support it. Enable TLS there or remove sslmode.";
  return `PostgreSQL cannot be used: ${said}`;
}

/** Unwraps the driver's error: the first of several addresses' errors, or the cause of a failed connection. `code` is a SQLSTATE, a system code, or empty. */
function rootOf(error: unknown): { cause: Error; code: string } {
  const { cause, errors, code } = error as { cause?: unknown; errors?: unknown[]; code?: string };
  if (errors?.[0] instanceof Error) return rootOf(errors[0]);
  return cause instanceof Error ? rootOf(cause) : { cause: error as Error, code: code ?? "" };
}

/** How long a start waits for a database that is not ready, and how it reports the wait. */
export type Patience = { forMs: number; log(sentence: string): void };

export const NO_PATIENCE: Patience = { forMs: 0, log() {} };

const BETWEEN_TRIES_MS = 1_000;
const LOG_EVERY_MS = 15_000;

/** Retries while the error may be temporary; throws permanent errors immediately, temporary ones after the patience ends. */
export async function waitForDatabase<Result>(
  act: () => Promise<Result>,
  { forMs, log }: Patience,
): Promise<Result> {
  const from = performance.now();
  for (let nextWordAt = 0; ; ) {
    try {
      return await act();
    } catch (error) {
      const waited = performance.now() - from;
      if (!mayPass(error) || waited + BETWEEN_TRIES_MS > forMs) throw error;
      if (waited >= nextWordAt) {
        const left = Math.round((forMs - waited) / 1_000);
        log(`${explainDatabase(error)} Waiting up to ${left} s for it.`);
        nextWordAt = waited + LOG_EVERY_MS;
      }
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
    }
  }
}
