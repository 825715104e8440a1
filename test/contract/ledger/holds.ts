import assert from "node:assert/strict";
import type { HoldOrder, KeyLimits, OnCrash, SettleOrder } from "#ledger/port.ts";
import { IDEMPOTENCY_KEPT_MS } from "#limits.ts";
import {
  allEntries,
  createRule,
  DAY,
  type Fixture,
  keyId,
  keySha256,
  MINUTE,
  maintainFully,
  type OpenLedger,
  START,
  sha256,
} from "./fixture.ts";

export const LEASE = 20_000;

type Hold = Partial<Omit<HoldOrder, "account" | "idempotency">> & {
  /** The idempotency key and the body. */
  once?: [key: string, body?: string];
  keptBytesMax?: number;
};

/** Holds of an account, and what becomes of them. */
export function holding(fixture: Fixture) {
  const { ledger, debitOrder } = fixture;
  const orderOf = (account: string, { once, keptBytesMax = 1000, ...changes }: Hold = {}) => {
    const { idempotency: _, ...call } = debitOrder(account, {
      credits: 10,
      tool: "look",
      ...changes,
    });
    const order: HoldOrder = {
      ...{ ...call, freeCallCredits: 0, ...changes, leaseMs: changes.leaseMs ?? LEASE },
      onCrash: changes.onCrash ?? "release",
      idempotency:
        once === undefined
          ? null
          : { key: once[0], bodySha256: sha256(once[1] ?? "body"), keptBytesMax },
    };
    return order;
  };
  const settlementOf = (
    order: HoldOrder,
    changes: Partial<SettleOrder> & { response?: string } = {},
  ) => {
    const { leaseMs: _, onCrash: __, idempotency, ...call } = order;
    const { response = "the response", ...others } = changes;
    const kept = idempotency && {
      ...{ key: idempotency.key, bodySha256: idempotency.bodySha256, response },
    };
    return { ...call, at: order.now, now: order.now + 1, idempotency: kept, ...others };
  };
  return {
    orderOf,
    hold: (account: string, changes?: Hold) => ledger.hold(orderOf(account, changes)),
    settle: (order: HoldOrder, changes?: Parameters<typeof settlementOf>[1]) =>
      ledger.settle(settlementOf(order, changes)),
    release: (
      { account, callId, now: at }: HoldOrder,
      key: "free" | "unknown" = "free",
      now = at + 1,
    ) => ledger.release({ account, callId, at, key, now }),
    renew: ({ account, callId, now: at }: HoldOrder, now: number) =>
      ledger.renew({ account, callId, at, now }),
    /** Ends the holds that are due at this time. */
    expire: (account: string, now: number) => ledger.expireHolds({ account, now, max: 100 }),
    /** The lease runs out, and so does its extension. */
    async lapse(order: HoldOrder, from = order.now) {
      const { account } = order;
      await ledger.expireHolds({ account, now: from + LEASE, max: 100 });
      return ledger.expireHolds({ account, now: from + 2 * LEASE, max: 100 });
    },
    async state(account: string, now = START + 1) {
      const { balance, held } = await ledger.credits({ account, now });
      return { balance, held };
    },
  };
}

const held = (credits: number, balance: number) => ({ outcome: "held", credits, balance });
const settled = (charged: number, balance: number) => ({ outcome: "settled", charged, balance });
const BUDGET: KeyLimits = {
  ...{ expiresAt: null, tools: null, networks: null, rate: null },
  budgets: { total: 15, month: null, day: null },
};

const FEBRUARY = Date.UTC(2026, 1, 1);
const MARCH = Date.UTC(2026, 2, 1);

export function describeHolds(open: OpenLedger) {
  const test = createRule(open);

  test("a hold takes its price from the balance, and settling it makes one entry at the time of the hold", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 25 });
    const { orderOf, settle, state } = holding(fixture);
    const order = orderOf(account);
    assert.deepEqual(await fixture.ledger.hold(order), held(10, 15));
    assert.deepEqual(await state(account), { balance: 15, held: 10 });
    assert.equal((await fixture.ledger.findAccount({ account, now: START }))?.held, 10);
    assert.equal((await fixture.totals()).held, 10);
    const { callId } = order;
    const find = () => fixture.ledger.findCall({ account, callId, at: START });
    const key = keyId(account);
    const running = { outcome: "held", key, tool: "look", credits: 10, isFree: false };
    assert.deepEqual(await find(), running);
    const before = await allEntries(fixture.ledger, account, START + MINUTE);
    assert.deepEqual(
      before.map(({ kind }) => kind),
      ["grant"],
    );
    assert.deepEqual(await settle(order, { now: START + MINUTE }), settled(10, 15));
    assert.equal((await find()).outcome, "found");
    assert.deepEqual(await state(account), { balance: 15, held: 0 });
    const [entry] = await allEntries(fixture.ledger, account, START + MINUTE);
    assert.equal(entry?.kind, "debit");
    assert.equal(entry?.at, START);
    assert.equal(entry?.credits, -10);
  });

  test("settling for less gives the rest back, last to the grant that is spent first", async (fixture) => {
    const account = await fixture.account();
    await fixture.grant(account, "soon", 4, { expiresAt: START + DAY });
    await fixture.grant(account, "later", 20, { expiresAt: START + 2 * DAY });
    const { orderOf, settle, state } = holding(fixture);
    const order = orderOf(account);
    await fixture.ledger.hold(order);
    assert.deepEqual(await fixture.remaining(account), { later: 14, soon: 0 });
    assert.deepEqual(await settle(order, { credits: 6 }), settled(6, 18));
    assert.deepEqual(await fixture.remaining(account), { later: 18, soon: 0 });
    const [entry] = await allEntries(fixture.ledger, account, START + 1);
    assert.deepEqual(
      entry?.parts?.map(({ grant, credits }) => [grant.id, credits]),
      [
        ["soon", -4],
        ["later", -2],
      ],
    );
    const next = orderOf(account);
    await fixture.ledger.hold(next);
    assert.deepEqual(await settle(next, { credits: 0 }), settled(0, 18));
    assert.deepEqual(await state(account), { balance: 18, held: 0 });
  });

  test("a settlement never debits more than is held", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    const { orderOf, settle } = holding(fixture);
    const order = orderOf(account);
    await fixture.ledger.hold(order);
    assert.deepEqual(await settle(order, { credits: 50 }), settled(10, 90));
  });

  test("a released hold gives all back, and its key is free again", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 10 });
    const { orderOf, hold, release, state } = holding(fixture);
    const order = orderOf(account, { once: ["one"] });
    await fixture.ledger.hold(order);
    assert.deepEqual(await release(order), { released: true });
    assert.deepEqual(await state(account), { balance: 10, held: 0 });
    assert.deepEqual(await release(order), { released: false });
    assert.deepEqual(await hold(account, { once: ["one", "another"] }), held(10, 0));
  });

  test("with balance 9 and price 10, none of 50 calls is held; with balance 10, exactly one", async (fixture) => {
    const [poor, rich] = [
      await fixture.account("Ada", { credits: 9 }),
      await fixture.account("Bob", { credits: 10 }),
    ];
    const { orderOf } = holding(fixture);
    const many = (account: string) =>
      Promise.all(Array.from({ length: 50 }, () => fixture.ledger.hold(orderOf(account))));
    for (const outcome of await many(poor))
      assert.deepEqual(outcome, { outcome: "insufficient_credits", balance: 9 });
    const outcomes = await many(rich);
    assert.equal(outcomes.filter(({ outcome }) => outcome === "held").length, 1);
    for (const outcome of outcomes)
      if (outcome.outcome !== "held")
        assert.deepEqual(outcome, { outcome: "insufficient_credits", balance: 0, heldCredits: 10 });
  });

  test("a call that is rejected for its balance is told what running calls hold", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 12 });
    const { hold } = holding(fixture);
    await hold(account);
    const poor = { outcome: "insufficient_credits", balance: 2, heldCredits: 10 };
    assert.deepEqual(await hold(account), poor);
    assert.deepEqual(await fixture.debit(account, { credits: 3 }), poor);
    const { account: _, ...asked } = { ...fixture.debitOrder(account), credits: 3 };
    const status = await fixture.ledger.keyStatus({
      account,
      keySha256: asked.keySha256,
      now: START,
      credits: 3,
    });
    assert.deepEqual(status, { outcome: "good", balance: 2, freeCall: false, heldCredits: 10 });
  });

  test("held credits count as spent in the budgets of the key until they come back", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    await fixture.createKey(account, "bounded", START, BUDGET);
    const { orderOf, settle, hold } = holding(fixture);
    const { keySha256 } = fixture.debitOrder(account, { key: "bounded" });
    const order = orderOf(account, { keySha256 });
    await fixture.ledger.hold(order);
    assert.equal((await hold(account, { keySha256 })).outcome, "key_budget_exhausted");
    await settle(order, { credits: 5 });
    assert.deepEqual(await hold(account, { keySha256 }), held(10, 85));
    assert.equal((await hold(account, { keySha256, credits: 1 })).outcome, "key_budget_exhausted");
  });

  test("a budget that a busy key has just got gets back what its calls do not cost", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    const { orderOf, settle } = holding(fixture);
    await fixture.debit(account);
    const change = { account, id: keyId(account), limits: BUDGET, now: START + 1_000 };
    assert.deepEqual(await fixture.ledger.changeKey(change), { found: true });
    const order = orderOf(account, { now: START + 2_000 });
    await fixture.ledger.hold(order);
    await settle(order, { credits: 1 });
    const [key] = await fixture.ledger.listKeys({ account });
    assert.equal(key?.spent?.total, 1);
  });

  test("a call that is rejected for a budget is told what running calls of its key hold of it", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    const month = { ...BUDGET, budgets: { total: null, month: 15, day: null } };
    await fixture.createKey(account, "bounded", START, month);
    const { orderOf, settle, hold } = holding(fixture);
    const { keySha256 } = fixture.debitOrder(account, { key: "bounded" });
    // Another key's hold is of the balance, and of no budget.
    await hold(account);
    const before = orderOf(account, { keySha256, credits: 4 });
    await fixture.ledger.hold(before);
    await settle(before, { credits: 3 });
    const order = orderOf(account, { keySha256 });
    await fixture.ledger.hold(order);
    const budget = { budget: "month", resetsAt: FEBRUARY, credits: 15, remaining: 2 };
    const told = { ...budget, heldCredits: 10 };
    const exhausted = { outcome: "key_budget_exhausted", balance: 77, ...told };
    assert.deepEqual(await hold(account, { keySha256, credits: 3 }), exhausted);
    assert.deepEqual(
      await fixture.debit(account, { key: "bounded", credits: 3 }),
      exhausted,
      "a call that does not hold",
    );
    const asked = { account, keySha256, now: START, credits: 3 };
    const good = { outcome: "good", balance: 77, freeCall: false };
    assert.deepEqual(await fixture.ledger.keyStatus(asked), { ...good, exhausted: told });
    const later = await hold(account, { keySha256, credits: 16, now: FEBRUARY });
    assert.deepEqual(later, {
      ...{ outcome: "key_budget_exhausted", balance: 77, budget: "month", credits: 15 },
      ...{ resetsAt: MARCH, remaining: 15 },
    });
    await settle(order);
    assert.deepEqual(await hold(account, { keySha256, credits: 3 }), {
      ...{ outcome: "key_budget_exhausted", balance: 77, ...budget },
    });
  });

  test("the free first call is claimed by a hold, and free again when the hold is released or settled with nothing", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open" });
    const { orderOf, settle, release } = holding(fixture);
    const freely = () => orderOf(account, { freeCallCredits: 10 });
    const [first, second, third] = [freely(), freely(), freely()];
    const { ledger } = fixture;
    assert.deepEqual(await ledger.hold(first), held(0, 0));
    assert.equal((await ledger.hold(second)).outcome, "insufficient_credits");
    await release(first);
    assert.deepEqual(await ledger.hold(second), held(0, 0));
    assert.deepEqual(await settle(second, { credits: 0 }), settled(0, 0));
    assert.deepEqual(await ledger.hold(third), held(0, 0));
    assert.deepEqual(await settle(third), settled(0, 0));
    assert.equal((await ledger.hold(freely())).outcome, "insufficient_credits");
  });

  test("a hold that is sent again is made once, and so is its settlement", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    const { orderOf, settle, state } = holding(fixture);
    for (const order of [orderOf(account), orderOf(account, { once: ["one"] })]) {
      const outcomes = await Promise.all([order, order, order].map(fixture.ledger.hold));
      for (const outcome of outcomes) assert.equal(outcome.outcome, "held");
      assert.equal((await state(account)).held, 10);
      const charges = await Promise.all([1, 2, 3].map(() => settle(order)));
      for (const charge of charges) assert.deepEqual(charge, charges[0]);
    }
    assert.deepEqual(await state(account), { balance: 80, held: 0 });
  });

  test("a key is claimed by a running call; its repeat gets the kept response without a charge", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 50 });
    const { orderOf, hold, settle } = holding(fixture);
    const order = orderOf(account, { once: ["one"] });
    await fixture.ledger.hold(order);
    assert.deepEqual(await hold(account, { once: ["one"] }), {
      outcome: "in_progress",
      balance: 40,
    });
    await settle(order, { response: "kept for you" });
    const kept = { outcome: "kept", response: "kept for you", balance: 40 };
    assert.deepEqual(await hold(account, { once: ["one"] }), kept);
    assert.deepEqual(await hold(account, { once: ["one", "another"] }), {
      ...{ outcome: "idempotency_key_reused", balance: 40 },
    });
    assert.equal((await hold(account, { once: ["one"], tool: "other" })).outcome, "held");
    const now = START + IDEMPOTENCY_KEPT_MS;
    assert.deepEqual(await hold(account, { once: ["one"], now: now - 1 }), {
      ...kept,
      balance: 30,
    });
    assert.equal((await hold(account, { once: ["one"], now })).outcome, "held");
  });

  test("an account without credits gets a kept response, and the status of its key says that there is one", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 10 });
    const { orderOf, hold, settle } = holding(fixture);
    const order = orderOf(account, { once: ["one"] });
    await fixture.ledger.hold(order);
    await settle(order);
    assert.equal((await hold(account, { once: ["one"] })).outcome, "kept");
    const { keySha256, tool } = order;
    const asked = { account, keySha256, tool, now: START, idempotencyKey: "one", isHeld: true };
    const status = await fixture.ledger.keyStatus(asked);
    assert.equal(status.outcome === "good" && status.replayable, true);
  });

  test("too much of kept responses is noticed before a call runs, and no longer once they are old", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    const { orderOf, hold, settle } = holding(fixture);
    const order = orderOf(account, { once: ["one"], keptBytesMax: 9 });
    await fixture.ledger.hold(order);
    await settle(order, { response: "0123456789" });
    const outcome = await hold(account, { once: ["two"], keptBytesMax: 9 });
    assert.deepEqual(outcome, { outcome: "too_much_kept", balance: 90 });
    assert.equal((await hold(account, { once: ["one"], keptBytesMax: 9 })).outcome, "kept");
    assert.equal((await hold(account, { once: ["two"], keptBytesMax: 10 })).outcome, "held");
    const now = START + 2 * IDEMPOTENCY_KEPT_MS;
    await maintainFully(fixture.ledger, { now, rollUpBefore: 0, rowsMax: 1 });
    assert.equal((await hold(account, { once: ["three"], keptBytesMax: 0, now })).outcome, "held");
  });

  test("a call whose outcome is unknown does not run again under its key", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 50 });
    const { orderOf, hold, release, lapse, state } = holding(fixture);
    const [failed, crashed] = [
      orderOf(account, { once: ["failed"] }),
      orderOf(account, { once: ["crashed"], onCrash: "unknown" }),
    ];
    await fixture.ledger.hold(failed);
    await release(failed, "unknown");
    await fixture.ledger.hold(crashed);
    assert.deepEqual(await lapse(crashed), { ended: 1, isMore: false });
    assert.deepEqual(await state(account), { balance: 50, held: 0 });
    for (const { callId, now: at, idempotency } of [failed, crashed]) {
      const outcome = await hold(account, { once: [idempotency?.key ?? ""], now: START + MINUTE });
      assert.deepEqual(outcome, { outcome: "outcome_unknown", callId, at, balance: 50 });
    }
  });

  test("a hold ends only after its lease and a whole extension of it, as it says", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    const { orderOf, expire, renew, state, hold } = holding(fixture);
    const kinds: OnCrash[] = ["release", "unknown", "charge"];
    const orders = kinds.map((onCrash) => orderOf(account, { onCrash, once: [onCrash] }));
    for (const order of orders) await fixture.ledger.hold(order);
    const none = { ended: 0, isMore: false };
    assert.deepEqual(await expire(account, START + LEASE - 1), none);
    assert.deepEqual(await expire(account, START + LEASE), none);
    for (const order of orders)
      assert.deepEqual(await renew(order, START + LEASE), { renewed: true });
    assert.deepEqual(await expire(account, START + 2 * LEASE), none, "it was renewed");
    assert.deepEqual(await expire(account, START + 3 * LEASE - 1), none);
    assert.equal((await state(account)).held, 30);
    assert.deepEqual(await expire(account, START + 3 * LEASE), { ended: 3, isMore: false });
    assert.deepEqual(await state(account), { balance: 90, held: 0 });
    const again = await Promise.all(kinds.map((kind) => hold(account, { once: [kind] })));
    assert.deepEqual(
      again.map(({ outcome }) => outcome),
      ["held", "outcome_unknown", "outcome_unknown"],
    );
    assert.deepEqual(await renew(orders[0] as HoldOrder, START + 3 * LEASE), { renewed: false });
  });

  test("many holds end in several steps", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    const { hold } = holding(fixture);
    for (let count = 0; count < 5; count++) await hold(account);
    const step = (now: number) => fixture.ledger.expireHolds({ account, now, max: 2 });
    const steps = [];
    for (let count = 0; count < 8; count++) steps.push(await step(START + 5 * LEASE));
    for (let count = 0; count < 8; count++) steps.push(await step(START + 10 * LEASE));
    assert.equal(
      steps.reduce((sum, { ended }) => sum + ended, 0),
      5,
    );
    assert.equal(steps.at(-1)?.isMore, false);
    assert.equal(await fixture.balance(account), 100);
  });

  test("a call that is settled after its hold has ended is charged anew, or fails without credits", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 20 });
    const { orderOf, lapse, settle, hold, state } = holding(fixture);
    const [late, poor] = [orderOf(account, { once: ["one"] }), orderOf(account, { credits: 20 })];
    await fixture.ledger.hold(late);
    await lapse(late);
    const now = START + MINUTE;
    assert.deepEqual(await settle(late, { now }), { ...settled(10, 10), isLate: true });
    assert.deepEqual(await settle(late, { now }), settled(10, 10), "sent again");
    assert.equal((await hold(account, { once: ["one"], now })).outcome, "kept");
    assert.deepEqual(await settle(poor, { now }), { outcome: "insufficient_credits", balance: 10 });
    assert.deepEqual(await state(account, now), { balance: 10, held: 0 });
  });

  test("a call counts for the day in which it was held, also if it is settled, charged anew or reversed after midnight", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 100 });
    const { orderOf, hold, lapse, settle, release } = holding(fixture);
    const budgets = { day: 10, month: 30, total: 40 };
    await fixture.createKey(account, "own", START, { ...BUDGET, budgets });
    const own = keySha256(account, "own");
    const spent = async () => {
      const keys = await fixture.ledger.listKeys({ account });
      const { day, month, total } =
        keys.find(({ id }) => id === keyId(account, "own"))?.spent ?? {};
      return [day, month, total];
    };
    const midnight = START - (START % DAY) + DAY;
    const late = orderOf(account, { keySha256: own, now: midnight - MINUTE, credits: 6 });
    await fixture.ledger.hold(late);
    await lapse(late);
    const held = orderOf(account, { keySha256: own, now: midnight - 1, credits: 4 });
    await fixture.ledger.hold(held);
    assert.deepEqual(await spent(), [4, 4, 4]);

    const today = { keySha256: own, now: midnight };
    assert.equal((await hold(account, { ...today, credits: 7 })).outcome, "held");
    assert.deepEqual(await spent(), [7, 11, 11], "a new day");
    assert.deepEqual(await settle(held, { now: midnight }), settled(4, 89));
    assert.deepEqual(await spent(), [7, 11, 11]);
    const isLate = { ...settled(6, 83), isLate: true };
    assert.deepEqual(await settle(late, { now: midnight }), isLate, "only 3 are left of today");
    assert.deepEqual(await spent(), [7, 17, 17]);
    for (const order of [late, held]) await fixture.reverse(order, midnight + 1);
    assert.deepEqual(await spent(), [7, 7, 7], "yesterday is over");

    const soon = orderOf(account, { ...today, now: midnight + 2, credits: 3 });
    await fixture.ledger.hold(soon);
    await release(soon);
    assert.equal((await settle(soon, { now: midnight + MINUTE })).outcome, "settled");
    assert.deepEqual(await spent(), [10, 10, 10]);
    await fixture.reverse(soon, midnight + MINUTE);
    assert.deepEqual(await spent(), [7, 7, 7], "on the same day");
  });

  test("a late call does not replace the one that has its key", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 50 });
    const { orderOf, lapse, settle, hold } = holding(fixture);
    const [late, next] = [
      orderOf(account, { once: ["one"] }),
      orderOf(account, { once: ["one"], now: START + MINUTE }),
    ];
    await fixture.ledger.hold(late);
    await lapse(late);
    await fixture.ledger.hold(next);
    const superseded = { outcome: "superseded", balance: 40 };
    assert.deepEqual(await settle(late, { now: START + MINUTE }), superseded);
    await settle(next, { response: "of the second", now: START + MINUTE });
    assert.deepEqual(await settle(late, { now: START + MINUTE }), superseded);
    const kept = await hold(account, { once: ["one"], now: START + MINUTE });
    assert.deepEqual(kept, { outcome: "kept", response: "of the second", balance: 40 });
  });

  test("what a crash has charged keeps its response when that arrives late", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 50 });
    const { orderOf, lapse, settle, hold } = holding(fixture);
    const order = orderOf(account, { once: ["one"], onCrash: "charge" });
    await fixture.ledger.hold(order);
    await lapse(order);
    assert.deepEqual(await settle(order, { credits: 1, now: START + MINUTE }), settled(10, 40));
    assert.equal((await hold(account, { once: ["one"], now: START + MINUTE })).outcome, "kept");
  });

  test("a call that is reversed while it runs gives all back and cannot be settled", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 10 });
    const { orderOf, settle, state } = holding(fixture);
    const order = orderOf(account);
    await fixture.ledger.hold(order);
    const { callId, now: at } = order;
    await fixture.ledger.reverse({ account, callId, at, now: at + 1 });
    assert.deepEqual(await state(account), { balance: 10, held: 0 });
    await assert.rejects(settle(order));
    assert.deepEqual(await state(account), { balance: 10, held: 0 });
  });

  test("a call that is reversed because it has not run leaves its key free, whatever it does", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 10 });
    const { orderOf, hold, state } = holding(fixture);
    const order = orderOf(account, { once: ["one"], onCrash: "unknown" });
    await fixture.ledger.hold(order);
    const { callId, now: at } = order;
    await fixture.ledger.reverse({ account, callId, at, now: at + 1, key: "free" });
    assert.deepEqual(await state(account), { balance: 10, held: 0 });
    const repeat = await hold(account, { once: ["one"], onCrash: "unknown" });
    assert.equal(repeat.outcome, "held");
  });

  test("a settled call that is reversed is a new call under its key, or has an unknown outcome if it may have acted", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 20 });
    const { orderOf, settle, hold } = holding(fixture);
    const { ledger } = fixture;
    const [read, acted] = [
      orderOf(account, { once: ["read"], keptBytesMax: 0 }),
      orderOf(account, { once: ["act"], onCrash: "unknown" }),
    ];
    for (const order of [read, acted]) {
      await ledger.hold(order);
      await settle(order);
      const { callId, now: at } = order;
      const find = () => ledger.findCall({ account, callId, at });
      const before = await find();
      assert.ok(before.outcome === "found" && before.isRepeatable);
      const reverse = () => ledger.reverse({ account, callId, at, now: at + 1 });
      assert.deepEqual(await reverse(), { reversed: true });
      assert.deepEqual(await reverse(), { reversed: false });
      assert.deepEqual(await find(), {
        ...{ ...before, reversedAt: at + 1, isRepeatable: false },
        ...(order === acted && { mayHaveActed: true }),
      });
    }
    assert.equal(await fixture.balance(account), 20);
    // Neither response counts any more.
    assert.deepEqual(await hold(account, { once: ["read"], keptBytesMax: 0 }), held(10, 10));
    const { callId } = acted;
    const repeated = await hold(account, { once: ["act"], onCrash: "unknown", now: START + 1 });
    const unknown = { outcome: "outcome_unknown", callId, balance: 10 };
    assert.ok(repeated.outcome === "outcome_unknown");
    const { at, ...others } = repeated;
    assert.deepEqual(others, unknown);
    assert.ok(at >= START);
  });

  test("a hold that is made after its call was reversed ends uncharged, and leaves its key free", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 10 });
    const { orderOf, hold, lapse, state } = holding(fixture);
    const order = orderOf(account, { once: ["one"], onCrash: "charge" });
    const { callId, now: at } = order;
    const reversed = await fixture.ledger.reverse({ account, callId, at, now: at });
    assert.deepEqual(reversed, { reversed: false });
    await fixture.ledger.hold(order);
    assert.deepEqual(await lapse(order), { ended: 1, isMore: false });
    const now = START + 2 * LEASE;
    assert.deepEqual(await state(account, now), { balance: 10, held: 0 });
    assert.equal((await hold(account, { once: ["one"], now })).outcome, "held");
  });

  test("a call whose outcome is unknown is found as one, and as charged if it was", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 50 });
    const { orderOf, hold, release, lapse } = holding(fixture);
    const [failed, crashed] = [
      orderOf(account, { once: ["failed"], onCrash: "unknown" }),
      orderOf(account, { once: ["crashed"], onCrash: "charge" }),
    ];
    for (const order of [failed, crashed]) await fixture.ledger.hold(order);
    await release(failed, "unknown");
    await lapse(crashed);
    const found = [];
    for (const { idempotency } of [failed, crashed]) {
      const repeat = await hold(account, { once: [idempotency?.key ?? ""], onCrash: "unknown" });
      assert.ok(repeat.outcome === "outcome_unknown");
      const { callId, at } = repeat;
      found.push((await fixture.ledger.findCall({ account, callId, at })).outcome);
    }
    assert.deepEqual(found, ["unknown", "found"]);
  });

  test("credits that come back after their grant has expired are expired", async (fixture) => {
    const account = await fixture.account();
    await fixture.grant(account, "soon", 10, { expiresAt: START + MINUTE });
    const { orderOf, release, state } = holding(fixture);
    const order = orderOf(account);
    await fixture.ledger.hold(order);
    await release(order, "free", START + 2 * MINUTE);
    assert.deepEqual(await state(account, START + 2 * MINUTE), { balance: 0, held: 0 });
    assert.equal((await fixture.totals(START + 2 * MINUTE)).expired, 10);
  });

  test("credits that were clawed back meanwhile are voided as they come back", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 10 });
    const { orderOf, settle, state } = holding(fixture);
    const order = orderOf(account);
    await fixture.ledger.hold(order);
    await fixture.clawback(account, "first", 8);
    assert.deepEqual(await settle(order, { credits: 5 }), settled(5, 0));
    assert.deepEqual(await state(account), { balance: 0, held: 0 });
    assert.equal((await fixture.totals()).voided, 5);
  });

  test("a running call may be settled after its account was closed, and what comes back is voided", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 30 });
    const { orderOf, settle, release } = holding(fixture);
    const [one, other] = [orderOf(account, { once: ["one"] }), orderOf(account)];
    await fixture.ledger.hold(one);
    await fixture.ledger.hold(other);
    await fixture.ledger.changeAccount({ account, state: "closed", now: START });
    assert.deepEqual(await settle(one), settled(10, 0));
    await release(other);
    const { debited, voided, held: left } = await fixture.totals();
    assert.deepEqual({ debited, voided, left }, { debited: 10, voided: 20, left: 0 });
  });

  test("the owner is notified of a low balance when a call is settled, not while it runs", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 25 });
    const { orderOf, settle, release } = holding(fixture);
    await fixture.news();
    const [failing, paid] = [orderOf(account), orderOf(account)];
    await fixture.ledger.hold(failing);
    await release(failing);
    await fixture.ledger.hold(paid);
    assert.deepEqual(await fixture.news(), []);
    await settle(paid);
    assert.deepEqual(
      (await fixture.news()).map(({ kind, at }) => [kind, at]),
      [["credits.low", START + 1]],
    );
  });

  test("an invalid hold or settlement is rejected, and nothing has changed", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 30 });
    const { orderOf, settle, hold, state } = holding(fixture);
    for (const changes of [{ credits: -1 }, { credits: 0.5 }, { leaseMs: 0 }, { leaseMs: DAY }])
      await assert.rejects(hold(account, changes));
    const order = orderOf(account);
    await fixture.ledger.hold(order);
    await assert.rejects(settle(order, { credits: -1 }));
    assert.deepEqual(await state(account), { balance: 20, held: 10 });
    await settle(order);
  });
}
