import { randomBytes } from "node:crypto";
import type { Config } from "#config/config.ts";
import { randomBase62 } from "#ids.ts";
import { createPostgresDirectory } from "#stores/postgres/directory.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { migratePostgres } from "#stores/postgres/migrate.ts";
import { measurePostgres } from "#stores/postgres/operator.ts";
import { keepPartitions } from "#stores/postgres/partitions.ts";
import { openPostgresPool, type PostgresPool } from "#stores/postgres/pool.ts";
import { exchangeTools, findSecret, keepSecret } from "#stores/postgres/settings.ts";
import { isEmptyOrUnfinished } from "#stores/sql/directory.ts";
import type { SqliteThreadOptions } from "#stores/sqlite/thread.ts";
import {
  explainDatabase,
  type Patience,
  StartupDatabaseError,
  waitForDatabase,
} from "./database-startup.ts";

/** One connection is reserved for batches of debits. Two stay open while the node is idle. */
const CONNECTIONS_MAX = 10;
const CONNECTIONS = { max: CONNECTIONS_MAX, min: 2, reserved: 1 };

/** Opens the database in DATABASE_URL, which all nodes of a fleet share. */
export async function openPostgresStore(
  url: string,
  config: Config,
  { onBatch, onCrash }: Required<Pick<SqliteThreadOptions, "onBatch" | "onCrash">>,
  patience: Patience,
) {
  const pool = openPostgresPool(url, { ...CONNECTIONS, onIdleError: onCrash });
  try {
    const secrets = await waitForDatabase(
      () => prepare(pool, config.secrets, patience.log),
      patience,
    );
    const { ledger, waiting, close } = createPostgresLedger(pool, onBatch);
    const { database, directory } = createPostgresDirectory(pool);
    return {
      ledger,
      secrets,
      waiting,
      directory,
      measure: () => measurePostgres(pool),
      exchangeTools: (mine: Parameters<typeof exchangeTools>[1]) => exchangeTools(pool, mine),
      connect: () => ({ databaseUrl: url }),
      isEmptyOrUnfinished: (email: string) => isEmptyOrUnfinished(database, email),
      async close() {
        await close();
        await pool.close();
      },
    };
  } catch (error) {
    await pool.close().catch(() => {});
    if (error instanceof StartupDatabaseError) throw error;
    throw new StartupDatabaseError(explainDatabase(error), { cause: error });
  }
}

/** Migrates the schema, creates the first partitions and returns the secrets. */
async function prepare(
  pool: PostgresPool,
  configured: readonly string[] | null,
  log: Patience["log"],
): Promise<readonly string[]> {
  await migratePostgres(pool);
  // Before the first call, so that today's debits go to today's partition.
  await keepPartitions(pool, Date.now(), 0);
  const secrets = configured ?? (await openPostgresSecrets(pool));
  if (configured === null) log(SECRET_IN_DATABASE);
  else if ((await findSecret(pool)) !== null) log(SECRET_LEFT_IN_DATABASE);
  return secrets;
}

/** Returns the secret in the database; the first of several processes creates it. */
async function openPostgresSecrets(pool: PostgresPool): Promise<readonly string[]> {
  const secret = await keepSecret(pool, () => randomBase62(43, randomBytes));
  if (secret === null) throw new StartupDatabaseError(SECRET_MISSING);
  return secret.split(",");
}

const SECRET_IN_DATABASE =
  "SECRET is not set, so the secret is in PostgreSQL, where every copy of the database contains it. Set SECRET to it on every node, as docs/operations.md describes.";
const SECRET_LEFT_IN_DATABASE =
  "PostgreSQL still contains a secret, which nodes without SECRET use. When all nodes have SECRET, delete it from the table setting, as docs/operations.md describes.";
const SECRET_MISSING =
  "The database has API keys, but the secret that they were made with is missing: SECRET is not set, and PostgreSQL contains no secret. Set SECRET to that of the other nodes.";
