/** Contract of the account index, for every store that has one. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { type AccountIndex, type IndexedAccount, indexedLedger } from "#accounts/account-index.ts";
import { createMemoryLedger } from "../support/memory-ledger.ts";

export type OpenAccountIndex = (t: TestContext) => Promise<{ index: AccountIndex }>;

const START = Date.UTC(2026, 10, 21, 12);

export function accountIndexContract(name: string, open: OpenAccountIndex): void {
  describe(`the account index, ${name}`, () => describeIndex(open));
}

/** Out of order, with several of one moment, so that a page may end among them. */
const ACCOUNTS: IndexedAccount[] = [
  { account: "acc_B", createdAt: START },
  { account: "acc_b", createdAt: START },
  { account: "acc_a", createdAt: START },
  { account: "acc_z", createdAt: START - 5 },
  { account: "acc_A", createdAt: START + 5 },
];
const IN_ORDER = ["acc_z", "acc_B", "acc_a", "acc_b", "acc_A"];

function describeIndex(open: OpenAccountIndex) {
  test("accounts are listed by age, page by page, each once", async (t) => {
    const { index } = await open(t);
    assert.deepEqual(await index.list({ after: null, max: 9 }), []);
    for (const { account, createdAt } of ACCOUNTS) await index.record({ account, now: createdAt });
    for (const max of [1, 2, 3, 9]) {
      const seen: IndexedAccount[] = [];
      for (let page = 0; page < 9; page += 1) {
        const listed = await index.list({ after: seen.at(-1) ?? null, max });
        assert.ok(listed.length <= max);
        seen.push(...listed);
      }
      assert.deepEqual(
        seen.map(({ account }) => account),
        IN_ORDER,
      );
    }
    const between = { account: "acc_Z", createdAt: START };
    const [next] = await index.list({ after: between, max: 1 });
    assert.deepEqual(next, { account: "acc_a", createdAt: START });
  });

  test("an account recorded again, or by many callers at once, is listed once with its first time", async (t) => {
    const { index } = await open(t);
    await index.record({ account: "acc_a", now: START });
    await Promise.all(
      Array.from({ length: 20 }, (_, each) =>
        index.record({ account: "acc_a", now: START + each }),
      ),
    );
    assert.deepEqual(await index.list({ after: null, max: 9 }), [
      { account: "acc_a", createdAt: START },
    ]);
  });

  test("an account is listed before it is opened, and not opened where it cannot be listed", async (t) => {
    const { index } = await open(t);
    const ledger = createMemoryLedger();
    const order = { account: "acc_000000000000", freeCall: "open", now: START } as const;
    const down = async () => Promise.reject(new Error("The list is away"));
    await assert.rejects(indexedLedger(ledger, { record: down }).openAccount(order), /away/);
    assert.equal((await ledger.audit({ now: START })).accounts, 0);
    const dead = { ...ledger, openAccount: down };
    await assert.rejects(indexedLedger(dead, index).openAccount(order), /away/);
    assert.equal((await index.list({ after: null, max: 9 })).length, 1);
    const { opened } = await indexedLedger(ledger, index).openAccount(order);
    assert.equal(opened, true);
    assert.equal((await index.list({ after: null, max: 9 })).length, 1);
  });
}
