/** Contract of the account index, for every store that has one. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { AccountIndex, Directory, IndexedAccount } from "#accounts/directory.ts";

/** The index, and the directory in the same database. */
export type OpenAccountIndex = (
  t: TestContext,
) => Promise<{ index: AccountIndex; directory: Directory }>;

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

  test("an address is registered with its account in the list, or not at all", async (t) => {
    const { index, directory } = await open(t);
    const claim = {
      ...{ account: "acc_b", email: "bob@example.com", emailHashes: ["b".repeat(64)] },
      ...{ network: "", isDisposable: false, budgets: { perNetwork: 0, perDay: 0 }, now: START },
    };
    await directory.register({ email: "ada@example.com", account: "acc_a", createdAt: START });
    await directory.claimStarter(claim);
    // The address has an account, which alone is listed.
    await directory.register({ email: "ada@example.com", account: "acc_c", createdAt: START });
    await directory.claimStarter({ ...claim, account: "acc_d" });
    assert.deepEqual(await index.list({ after: null, max: 9 }), [
      { account: "acc_a", createdAt: START },
      { account: "acc_b", createdAt: START },
    ]);
  });
}
