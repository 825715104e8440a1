import assert from "node:assert/strict";
import { IDEMPOTENCY_KEPT_MS } from "#limits.ts";
import {
  accountId,
  assertTotals,
  createRule,
  DAY,
  type Fixture,
  HOUR,
  idempotency,
  maintainFully,
  type OpenLedger,
  START,
} from "./fixture.ts";

export function describeMaintenance(open: OpenLedger) {
  const test = createRule(open);
  describeRollingUp(test);
  describeForgetting(test);
}

type Rule = ReturnType<typeof createRule>;

/** Twenty debits of three accounts over five hours, every seventh of them reversed. */
async function manyCalls(fixture: Fixture) {
  const accounts: string[] = [];
  for (const name of ["Ada", "Bob", "Cid"])
    accounts.push(await fixture.account(name, { freeCall: "open", credits: 100 }));
  for (let call = 0; call < 20; call += 1) {
    const account = accounts[call % 3] as string;
    const order = fixture.debitOrder(account, {
      now: START + ((call * 7) % 20) * (HOUR / 4),
      tool: call % 2 === 0 ? "hash" : "uuid",
    });
    await fixture.ledger.debit(order);
    if (call % 7 === 0) await fixture.reverse(order);
  }
}

async function sumAll(fixture: Fixture, name: string, max: number) {
  while ((await fixture.sumUsage({ account: accountId(name), max })).more);
}

function describeRollingUp(test: Rule) {
  for (const rowsMax of [1, 7, 1000])
    test(`rolling up ${rowsMax} rows at a time keeps usage and totals unchanged at every step`, async (fixture) => {
      await manyCalls(fixture);
      // Where debits are summed before they are rolled up, their sums go with them.
      if (rowsMax !== 7) for (const account of ["Ada", "Bob"]) await sumAll(fixture, account, 4);
      const [usage, totals] = [await fixture.usage(), await fixture.totals()];
      const order = { now: START + DAY - 1, rollUpBefore: START + DAY - 1, rowsMax };
      const round = await maintainFully(fixture.ledger, order, async (step) => {
        assert.ok(step.rolledUp + step.forgotten <= rowsMax, "no call waits long behind a step");
        assert.deepEqual(await fixture.usage(), usage);
        assert.deepEqual((await assertTotals(fixture.ledger, START)).totals, totals);
      });
      assert.equal(round.rolledUp, 20);
      const again = await maintainFully(fixture.ledger, order);
      assert.equal(again.rolledUp, 0, "a debit is rolled up once");
      assert.deepEqual(await fixture.usage(), usage);
    });

  test("only debits that were made before rollUpBefore are rolled up", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 9 });
    const orders = [START - 1, START, START + 1].map((now) => fixture.debitOrder(account, { now }));
    for (const order of orders) await fixture.ledger.debit(order);
    const order = { now: START + DAY, rollUpBefore: START, rowsMax: 100 };
    assert.equal((await maintainFully(fixture.ledger, order)).rolledUp, 1);
    // Debits that are kept one by one can still be reversed.
    for (const each of orders.slice(1))
      assert.deepEqual(await fixture.reverse(each, START + DAY), { reversed: true });
    assert.equal(await fixture.balance(account), 8);
  });

  test("a rolled-up debit can no longer be reversed", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 9 });
    const order = fixture.debitOrder(account);
    await fixture.ledger.debit(order);
    await fixture.rollUp(START + 1);
    assert.deepEqual(await fixture.reverse(order), { reversed: false });
    assert.equal(await fixture.balance(account), 8);
  });

  test("debits of a partly rolled-up hour are added to its sum later", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 9 });
    for (const minute of [0, 1, 2]) {
      await fixture.debit(account, { now: START + minute });
      await fixture.rollUp(START + minute + 1);
    }
    await fixture.debit(account, { now: START + 3 });
    assert.deepEqual(
      (await fixture.usage()).map(({ calls, credits }) => [calls, credits]),
      [[4, 4]],
    );
  });
}

function describeForgetting(test: Rule) {
  const repeated = async (fixture: Fixture, account: string, key: string, now: number) =>
    (await fixture.debit(account, { idempotency: idempotency(key), now })).outcome;

  test("idempotency records are deleted after 24 hours, not before", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 9 });
    for (const [index, key] of ["one", "two", "three"].entries())
      await fixture.debit(account, { idempotency: idempotency(key), now: START + index * HOUR });
    const forgottenAt = async (now: number) =>
      (await maintainFully(fixture.ledger, { now, rollUpBefore: 0, rowsMax: 9 })).forgotten;
    const end = START + IDEMPOTENCY_KEPT_MS;
    assert.equal(await forgottenAt(end - 1), 0);
    assert.equal(await repeated(fixture, account, "one", end - 1), "replayed");
    assert.equal(await forgottenAt(end + HOUR + 1), 2);
    assert.equal(await forgottenAt(end + HOUR + 1), 0);
    assert.equal(await repeated(fixture, account, "three", end + HOUR + 1), "replayed");
    assert.equal(await repeated(fixture, account, "one", end + HOUR + 1), "debited");
  });

  test("idempotency records are deleted in steps of at most rowsMax rows", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 99 });
    for (let call = 0; call < 20; call += 1)
      await fixture.debit(account, { idempotency: idempotency(`key-${call}`) });
    const order = { now: START + 2 * DAY, rollUpBefore: START + 1, rowsMax: 3 };
    let forgotten = 0;
    // One round may leave some of them for the next: what counts is that a step stays small.
    for (let round = 0; round < 20 && forgotten < 20; round += 1)
      forgotten += (
        await maintainFully(fixture.ledger, order, async (step) =>
          assert.ok(step.rolledUp + step.forgotten <= 3),
        )
      ).forgotten;
    assert.equal(forgotten, 20);
    assert.equal((await fixture.usage())[0]?.calls, 20);
  });

  test("a rolled-up call is still replayed from its record", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 9 });
    await fixture.debit(account, { idempotency: idempotency("kept") });
    await fixture.rollUp(START + 1, { now: START + 1 });
    assert.equal(await repeated(fixture, account, "kept", START + 1), "replayed");
    assert.equal((await fixture.usage())[0]?.calls, 1);
  });

  test("an idempotency key that is used again after 24 hours survives the deletion of its first record", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 9 });
    const later = START + IDEMPOTENCY_KEPT_MS;
    await fixture.debit(account, { idempotency: idempotency("kept") });
    await fixture.debit(account, { idempotency: idempotency("kept"), now: later });
    await fixture.rollUp(later, { now: later + HOUR });
    assert.equal(await repeated(fixture, account, "kept", later + HOUR), "replayed");
  });
}
