import { createD1Database, type D1 } from "./d1-database.ts";
import { createDashboardStores } from "./dashboard-stores.ts";
import { listAccountOf } from "./directory.ts";
import { signInOverSqlite } from "./kysely.ts";
import { createForwardedEvents } from "./ledger-events.ts";

/** Opens the stores of accounts, emails, purchases and events at the edge. The ledger is in the accounts' objects. */
export function createD1DashboardStore(d1: D1) {
  const db = createD1Database(d1);
  return {
    ...createDashboardStores(db, { directory: { onRegister: listAccountOf } }),
    ledgerEvents: createForwardedEvents(db),
    signInDatabase: signInOverSqlite(db),
  };
}
