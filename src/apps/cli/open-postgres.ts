import { randomBytes } from "node:crypto";
import { randomBase62 } from "#ids.ts";
import type { RecordCounts } from "#ledger/transfer/records.ts";
import { DAY_MS } from "#limits.ts";
import { createPostgresDatabase } from "#stores/postgres/database.ts";
import { createPostgresDirectory } from "#stores/postgres/directory.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { migratePostgres } from "#stores/postgres/migrate.ts";
import { createPostgresMoves } from "#stores/postgres/moves.ts";
import { findDamage, hasTables, isDamage } from "#stores/postgres/operator.ts";
import { openPostgresPool, type PostgresPool } from "#stores/postgres/pool.ts";
import { findSecret, keepSecret } from "#stores/postgres/settings.ts";
import { type Call, ProblemDetails } from "./command.ts";
import type { Deployment } from "./deployment.ts";
import { actHere, findSecrets, importedOutcome, inProcess } from "./in-process.ts";
import { explainPostgres, placeOf } from "./postgres-faults.ts";

/** The PostgreSQL that DATABASE_URL names, beside nodes that may be running. */
export async function openDatabaseOf(
  call: Call,
  url: string,
  create: boolean,
): Promise<Deployment> {
  const { secrets } = call.config;
  const place = placeOf(url);
  const { pool, isNew } = await openDatabase(url, create);
  const { ledger, close } = createPostgresLedger(pool);
  const { emailQueue: queue, ...people } = createPostgresDirectory(pool);
  const moves = createPostgresMoves(pool);
  return {
    ...inProcess(call, {
      ...{ place, ledger, queue, ...people, moves, isDamage },
      findDamage: () => findDamage(pool),
      secrets: async () =>
        isNew
          ? (secrets ?? [await keepSecret(pool, () => randomBase62(43, randomBytes))])
          : findSecrets(place, secrets, () => findSecret(pool)),
    }),
    async exportLines(withSecret, write) {
      const { exportPostgres } = await import("#stores/postgres/transfer.ts");
      return exportPostgres(pool, { withSecret }, write);
    },
    explain: explainPostgres,
    async close() {
      await moves.close();
      await close();
      await pool.close();
    },
  };
}

/** Takes lines into the database, which is given its tables where it has none. */
export async function importIntoPostgres(
  { now, config }: Call,
  url: string,
  lines: Iterable<Uint8Array>,
): Promise<RecordCounts> {
  const { importPostgres, isEmptyLedger } = await import("#stores/postgres/transfer.ts");
  const { pool } = await openDatabase(url, true);
  try {
    // Looked at before anything is read.
    if (!(await isEmptyLedger((sql) => pool.once("read", sql)))) {
      throw new ProblemDetails(
        `The ledger in ${placeOf(url)} is not empty, and an import never mixes ledgers. Set DATABASE_URL to an empty database.`,
      );
    }
    const keptFrom = now - config.rollUpAfterDays * DAY_MS;
    const take = () => importPostgres(pool, lines, { now, keptFrom });
    return await actHere(createPostgresDatabase(pool), "import", take, importedOutcome);
  } catch (error) {
    throw explainPostgres(error);
  } finally {
    await pool.close();
  }
}

/** Lists ask for eight accounts at once. The nodes need the other connections that the server has. */
const CONNECTIONS_MAX = 4;

/** As a node does it, the schema is brought up to date first. */
async function openDatabase(
  url: string,
  create: boolean,
): Promise<{ pool: PostgresPool; isNew: boolean }> {
  const pool = openPostgresPool(url, { max: CONNECTIONS_MAX });
  try {
    const isNew = !(await hasTables(pool));
    if (isNew && !create) {
      throw new ProblemDetails(
        `There is no data in ${placeOf(url)}. Start a server once or run account create, or set DATABASE_URL to where the data is.`,
      );
    }
    await migratePostgres(pool);
    return { pool, isNew };
  } catch (error) {
    await pool.close().catch(() => {});
    throw explainPostgres(error);
  }
}
