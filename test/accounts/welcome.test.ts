/** Where the account of a new user lives, if the link of the email is opened more than once. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createDisposableEmail } from "#accounts/disposable-email.ts";
import { welcome } from "#accounts/welcome.ts";
import { hashKey } from "#apps/node/runtime.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import { atLocation, type Placement, placementOf } from "#placement.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";

function open() {
  const driver = openNodeSqlite(":memory:");
  const { ledger, directory } = openSqliteDirect(driver);
  const random = (count: number) => randomBytes(count);
  const deps = { ledger, directory, secrets: ["a secret of a test"], random, hashKey };
  const starterPolicy = {
    budgets: { perNetwork: 0, perDay: 0 },
    disposable: createDisposableEmail("allow", async () => []),
    onBudgetExhausted() {},
  };
  const user = { id: "user", email: "ada@example.com", network: null };
  const now = Date.now();
  return {
    deps,
    close: () => driver.close(),
    visit: (placement: Placement, given = deps) =>
      welcome(given, user, { starter: { credits: 100, days: 90 }, starterPolicy, placement }, now),
    balanceOf: async (account: string) => (await ledger.findAccount({ account, now }))?.balance,
  };
}

test("an account keeps its place when the link is opened again from elsewhere", async (t) => {
  const { visit, balanceOf, close } = open();
  t.after(close);
  const account = await visit(atLocation("apac"));
  assert.equal(placementOf(account)?.location, "apac");
  assert.equal(await visit(atLocation("weur")), account);
  assert.equal(await balanceOf(account), 100);
});

test("a sign-up that was interrupted is completed where it began", async (t) => {
  const { visit, deps, balanceOf, close } = open();
  t.after(close);
  const openAccount = () => Promise.reject(new NotCarriedOut("interrupted"));
  const broken = { ...deps, ledger: { ...deps.ledger, openAccount } };
  await assert.rejects(visit(atLocation("apac"), broken), NotCarriedOut);
  const account = await visit(atLocation("weur"));
  assert.equal(placementOf(account)?.location, "apac");
  assert.equal(await balanceOf(account), 100);
});

test("two places at once open one account", async (t) => {
  const { visit, balanceOf, close } = open();
  t.after(close);
  const [one, other] = await Promise.all([visit(atLocation("apac")), visit(atLocation("weur"))]);
  assert.equal(one, other);
  assert.equal(await balanceOf(one), 100);
});

test("a user takes over the account that the operator created, with its place", async (t) => {
  const { visit, deps, close } = open();
  t.after(close);
  const made = { email: "ada@example.com", account: "acc_Ada00000000g", createdAt: 0 };
  await deps.directory.register(made);
  assert.equal(await visit(atLocation("weur")), made.account);
});
