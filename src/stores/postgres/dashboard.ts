import { createPostgresDirectory } from "./directory.ts";
import { createPostgresDialect } from "./kysely.ts";
import type { PostgresPool } from "./pool.ts";

/** Opens the stores of accounts, emails, purchases and events, and the database of better-auth. `onFault`: see kysely.ts. */
export function createPostgresDashboardStore(pool: PostgresPool, onFault?: (fault: Error) => void) {
  return {
    ...createPostgresDirectory(pool),
    signInDatabase: {
      dialect: createPostgresDialect(pool, onFault),
      type: "postgres" as const,
      // A transaction of better-auth would occupy a connection for all of its round trips.
      transaction: false,
    },
  };
}
