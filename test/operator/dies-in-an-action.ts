/** A process that dies in an operator action, before or after the operation: `<file or URL> <before|after>`. */
import type { OperatorContext } from "#operator/context.ts";
import { perform } from "#operator/perform.ts";
import { createPostgresDatabase } from "#stores/postgres/database.ts";
import { createPostgresLedger } from "#stores/postgres/ledger.ts";
import { openPostgresPool } from "#stores/postgres/pool.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";

const [place = "", moment = ""] = process.argv.slice(2);
const { ledger, database } = open();
const die = () => process.kill(process.pid, "SIGKILL");
const context: Pick<OperatorContext, "actions" | "ledger"> = {
  actions: createOperatorActions(database),
  ledger: {
    ...ledger,
    async suspendAccount(order) {
      if (moment === "before") die();
      const done = await ledger.suspendAccount(order);
      die();
      return done;
    },
  },
};
const operator = { by: "ada", address: null };
const deps = { context: context as OperatorContext, operator, now: Date.now };
await perform(deps, "suspendAccount", { account: "acc_Ada000000000", now: Date.now() });

function open() {
  if (place.startsWith("postgres:")) {
    const pool = openPostgresPool(place, { max: 2 });
    return { ledger: createPostgresLedger(pool).ledger, database: createPostgresDatabase(pool) };
  }
  const driver = openNodeSqlite(place);
  return { ledger: openSqliteDirect(driver).ledger, database: createSqliteDatabase(driver) };
}
