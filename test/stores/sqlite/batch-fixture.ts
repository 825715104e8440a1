import type { TestContext } from "node:test";
import type { DebitOutcome, LedgerOperation, LedgerOperations } from "#ledger/port.ts";
import { createBatchRunner } from "#stores/sqlite/batch.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { assertTotals, createFixture, START } from "../../contract/ledger/fixture.ts";

/** Many orders in one transaction: each is decided as if it ran alone, after the previous ones. */
export function openFixture(t: TestContext, file = ":memory:") {
  const driver = openNodeSqlite(file);
  const fixture = createFixture(openSqliteDirect(driver));
  t.after(async () => {
    await assertTotals(fixture.ledger, START);
    driver.close();
  });
  const runBatch = createBatchRunner(driver);
  return { ...fixture, driver, runBatch };
}

export type Item = {
  [Name in LedgerOperation]: [Name, LedgerOperations[Name][0]];
}[LedgerOperation];

/** Returns the value or the error of each result. */
export function run(fixture: ReturnType<typeof openFixture>, items: Item[]) {
  return fixture.runBatch(items).map((result) => ("value" in result ? result.value : result.error));
}

export const debited = (balance: number, charged = 1): DebitOutcome => ({
  outcome: "debited",
  charged,
  balance,
});

export const grantOrder = (account: string, id: string, amount: number) =>
  ({ account, id, kind: "operator", amount, expiresAt: null, now: START }) as const;

/** A database fault that affects only some orders. */
export const TRIGGERS: Record<string, string> = {
  "while the order is carried out":
    "CREATE TRIGGER t BEFORE INSERT ON debit_journal WHEN NEW.call_id = 'boom' BEGIN SELECT RAISE(ABORT, 'boom'); END",
  "that rolls back by itself":
    "CREATE TRIGGER t BEFORE INSERT ON debit_journal WHEN NEW.call_id = 'boom' BEGIN SELECT RAISE(ROLLBACK, 'boom'); END",
  "at the end of the batch":
    "CREATE TRIGGER t BEFORE UPDATE OF remaining ON credit_grant WHEN NEW.id = 'boom' BEGIN SELECT RAISE(ABORT, 'boom'); END",
};
