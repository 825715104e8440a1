import { createPostgresDirectory } from "./directory.ts";
import { createPostgresDialect } from "./kysely.ts";
import type { PostgresPool } from "./pool.ts";

/** All that the people's side of the service keeps in PostgreSQL, but the ledger. `onFault`: see `postgres-kysely.ts`. */
export function createPostgresPeople(pool: PostgresPool, onFault?: (fault: Error) => void) {
  return {
    ...createPostgresDirectory(pool),
    signInDatabase: {
      dialect: createPostgresDialect(pool, onFault),
      type: "postgres" as const,
      // better-auth hashes passwords in the middle of its transactions; no connection waits meanwhile.
      transaction: false,
    },
  };
}
