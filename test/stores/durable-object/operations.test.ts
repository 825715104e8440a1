import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { NotCarriedOut, OrderRejected } from "#ledger/port.ts";
import { LEDGER_TIMEOUT_MS, WHOLE_ACCOUNT_TIMEOUT_MS } from "#limits.ts";
import {
  callLedgerOfObjects,
  type LedgerStub,
  ledgerOfObjects,
} from "#stores/durable-object/ledger.ts";

/** How a Worker handles the errors that the platform throws between it and an object. */

const platform = (properties: { retryable?: true; overloaded?: true; remote?: true }) =>
  Object.assign(new Error("Network connection lost."), properties);
const moved = () => Promise.reject(platform({ retryable: true }));
const overloaded = () => Promise.reject(platform({ retryable: true, overloaded: true }));
const broken = () => Promise.reject(platform({ remote: true }));
const hanging = () => new Promise<never>(() => {});
const ANSWER = { outcome: { outcome: "insufficient_credits", balance: 0 }, rate: null };
const responses = () => Promise.resolve({ value: ANSWER });
const refuses = (kind: string) => () => Promise.resolve({ error: { kind, message: kind } });

/** An object that runs one step after the other. Every stub is used once. */
function openFixture(...steps: (() => Promise<unknown>)[]) {
  const orders: unknown[] = [];
  let stubs = 0;
  const find = (): LedgerStub => {
    stubs += 1;
    const step = (order: unknown) => {
      orders.push(order);
      return (steps.shift() ?? responses)() as never;
    };
    return { perform: (_, order) => step(order), call: (_, order) => step(order) };
  };
  const order = { account: "acc_Ada", callId: "call_1", at: 1, now: 2 };
  return {
    orders,
    order,
    stubs: () => stubs,
    ledger: ledgerOfObjects(find),
    reverse: () => ledgerOfObjects(find).reverse(order),
    debit: () => callLedgerOfObjects(find, 5).debit(order as never, false),
  };
}

/** The clock advances whenever nothing else is running. */
async function byTheClock(t: TestContext, asked: Promise<unknown>, ms: number) {
  let ended: { value?: unknown; error?: unknown } | undefined;
  void asked.then(
    (value) => {
      ended = { value };
    },
    (error) => {
      ended = { error };
    },
  );
  for (let passed = 0; passed < ms && ended === undefined; passed += 100) {
    await turn();
    t.mock.timers.tick(100);
    await turn();
  }
  await turn();
  return ended;
}

for (const way of ["reverse", "debit"] as const) {
  test(`an object that was moved gets the same order again, over a new stub: ${way}`, async () => {
    const fixture = openFixture(moved, moved, responses);
    assert.deepEqual(await fixture[way](), ANSWER);
    assert.deepEqual(fixture.orders, [fixture.order, fixture.order, fixture.order]);
    assert.equal(fixture.stubs(), 3);
  });

  test(`after three attempts the order fails with an unknown outcome: ${way}`, async () => {
    const fixture = openFixture(moved, moved, moved);
    await assert.rejects(fixture[way](), (error) => !(error instanceof NotCarriedOut));
    assert.equal(fixture.orders.length, 3);
  });

  test(`an order that an overloaded object did not receive is not repeated: ${way}`, async () => {
    const fixture = openFixture(overloaded);
    await assert.rejects(fixture[way](), NotCarriedOut);
    assert.equal(fixture.orders.length, 1);
  });

  test(`the result of a later attempt does not prove that an earlier one was not carried out: ${way}`, async () => {
    for (const later of [overloaded, refuses("not_carried_out")]) {
      const fixture = openFixture(moved, later);
      await assert.rejects(fixture[way](), (error) => !(error instanceof NotCarriedOut));
      assert.equal(fixture.orders.length, 2);
    }
  });

  test(`any other fault is not retried, and the outcome is unknown: ${way}`, async () => {
    for (const fault of [broken, () => Promise.reject(undefined), refuses("unknown")]) {
      const fixture = openFixture(fault);
      await assert.rejects(fixture[way](), (error) => !(error instanceof NotCarriedOut));
      assert.equal(fixture.orders.length, 1);
    }
  });

  test(`an order that the object rejects is not retried: ${way}`, async () => {
    const fixture = openFixture(refuses("rejected"));
    await assert.rejects(fixture[way](), OrderRejected);
    const full = openFixture(refuses("not_carried_out"));
    await assert.rejects(full[way](), NotCarriedOut);
    assert.deepEqual([fixture.orders.length, full.orders.length], [1, 1]);
  });

  test(`an object that hangs fails at the time limit of a ledger: ${way}`, async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const fixture = openFixture(moved, hanging);
    const asked = fixture[way]();
    assert.equal(await byTheClock(t, asked, LEDGER_TIMEOUT_MS - 200), undefined);
    const ended = await byTheClock(t, asked, 1_000);
    assert.match(String(ended?.error), /did not respond in time/);
    assert.ok(!(ended?.error instanceof NotCarriedOut), "it may have been carried out");
    assert.equal(fixture.orders.length, 2);
  });
}

test("a request that fails after the time limit is not repeated", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const late = () =>
    new Promise((_, reject) => {
      setTimeout(reject, LEDGER_TIMEOUT_MS + 1_000, platform({ retryable: true }));
    });
  const fixture = openFixture(late);
  const ended = await byTheClock(t, fixture.debit(), LEDGER_TIMEOUT_MS + 200);
  assert.match(String(ended?.error), /did not respond in time/);
  t.mock.timers.tick(5_000);
  for (let turns = 0; turns < 5; turns += 1) await turn();
  assert.equal(fixture.orders.length, 1);
});

test("an operation on a whole account has a longer time limit", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const slow = (ms: number) => () =>
    new Promise((resolve) => setTimeout(resolve, ms, { value: "the sums" }));
  const ask = (...steps: (() => Promise<unknown>)[]) =>
    openFixture(...steps).ledger.audit({ account: "acc_Ada", now: 1 });
  const taken = await byTheClock(t, ask(slow(20_000)), 21_000);
  assert.equal(taken?.value, "the sums");
  const hung = await byTheClock(t, ask(hanging), WHOLE_ACCOUNT_TIMEOUT_MS + 200);
  assert.match(String(hung?.error), /did not respond in time/);
});
