import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountDeps, closeAccount, openAccount } from "#accounts/accounts.ts";
import { createDemoAccount, DEMO_EMAIL } from "#apps/node/demo-account.ts";
import { hashKey, random } from "#apps/node/runtime.ts";
import { newAccountId } from "#ids.ts";
import { isEmptyOrUnfinished } from "#stores/sql/directory.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { openSqliteDirect } from "../../support/sqlite-direct.ts";

/** The demo account is created once: on empty data, or where an earlier start was interrupted. */
const NOW = Date.UTC(2026, 0, 2);
const STARTER = { credits: 100, days: 90 };

async function grantStarter(accountDeps: AccountDeps): Promise<void> {
  const { account } = await openAccount(accountDeps, DEMO_EMAIL, NOW);
  const grant = { account, id: `starter:${account}`, kind: "starter", amount: 100 } as const;
  await accountDeps.ledger.grant({ ...grant, expiresAt: NOW + 1e9, now: NOW });
}

const STATES: [
  state: string,
  act: (accountDeps: AccountDeps) => Promise<unknown>,
  wants: boolean,
][] = [
  ["nothing has happened", async () => {}, true],
  [
    "the address was registered, but not the account",
    ({ directory }) =>
      directory.register({ email: DEMO_EMAIL, account: newAccountId(random), createdAt: NOW }),
    true,
  ],
  [
    "the account was opened, but no key created",
    (accountDeps) => openAccount(accountDeps, DEMO_EMAIL, NOW),
    true,
  ],
  ["the credits were granted, but no key created", grantStarter, true],
  [
    "the operator has created an account",
    (accountDeps) => openAccount(accountDeps, "you@example.com", NOW),
    false,
  ],
  [
    "the demo account was closed",
    async (accountDeps) => {
      await createDemoAccount(accountDeps, STARTER, NOW);
      await closeAccount(accountDeps, DEMO_EMAIL, NOW);
    },
    false,
  ],
  [
    "an unfinished demo account was closed",
    async (accountDeps) => {
      await openAccount(accountDeps, DEMO_EMAIL, NOW);
      await closeAccount(accountDeps, DEMO_EMAIL, NOW);
    },
    false,
  ],
];

for (const [state, act, wants] of STATES) {
  test(`a start ${wants ? "creates" : "does not create"} a demo account when ${state}`, async () => {
    const driver = openNodeSqlite(":memory:");
    const accountDeps = {
      ...openSqliteDirect(driver),
      secrets: ["a secret"],
      keyPrefix: "tb_",
      random,
      hashKey,
    };
    await act(accountDeps);
    assert.equal(await isEmptyOrUnfinished(createSqliteDatabase(driver), DEMO_EMAIL), wants);
    if (wants) {
      assert.match(await createDemoAccount(accountDeps, STARTER, NOW), /^tb_/);
      assert.equal(
        await isEmptyOrUnfinished(createSqliteDatabase(driver), DEMO_EMAIL),
        false,
        "the next start",
      );
      const { accounts, totals, faults } = await accountDeps.ledger.audit({ now: NOW });
      assert.deepEqual([accounts, totals.granted, faults], [1, 100, []]);
    }
    driver.close();
  });
}
