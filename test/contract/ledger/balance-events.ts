import assert from "node:assert/strict";
import { OrderRejected } from "#ledger/port.ts";
import { GRANT_CREDITS_MAX } from "#limits.ts";
import {
  createRule,
  DAY,
  type Fixture,
  FOUND,
  idempotency,
  NOT_FOUND,
  type OpenLedger,
  START,
  tally,
} from "./fixture.ts";

const low = (balance: number, lowBalance = 20, at = START) =>
  ({ at, kind: "credits.low", balance, lowBalance }) as const;
const depleted = (at = START) => ({ at, kind: "credits.depleted" }) as const;

/** Events about the balance: one per crossing. */
export function describeBalanceEvents(open: OpenLedger) {
  const test = createRule(open);
  describeLevels(test);
  describeThresholds(test);
}

type Rule = ReturnType<typeof createRule>;

/** Levels of the balance. */
function describeLevels(test: Rule) {
  test("only the call that brings the balance below the threshold causes an event", async (fixture) => {
    const account = await funded(fixture, 22);
    await fixture.debit(account, { now: START + 1 });
    await fixture.debit(account, { now: START + 2 });
    assert.deepEqual(await fixture.news(), []);
    await fixture.debit(account, { now: START + 3 });
    await fixture.debit(account, { now: START + 4 });
    assert.deepEqual(await fixture.news(), [low(19, 20, START + 3)]);
  });

  test("the call that takes the last credit causes an event; rejected calls after it do not", async (fixture) => {
    const account = await funded(fixture, 21);
    for (let calls = 0; calls < 25; calls += 1) await fixture.debit(account);
    assert.deepEqual(await fixture.news(), [low(19), depleted()]);
  });

  test("50 concurrent calls cause one event per crossing", async (fixture) => {
    const account = await funded(fixture, 40);
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => fixture.debit(account)));
    assert.deepEqual(tally(outcomes), { debited: 40, insufficient_credits: 10 });
    assert.deepEqual(await fixture.news(), [low(19), depleted()]);
  });

  test("concurrent calls of several accounts cause events of their own account", async (fixture) => {
    const accounts = [];
    for (const name of ["Ada", "Bob", "Cid"]) {
      accounts.push(await fixture.account(name));
      await fixture.grant(accounts.at(-1) as string, "first", 25);
    }
    await fixture.news();
    const [ada = "", bob = "", cid = ""] = accounts;
    const calls = [...Array(30).fill(ada), ...Array(10).fill(bob), ...Array(3).fill(cid)];
    await Promise.all(calls.map((account) => fixture.debit(account)));
    const events = await fixture.ledgerEvents.list({ max: 10 });
    const of = (wanted: string) =>
      events.flatMap(({ account, kind }) => (account === wanted ? [kind] : []));
    assert.deepEqual(of(ada), ["credits.low", "credits.depleted"]);
    assert.deepEqual(of(bob), ["credits.low"]);
    assert.deepEqual(of(cid), []);
  });

  test("after a grant raises the balance, the next crossing causes an event again", async (fixture) => {
    const account = await funded(fixture, 20);
    await fixture.debit(account);
    await fixture.grant(account, "more", 1);
    await fixture.debit(account);
    assert.deepEqual(kindsOf(await fixture.news()), [
      "credits.low",
      "credits.granted",
      "credits.low",
    ]);
    await fixture.grant(account, "few", 1);
    await fixture.debit(account);
    await fixture.debit(account);
    assert.deepEqual(kindsOf(await fixture.news()), ["credits.granted", "credits.low"]);
  });

  test("a reversal that raises the balance causes no event", async (fixture) => {
    const account = await funded(fixture, 20);
    const order = fixture.debitOrder(account);
    await fixture.ledger.debit(order);
    assert.deepEqual(await fixture.news(), [low(19)]);
    await fixture.reverse(order);
    assert.deepEqual(await fixture.news(), []);
    await fixture.debit(account);
    assert.deepEqual(await fixture.news(), [low(19)]);
  });

  test("free calls, replays, rejected calls and repeated orders cause no events", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open" });
    await fixture.grant(account, "first", 20);
    await fixture.news();
    await fixture.debit(account);
    assert.deepEqual(await fixture.news(), []);
    const order = fixture.debitOrder(account, { idempotency: idempotency("once") });
    await fixture.ledger.debit(order);
    assert.deepEqual(await fixture.news(), [low(19)]);
    await fixture.ledger.debit(order);
    await fixture.debit(account, { idempotency: idempotency("once") });
    await fixture.debit(account, { key: "unknown" });
    await fixture.ledger.changeAccount({ account, now: START, state: "suspended" });
    await fixture.debit(account);
    assert.deepEqual(await fixture.news(), []);
  });

  test("the first call after credits expired causes an event with the lower balance", async (fixture) => {
    const account = await funded(fixture, 10);
    await fixture.grant(account, "soon", 40, { expiresAt: START + DAY });
    await fixture.news();
    await fixture.debit(account, { now: START + DAY - 1 });
    assert.deepEqual(await fixture.news(), []);
    await fixture.debit(account, { now: START + DAY });
    assert.deepEqual(await fixture.news(), [low(9, 20, START + DAY)]);
  });
}

/** The threshold of the balance. */
function describeThresholds(test: Rule) {
  for (const lowBalance of [0, 1])
    test(`a threshold of ${lowBalance} causes an event only when the balance is used up`, async (fixture) => {
      const account = await funded(fixture, 3);
      await setLowBalance(fixture, account, lowBalance);
      for (let calls = 0; calls < 4; calls += 1) await fixture.debit(account);
      assert.deepEqual(await fixture.news(), [depleted()]);
    });

  test("the threshold belongs to the account and is returned with it", async (fixture) => {
    const account = await funded(fixture, 30);
    const other = await fixture.account("Bob", { credits: 30 });
    await fixture.news();
    assert.deepEqual(await setLowBalance(fixture, account, 30), FOUND);
    const shown = async (of: string) =>
      (await fixture.ledger.findAccount({ account: of, now: START }))?.lowBalance;
    assert.deepEqual([await shown(account), await shown(other)], [30, 20]);
    await fixture.debit(account);
    await fixture.debit(other);
    assert.deepEqual(await fixture.news(), [low(29, 30)]);
  });

  test("a lowered threshold can be crossed again", async (fixture) => {
    const account = await funded(fixture, 20);
    await fixture.debit(account);
    assert.deepEqual(await fixture.news(), [low(19)]);
    await setLowBalance(fixture, account, 18);
    await fixture.debit(account);
    assert.deepEqual(await fixture.news(), []);
    await fixture.debit(account);
    assert.deepEqual(await fixture.news(), [low(17, 18)]);
  });

  for (const lowBalance of [-1, 1.5, GRANT_CREDITS_MAX + 1])
    test(`a threshold of ${lowBalance} is rejected and changes nothing`, async (fixture) => {
      const account = await fixture.account();
      await assert.rejects(setLowBalance(fixture, account, lowBalance), OrderRejected);
      assert.equal((await fixture.ledger.findAccount({ account, now: START }))?.lowBalance, 20);
      assert.deepEqual(await setLowBalance(fixture, account, GRANT_CREDITS_MAX), FOUND);
    });

  test("the threshold of a closed account cannot be set", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 5 });
    await fixture.ledger.changeAccount({ account, now: START, state: "closed" });
    assert.deepEqual(await setLowBalance(fixture, account, 3), NOT_FOUND);
  });
}

const setLowBalance = (fixture: Fixture, account: string, lowBalance: number) =>
  fixture.ledger.changeAccount({ account, lowBalance, now: START });

const kindsOf = (events: { kind: string }[]) => events.map(({ kind }) => kind);

/** An account whose first events were already taken. */
async function funded(fixture: Fixture, credits: number) {
  const account = await fixture.account();
  if (credits > 0) await fixture.grant(account, "first", credits);
  await fixture.news();
  return account;
}
