import { quotedCommand } from "#command-line.ts";
import type { RecordCounts } from "#ledger/transfer/records.ts";
import { DAY_MS, ROLL_UP_AFTER_DAYS } from "#limits.ts";
import { createPostgresDatabase } from "#stores/postgres/database.ts";
import { createPostgresDirectory } from "#stores/postgres/directory.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { migratePostgres } from "#stores/postgres/migrate.ts";
import { createPostgresMoves } from "#stores/postgres/moves.ts";
import { findDamage, hasTables, isDamage } from "#stores/postgres/operator.ts";
import { openPostgresPool, type PostgresPool } from "#stores/postgres/pool.ts";
import { createPostgresRequestTables } from "#stores/postgres/request-log.ts";
import { findSecret } from "#stores/postgres/settings.ts";
import { openPostgresSecrets } from "../node/postgres-store.ts";
import { createNodeRequests } from "../node/request-log.ts";
import { CommandError, type Deployment, type Invocation } from "./command.ts";
import { createLocalDeployment, describeImport, findSecrets, runRecorded } from "./local.ts";
import { explainPostgres, placeOf } from "./postgres-faults.ts";

/** Opens the PostgreSQL database in DATABASE_URL. Nodes on the same database may be running. */
export async function openDatabaseOf(
  invocation: Invocation,
  url: string,
  canCreate: boolean,
): Promise<Deployment> {
  const { secrets } = invocation.config;
  const place = placeOf(url);
  const { pool, isNew } = await openDatabase(url, canCreate);
  const { ledger, close } = createPostgresLedger(pool);
  const { emailQueue: queue, ...stores } = createPostgresDirectory(pool);
  const moves = createPostgresMoves(pool);
  return {
    ...createLocalDeployment(invocation, {
      place,
      ledger,
      queue,
      ...stores,
      moves,
      isDamage,
      requests: createNodeRequests(createPostgresRequestTables(pool), invocation.config.requestLog),
      findDamage: () => findDamage(pool),
      secrets: async () =>
        isNew
          ? (secrets ?? (await openPostgresSecrets(pool)))
          : findSecrets(secrets, `the database ${place}`, async () => {
              const secret = await findSecret(pool);
              return secret?.split(",") ?? null;
            }),
    }),
    async exportLines(withSecret, write) {
      const { exportPostgres } = await import("#stores/postgres/transfer.ts");
      const secret = withSecret ? await findSecret(pool) : null;
      return exportPostgres(pool, { secret }, write);
    },
    explain: explainPostgres,
    async close() {
      await moves.close();
      await close();
      await pool.close();
    },
  };
}

/** Imports lines into an empty database, and creates the tables if there are none. */
export async function importIntoPostgres(
  { now }: Invocation,
  url: string,
  lines: Iterable<Uint8Array>,
): Promise<RecordCounts> {
  const { importPostgres, isEmptyLedger } = await import("#stores/postgres/transfer.ts");
  const { pool } = await openDatabase(url, true);
  try {
    // Checked first, because reading the lines takes a long time.
    if (!(await isEmptyLedger((sql) => pool.once("read", sql)))) {
      throw new CommandError(
        `The ledger in ${placeOf(url)} is not empty, and an import never merges ledgers. Set DATABASE_URL to an empty database.`,
      );
    }
    const keptFrom = now - ROLL_UP_AFTER_DAYS * DAY_MS;
    const importAll = () => importPostgres(pool, lines, { now, keptFrom });
    return await runRecorded(createPostgresDatabase(pool), "import", importAll, describeImport);
  } catch (error) {
    throw explainPostgres(error);
  } finally {
    await pool.close();
  }
}

/** Lists send eight requests at once; the nodes need the server's other connections. */
const CONNECTIONS_MAX = 4;

/** Migrates the schema first, as a node does when it starts. */
async function openDatabase(
  url: string,
  canCreate: boolean,
): Promise<{ pool: PostgresPool; isNew: boolean }> {
  const pool = openPostgresPool(url, { max: CONNECTIONS_MAX });
  try {
    const isNew = !(await hasTables(pool));
    if (isNew && !canCreate) {
      throw new CommandError(
        `There is no data in ${placeOf(url)}. Set DATABASE_URL to the nodes' database. To create data, start a node or run for example ${quotedCommand("account create", "you@example.com")}.`,
      );
    }
    await migratePostgres(pool);
    return { pool, isNew };
  } catch (error) {
    await pool.close().catch(() => {});
    throw explainPostgres(error);
  }
}
