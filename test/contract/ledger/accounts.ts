import assert from "node:assert/strict";
import { LOW_BALANCE_DEFAULT } from "#limits.ts";
import {
  accountId,
  createRule,
  DAY,
  debited,
  FOUND,
  MINUTE,
  NOT_FOUND,
  type OpenLedger,
  START,
} from "./fixture.ts";

export function describeAccounts(open: OpenLedger) {
  const test = createRule(open);

  test("an account is opened once; opening it again changes nothing", async ({ ledger }) => {
    const account = accountId("Ada");
    assert.deepEqual(await ledger.openAccount({ account, freeCall: "open", now: START }), {
      opened: true,
    });
    assert.deepEqual(
      await ledger.openAccount({ account, freeCall: "withheld", now: START + DAY }),
      { opened: false },
    );
    assert.deepEqual(await ledger.findAccount({ account, now: START + DAY }), {
      account,
      state: "open",
      createdAt: START,
      freeCall: "open",
      balance: 0,
      held: 0,
      lifetime: false,
      lowBalance: LOW_BALANCE_DEFAULT,
      prices: {},
    });
  });

  test("no operation finds an account that was never opened", async ({ ledger, ...fixture }) => {
    const account = accountId("Nobody");
    const order = { account, now: START };
    assert.equal(await ledger.findAccount(order), null);
    for (const state of ["suspended", "open", "closed"] as const)
      assert.deepEqual(await ledger.changeAccount({ ...order, state }), NOT_FOUND);
    assert.deepEqual(await ledger.credits(order), {
      balance: 0,
      held: 0,
      lifetime: false,
      nextExpiry: null,
      permanent: 0,
      hasGrants: false,
      grants: [],
      next: null,
    });
    assert.deepEqual(await fixture.sumUsage({ account }), { more: false });
    assert.deepEqual(await ledger.listKeys({ account }), []);
    assert.deepEqual(await ledger.usage({ account, from: 0, to: START + DAY }), []);
    assert.deepEqual(await fixture.createKey(account), { outcome: "no_account" });
    assert.deepEqual(await ledger.revokeKey({ ...order, id: "key_none" }), { found: false });
    assert.deepEqual(await fixture.grant(account, "gift", 5), { outcome: "no_account" });
    assert.deepEqual(await fixture.clawback(account, "gift", 5), { outcome: "no_grant" });
    assert.deepEqual(await ledger.changeAccount({ ...order, lowBalance: 5 }), NOT_FOUND);
    assert.deepEqual(await fixture.debit(account), { outcome: "invalid_key" });
    assert.deepEqual(await ledger.reverse({ ...order, callId: "call_none", at: START }), {
      reversed: false,
    });
    assert.equal(await ledger.findAccount(order), null);
  });

  test("findAccount returns the balance at the requested time", async (fixture) => {
    const account = await fixture.account();
    await fixture.grant(account, "soon", 3, { expiresAt: START + DAY });
    await fixture.grant(account, "kept", 2);
    const find = (now: number) => fixture.ledger.findAccount({ account, now });
    assert.equal((await find(START + DAY - 1))?.balance, 5);
    assert.equal((await find(START + DAY))?.balance, 2);
  });

  test("a suspended account keeps its credits, and its calls are rejected until it is resumed", async (fixture) => {
    const { ledger } = fixture;
    const account = await fixture.account("Ada", { credits: 2 });
    for (const [state, outcome] of [
      ["suspended", { outcome: "account_suspended", balance: 2 }],
      ["open", debited(1, 1)],
    ] as const) {
      assert.deepEqual(await ledger.changeAccount({ account, now: START, state }), FOUND);
      assert.equal((await ledger.findAccount({ account, now: START }))?.state, state);
      assert.deepEqual(await fixture.debit(account), outcome);
    }
  });

  test("closing an account forfeits exactly its spendable credits; closing it again returns the same outcome and forfeits nothing more", async (fixture) => {
    const { ledger } = fixture;
    const account = await fixture.account("Ada", { credits: 5 });
    await fixture.grant(account, "clawed", 9);
    await fixture.clawback(account, "clawed", 4);
    await fixture.grant(account, "short", 7, { expiresAt: START + MINUTE });
    await fixture.debit(account, { now: START + MINUTE });
    const closed = { found: true, forfeited: 4 + 5 };
    for (const now of [START + MINUTE, START + MINUTE, START + 2 * DAY])
      assert.deepEqual(await ledger.changeAccount({ account, now, state: "closed" }), closed);
    const { voided, expired, remaining } = await fixture.totals(START + MINUTE);
    assert.deepEqual({ voided, expired, remaining }, { voided: 13, expired: 7, remaining: 0 });
  });

  test("a grant that is repeated after the account was closed is reported as already granted", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    await fixture.debit(account);
    await fixture.ledger.changeAccount({ account, now: START + 1, state: "closed" });
    const [grant] = (await fixture.ledger.credits({ account, now: START + 1 })).grants;
    assert.equal(grant?.id, "first");
    assert.deepEqual(await fixture.grant(account, "first", 5, { now: START + 2 }), {
      outcome: "already_granted",
      grant,
    });
    assert.deepEqual(await fixture.grant(account, "other", 5), { outcome: "no_account" });
    assert.equal((await fixture.totals(START + 2)).granted, 5);
  });

  test("a closed account stays closed and accepts no orders", async ({ ledger, ...fixture }) => {
    const account = await fixture.account("Ada", { freeCall: "open", credits: 5 });
    const order = { account, now: START };
    await ledger.changeAccount({ ...order, state: "closed" });
    for (const state of ["open", "suspended"] as const)
      assert.deepEqual(await ledger.changeAccount({ ...order, state }), NOT_FOUND);
    assert.deepEqual(await ledger.openAccount({ ...order, freeCall: "open" }), { opened: false });
    assert.deepEqual(await fixture.grant(account, "gift", 5), { outcome: "no_account" });
    assert.deepEqual(await fixture.createKey(account, "other"), { outcome: "no_account" });
    assert.deepEqual(await fixture.debit(account), { outcome: "invalid_key" });
    assert.equal((await ledger.findAccount(order))?.state, "closed");
    assert.equal(await fixture.balance(account), 0);
  });
}
