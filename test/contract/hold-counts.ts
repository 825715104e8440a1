import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { countHolds } from "#stores/sql/count-holds.ts";
import type { SqlDatabase } from "#stores/sql/sql-database.ts";
import { createFixture, type OpenedLedger, START } from "./ledger/fixture.ts";
import { holding } from "./ledger/holds.ts";

/** What `/metrics` says of holds and kept responses. */
export function holdCountsContract(
  where: string,
  open: (t: TestContext) => Promise<OpenedLedger & { database: SqlDatabase }>,
): void {
  test(`${where}, holds and kept responses are counted over all accounts`, async (t) => {
    const opened = await open(t);
    const fixture = createFixture(opened);
    const { orderOf, settle, release } = holding(fixture);
    const counts = () => countHolds(opened.database);
    assert.deepEqual(await counts(), { holds: 0, credits: 0, keptBytes: 0 });
    const accounts = [
      await fixture.account("Ada", { credits: 100 }),
      await fixture.account("Bob", { credits: 100 }),
    ] as const;
    const orders = [
      orderOf(accounts[0], { once: ["one"] }),
      orderOf(accounts[0], { credits: 5 }),
      orderOf(accounts[1], { once: ["one"] }),
    ] as const;
    for (const order of orders) await fixture.ledger.hold(order);
    assert.deepEqual(await counts(), { holds: 3, credits: 25, keptBytes: 0 });
    await settle(orders[0], { response: "four" });
    await release(orders[1]);
    assert.deepEqual(await counts(), { holds: 1, credits: 10, keptBytes: 4 });
    await settle(orders[2], { response: "six..." });
    assert.deepEqual(await counts(), { holds: 0, credits: 0, keptBytes: 10 });
    await fixture.ledger.changeAccount({ account: accounts[1], now: START, state: "closed" });
    assert.deepEqual(await counts(), { holds: 0, credits: 0, keptBytes: 4 });
  });
}
