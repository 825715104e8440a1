/** The specification of the list of accounts, and of that of operators' acts, to be held by every store. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { type AccountIndex, type IndexedAccount, indexedLedger } from "#accounts/account-index.ts";
import { ACT_TEXT_CHARS_MAX, ACTS_KEPT, type OperatorActs } from "#operator/acts.ts";
import { type SqlDatabase, sql } from "#stores/sql/sql-database.ts";
import { createMemoryLedger } from "../memory-ledger.ts";

/** `db`: where both are kept. */
export type OpenAccountIndex = (
  t: TestContext,
) => Promise<{ index: AccountIndex; acts: OperatorActs; db: SqlDatabase }>;

const START = Date.UTC(2026, 10, 21, 12);

export function accountIndexContract(name: string, open: OpenAccountIndex): void {
  describe(`the list of accounts, ${name}`, () => describeIndex(open));
  describe(`the acts of operators, ${name}`, () => describeActs(open));
}

/** Out of order, with several of one moment: what a page ends with may be in the middle of them. */
const ACCOUNTS: IndexedAccount[] = [
  { account: "acc_B", createdAt: START },
  { account: "acc_b", createdAt: START },
  { account: "acc_a", createdAt: START },
  { account: "acc_z", createdAt: START - 5 },
  { account: "acc_A", createdAt: START + 5 },
];
const IN_ORDER = ["acc_z", "acc_B", "acc_a", "acc_b", "acc_A"];

function describeIndex(open: OpenAccountIndex) {
  test("accounts are listed by their age, page by page, each once", async (t) => {
    const { index } = await open(t);
    assert.deepEqual(await index.list({ after: null, max: 9 }), []);
    for (const { account, createdAt } of ACCOUNTS) await index.note({ account, now: createdAt });
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

  test("an account noted again, or by many at once, is listed once with its first time", async (t) => {
    const { index } = await open(t);
    await index.note({ account: "acc_a", now: START });
    await Promise.all(
      Array.from({ length: 20 }, (_, each) => index.note({ account: "acc_a", now: START + each })),
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
    await assert.rejects(indexedLedger(ledger, { note: down }).openAccount(order), /away/);
    assert.equal((await ledger.audit({ now: START })).accounts, 0);
    const dead = { ...ledger, openAccount: down };
    await assert.rejects(indexedLedger(dead, index).openAccount(order), /away/);
    assert.equal((await index.list({ after: null, max: 9 })).length, 1);
    const { opened } = await indexedLedger(ledger, index).openAccount(order);
    assert.equal(opened, true);
    assert.equal((await index.list({ after: null, max: 9 })).length, 1);
  });
}

function describeActs(open: OpenAccountIndex) {
  const act = (at: number) => ({
    ...{
      at,
      by: "ada",
      act: "grant",
      subject: "acc_a",
      outcome: "granted",
      address: "2001:db8::1",
    },
  });

  test("acts are listed newest first, page by page, also while others come", async (t) => {
    const { acts } = await open(t);
    for (let turn = 0; turn < 7; turn += 1) await acts.record(act(START + turn));
    const seen: number[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<OperatorActs["list"]>> = await acts.list({ after, max: 3 });
      seen.push(...page.acts.map(({ at }) => at - START));
      await acts.record(act(START + 100));
      after = page.next;
    } while (after !== null);
    assert.deepEqual(seen, [6, 5, 4, 3, 2, 1, 0]);
  });

  test("acts beyond the bound go, the oldest first", async (t) => {
    const { acts, db } = await open(t);
    for (let turn = 1; turn <= 3; turn += 1) await acts.record(act(turn));
    // As if there were nearly so many: the acts are numbered.
    await db.batch([
      sql`INSERT INTO operator_act (no, at, operator, act, outcome) VALUES (${ACTS_KEPT}, 4, 'ada', 'grant', 'granted')`,
    ]);
    for (const [noted, kept] of [
      [5, [5, 4, 3, 2]],
      [6, [6, 5, 4, 3]],
    ] as const) {
      await acts.record(act(noted));
      const listed = await acts.list({ after: null, max: 9 });
      assert.deepEqual(
        listed.acts.map(({ at }) => at),
        kept,
      );
    }
  });

  test("an act is listed as it was noted, its texts cut to their bound", async (t) => {
    const { acts } = await open(t);
    const bare = {
      ...{ at: START, by: "ada", act: "audit" },
      ...{ subject: null, outcome: "held", address: null },
    };
    await acts.record(bare);
    const long = "x".repeat(100_000);
    await acts.record({ ...bare, act: long, subject: long, outcome: long });
    const listed = (await acts.list({ after: null, max: 9 })).acts;
    const cut = long.slice(0, ACT_TEXT_CHARS_MAX);
    assert.deepEqual(
      listed.map(({ id: _, ...rest }) => rest),
      [{ ...bare, act: cut, subject: cut, outcome: cut }, bare],
    );
  });
}
