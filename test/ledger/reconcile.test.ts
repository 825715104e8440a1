import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountSums, reconcile, zeroTotals } from "#ledger/reconcile.ts";

const GOOD: AccountSums = {
  ...{ ...zeroTotals(), granted: 9, remaining: 9, storedBalance: 9 },
  ...{ id: "acc", freeCall: "used", freeCalls: 1 },
  ...{ storedLifetimeGrants: 1, lifetimeGrants: 1 },
  ...{ keptCalls: 3, keptCredits: 2, summedCalls: 3, summedCredits: 2 },
};

test("an audit names each way in which an account contradicts itself", () => {
  const faultsOf = (change: Partial<AccountSums>) => reconcile([{ ...GOOD, ...change }], 0).faults;
  assert.deepEqual(faultsOf({ storedBalance: null }), []);
  for (const [change, fault] of [
    [{ granted: 10 }, "acc: 10 credits were granted, but 9 are accounted for"],
    [{ freeCalls: 2 }, "acc: expected 1 free calls, but found 2"],
    [{ freeCall: "open" }, "acc: expected 0 free calls, but found 1"],
    [
      { storedBalance: 8 },
      "acc: the account row says that the balance is 8, but its grants hold 9",
    ],
    [
      { lifetimeGrants: 0 },
      "acc: the account row counts 1 lifetime grants in force, but there are 0",
    ],
    [
      { summedCredits: 3 },
      "acc: the sums of its calls say 3 calls and 3 credits, but its debits are 3 calls and 2 credits",
    ],
  ] as const)
    assert.deepEqual(faultsOf(change), [fault]);
});

test("an audit adds up all accounts, and counts what belongs to none", () => {
  const totals = { ...zeroTotals(), granted: 18, remaining: 18 };
  assert.deepEqual(reconcile([GOOD, GOOD], 0), { ok: true, accounts: 2, totals, faults: [] });
  const { ok, faults } = reconcile([], 4);
  assert.deepEqual([ok, faults], [false, ["4 rows of usage belong to no account"]]);
});
