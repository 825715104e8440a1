import { randomBytes } from "node:crypto";
import type { Config } from "#config/config.ts";
import { randomBase62 } from "#ids.ts";
import { createPostgresDirectory } from "#stores/postgres/directory.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { migratePostgres } from "#stores/postgres/migrate.ts";
import { keepPartitions } from "#stores/postgres/partitions.ts";
import { openPostgresPool, type PostgresPool } from "#stores/postgres/pool.ts";
import { isEmptyOrUnfinished, keepSecret } from "#stores/postgres/settings.ts";
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
    const secrets = await waitForDatabase(() => prepare(pool, config.secrets), patience);
    const { ledger, waiting, close } = createPostgresLedger(pool, onBatch);
    return {
      ledger,
      secrets,
      waiting,
      directory: createPostgresDirectory(pool).directory,
      isEmptyOrUnfinished: (email: string) => isEmptyOrUnfinished(pool, email),
      async close() {
        await close();
        await pool.close();
      },
    };
  } catch (error) {
    await pool.close().catch(() => {});
    throw new StartupDatabaseError(explainDatabase(error), { cause: error });
  }
}

/** Migrates the schema, creates the first partitions and returns the secrets. */
async function prepare(
  pool: PostgresPool,
  configured: readonly string[] | null,
): Promise<readonly string[]> {
  await migratePostgres(pool);
  // Before the first call, so that today's debits go to today's partition.
  await keepPartitions(pool, Date.now(), 0);
  return configured ?? [await keepSecret(pool, () => randomBase62(43, randomBytes))];
}
