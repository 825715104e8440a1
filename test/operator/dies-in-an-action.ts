/** A process that dies in an operator action, before or after the operation: `<file or URL> <before|after>`. */

import { suspendAccount } from "#operator/accounts.ts";
import type { OperatorContext } from "#operator/context.ts";
import { perform } from "#operator/perform.ts";
import { createPostgresDatabase } from "#stores/postgres/database.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { openSqliteDirect } from "../support/sqlite-direct.ts";

const ADA = "acc_Ada000000000";
const [place = "", moment = ""] = process.argv.slice(2);
const { ledger, database } = open();
const die = () => process.kill(process.pid, "SIGKILL");
const context = {
  actions: createOperatorActions(database),
  accountDeps: { secrets: ["the secret of the tests"] },
  directory: {
    findByAccount: async () => ({ account: ADA, email: "ada@example.org", createdAt: 1 }),
  },
  ledger: {
    ...ledger,
    async changeAccount(order: Parameters<typeof ledger.changeAccount>[0]) {
      if (moment === "before") die();
      const done = await ledger.changeAccount(order);
      die();
      return done;
    },
  },
};
const deps = {
  ...{ context: context as unknown as OperatorContext, operator: { by: "ada", address: null } },
  ...{ isLocal: true, orderId: "the id of the order", now: Date.now },
};
await perform(deps, suspendAccount, { email: ADA });

function open() {
  if (place.startsWith("postgres:")) {
    const pool = openPostgresPool(place, { max: 2 });
    return { ledger: createPostgresLedger(pool).ledger, database: createPostgresDatabase(pool) };
  }
  const driver = openNodeSqlite(place);
  return { ledger: openSqliteDirect(driver).ledger, database: createSqliteDatabase(driver) };
}
