import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { NotCarriedOut, OrderRejected } from "#ledger/port.ts";
import { LEDGER_TIMEOUT_MS, WHOLE_ACCOUNT_TIMEOUT_MS } from "#limits.ts";
import {
  callLedgerOfObjects,
  ledgerOfObjects,
  reversalsOfObjects,
} from "#stores/durable-object/ledger.ts";
import type { LedgerStub } from "#stores/durable-object/rpc.ts";

/** How a Worker handles the errors that the platform throws between it and an object. */

type Flags = { retryable?: true; overloaded?: true; remote?: true; durableObjectReset?: true };
const platform = (properties: Flags) =>
  Object.assign(new Error("Network connection lost."), properties);
const moved = () => Promise.reject(platform({ retryable: true }));
const overloaded = () => Promise.reject(platform({ retryable: true, overloaded: true }));
const broken = () => Promise.reject(platform({ remote: true }));
const hanging = () => new Promise<never>(() => {});
const ANSWER = { outcome: { outcome: "debited" } };
const responses = () => Promise.resolve({ value: ANSWER });
const refuses = (kind: string) => () => Promise.resolve({ error: { kind, message: kind } });

const withoutMethod = (method: string) => () =>
  Promise.reject(new TypeError(`The RPC receiver does not implement the method "${method}".`));

/** An object that runs one step after the other. Every stub is used once. */
function openFixture(...steps: (() => Promise<unknown>)[]) {
  const orders: unknown[] = [];
  let stubs = 0;
  const told: string[] = [];
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
    told,
    debit: () =>
      callLedgerOfObjects(find, 5, ({ message }) => told.push(message)).debit(
        order as never,
        false,
      ),
    end: (way: "settle" | "release") => callLedgerOfObjects(find, 5)[way](order as never),
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
    assert.equal(await fixture[way](), ANSWER);
    assert.deepEqual(fixture.orders, [fixture.order, fixture.order, fixture.order]);
    assert.equal(fixture.stubs(), 3);
  });

  test(`an object that was reset, for example by new code, gets the same order again: ${way}`, async () => {
    const fixture = openFixture(
      () => Promise.reject(platform({ durableObjectReset: true })),
      responses,
    );
    assert.equal(await fixture[way](), ANSWER);
    assert.equal(fixture.orders.length, 2);
  });

  test(`an object of a release without the method carried nothing out: ${way}`, async () => {
    const fixture = openFixture(withoutMethod("call"));
    await assert.rejects(fixture[way](), NotCarriedOut);
    assert.equal(fixture.orders.length, 1);
    assert.equal(fixture.told.length, way === "debit" ? 1 : 0);
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

for (const way of ["settle", "release"] as const) {
  test(`what ends a held call is sent again while its account is exported, for a while: ${way}`, async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
    const held = refuses("not_carried_out");
    const fixture = openFixture(held, held, held, responses);
    const ended = await byTheClock(t, fixture.end(way), 10_000);
    assert.deepEqual([ended?.value, fixture.orders.length], [ANSWER, 4]);
    const endless = openFixture(...Array.from({ length: 100 }, () => held));
    const asked = endless.end(way);
    assert.equal(await byTheClock(t, asked, 14_000), undefined);
    assert.ok((await byTheClock(t, asked, 3_000))?.error instanceof NotCarriedOut);
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

test("an outcome that this release does not know means that nothing was debited, and is reported", async () => {
  const unknown = () => Promise.resolve({ value: { outcome: { outcome: "on_hold" }, rate: null } });
  const fixture = openFixture(unknown);
  await assert.rejects(fixture.debit(), NotCarriedOut);
  assert.equal(fixture.told.length, 1);
  assert.match(fixture.told[0] ?? "", /does not know the outcome on_hold/);
  const late = openFixture(moved, unknown);
  await assert.rejects(late.debit(), (error) => !(error instanceof NotCarriedOut));
});

test("reversals of an account are one request, and each has a result of its own", async () => {
  const sent: unknown[] = [];
  const performAll = async (items: readonly unknown[]) => {
    sent.push(items);
    return [{ value: { reversed: true } }, { error: { kind: "unknown" as const, message: "no" } }];
  };
  const reverseAll = reversalsOfObjects(() => ({ performAll }));
  const orders = ["call_1", "call_2"].map((callId) => ({
    ...{ account: "acc_Ada", callId, at: 1, now: 2 },
  }));
  const [first, second] = await reverseAll("acc_Ada", orders);
  assert.deepEqual(first, { reversed: true });
  assert.ok(second instanceof Error && !(second instanceof NotCarriedOut));
  assert.deepEqual(sent, [orders.map((order) => ["reverse", order])]);
});
