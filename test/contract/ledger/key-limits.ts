import assert from "node:assert/strict";
import {
  type DebitOutcome,
  type KeyLimits,
  type KeyStatusOrder,
  OrderRejected,
} from "#ledger/port.ts";
import {
  createRule,
  DAY,
  type Fixture,
  HOUR,
  idempotency,
  keyId,
  keySha256,
  MINUTE,
  type OpenLedger,
  START,
  sha256,
} from "./fixture.ts";

const NONE: KeyLimits = {
  ...{ expiresAt: null, tools: null, networks: null, rate: null },
  budgets: { total: null, month: null, day: null },
};
const budget = (budgets: Partial<KeyLimits["budgets"]>): KeyLimits => ({
  ...NONE,
  budgets: { ...NONE.budgets, ...budgets },
});

/** The fixture starts at 10 o'clock on the 15th of January. */
const TOMORROW = START + 14 * HOUR;
const FEBRUARY = Date.UTC(2026, 1, 1);

export function describeKeyLimits(open: OpenLedger) {
  const test = createRule(open);

  /** Another key of the account, with limits. */
  async function limited(fixture: Fixture, limits: KeyLimits, { credits = 100 } = {}) {
    const account = await fixture.account("Ada", { credits });
    assert.deepEqual(await fixture.createKey(account, "own", START, limits), {
      outcome: "created",
    });
    const debit = (changes: Parameters<Fixture["debit"]>[1] = {}) =>
      fixture.debit(account, { key: "own", ...changes });
    const id = keyId(account, "own");
    const listed = async () =>
      (await fixture.ledger.listKeys({ account })).find((key) => key.id === id);
    const limit = (changed: KeyLimits | null, now = START) =>
      fixture.ledger.changeKey({ account, id, limits: changed, now });
    return { account, id, debit, listed, limit, keySha256: keySha256(account, "own") };
  }
  const named = ({ outcome }: DebitOutcome) => outcome;

  test("a key works until the millisecond of its expiry, and then says so", async (fixture) => {
    const expiresAt = START + HOUR;
    const { account, debit, ...key } = await limited(fixture, { ...NONE, expiresAt });
    const expired = { outcome: "key_expired", expiredAt: expiresAt };
    assert.equal(named(await debit({ now: expiresAt - 1 })), "debited");
    assert.deepEqual(await debit({ now: expiresAt }), expired);
    const order = { account, keySha256: key.keySha256, now: expiresAt };
    assert.deepEqual(await fixture.ledger.keyStatus(order), expired);
    assert.equal(named(await fixture.debit(account, { now: expiresAt })), "debited", "another key");
    await fixture.ledger.changeAccount({ account, now: START, state: "suspended" });
    assert.deepEqual(await debit({ now: expiresAt }), expired, "the key is checked first");
    await fixture.ledger.revokeKey({ account, id: key.id, now: START });
    assert.deepEqual(await debit({ now: expiresAt }), { outcome: "invalid_key" });
  });

  test("a key calls only its tools", async (fixture) => {
    const tools = ["hash", "uuid"];
    const { account, debit, keySha256 } = await limited(fixture, { ...NONE, tools });
    const refused = { outcome: "key_not_allowed", balance: 100, limit: "tools", tools };
    assert.deepEqual(await debit({ tool: "echo" }), refused);
    const status = { account, keySha256, now: START };
    assert.deepEqual(await fixture.ledger.keyStatus({ ...status, tool: "echo" }), refused);
    assert.equal((await fixture.ledger.keyStatus(status)).outcome, "good", "no tool is called");
    assert.equal(named(await debit({ tool: "uuid" })), "debited");
    assert.equal(await fixture.balance(account), 99);
  });

  test("the status of a key and a debit name it where asked, and only to one that holds its secret", async (fixture) => {
    const expiresAt = START + HOUR;
    const limits = { ...NONE, tools: ["hash"], expiresAt };
    const { account, id, keySha256: sha256, debit } = await limited(fixture, limits);
    const status = async (changes: Partial<KeyStatusOrder> = {}) => {
      const order = { account, keySha256: sha256, now: START, namesKey: true, ...changes };
      const { outcome, keyId: named } = await fixture.ledger.keyStatus(order);
      return [outcome, named];
    };
    const charge = async (changes: Parameters<typeof debit>[0] = {}) => {
      const { outcome, keyId: named } = await debit({ namesKey: true, ...changes });
      return [outcome, named];
    };
    assert.deepEqual(await status(), ["good", id]);
    assert.deepEqual(await charge(), ["debited", id]);
    assert.deepEqual(await charge({ namesKey: false }), ["debited", undefined]);
    assert.deepEqual(await charge({ tool: "echo" }), ["key_not_allowed", id]);
    assert.deepEqual(await status({ namesKey: false }), ["good", undefined]);
    assert.deepEqual(await status({ tool: "echo" }), ["key_not_allowed", id]);
    assert.deepEqual(await status({ now: expiresAt }), ["key_expired", id]);
    const unknown = { keySha256: keySha256(account, "another") };
    assert.deepEqual(await status(unknown), ["invalid_key", undefined]);
    await fixture.ledger.changeAccount({ account, now: START, state: "suspended" });
    assert.deepEqual(await status(), ["account_suspended", id]);
    await fixture.ledger.revokeKey({ account, id, now: START });
    assert.deepEqual(await status(), ["invalid_key", id], "its owner sees who still uses it");
    assert.deepEqual(await charge(), ["invalid_key", id]);
    assert.deepEqual(await status({ namesKey: false }), ["invalid_key", undefined]);
    assert.deepEqual(await status(unknown), ["invalid_key", undefined]);
    await fixture.ledger.changeAccount({ account, now: START, state: "closed" });
    assert.deepEqual(await status(), ["invalid_key", undefined]);
    assert.deepEqual(await charge(), ["invalid_key", undefined]);
  });

  test("a key works only from its networks", async (fixture) => {
    const networks = ["203.0.113.0/24", "2001:db8::/48"];
    const { debit } = await limited(fixture, { ...NONE, networks });
    const inside = ["203.0.113.255", "::ffff:203.0.113.9", "2001:db8:0:ffff::1"];
    for (const address of inside) assert.equal(named(await debit({ address })), "debited", address);
    const outside = ["203.0.114.0", "2001:db8:1::1", "::203.0.113.9", "nonsense", null];
    const refused = { outcome: "key_not_allowed", balance: 97, limit: "networks" };
    for (const address of outside)
      assert.deepEqual(await debit({ address }), refused, `${address}`);
    assert.deepEqual(await debit(), refused, "an order without an address");
  });

  test("a budget is spent to its end and no further, and resets with its period", async (fixture) => {
    const { debit, listed } = await limited(fixture, budget({ day: 3, month: 5, total: 6 }));
    const take = async (now: number, credits = 1) => debit({ now, credits });
    const exhausted = (
      name: "day" | "month" | "total",
      resetsAt: number | null,
      balance: number,
      remaining = 0,
    ) => ({
      ...{ outcome: "key_budget_exhausted", balance, budget: name, resetsAt },
      ...{ credits: { day: 3, month: 5, total: 6 }[name], remaining },
    });
    assert.equal(named(await take(START, 3)), "debited");
    assert.deepEqual(await take(START), exhausted("day", TOMORROW, 97));
    assert.deepEqual(await take(TOMORROW - 1), exhausted("day", TOMORROW, 97));
    assert.deepEqual(
      await take(TOMORROW, 3),
      exhausted("month", FEBRUARY, 97, 2),
      "all or nothing",
    );
    assert.equal(named(await take(TOMORROW, 2)), "debited");
    assert.deepEqual(await take(TOMORROW + DAY), exhausted("month", FEBRUARY, 95));
    assert.equal(named(await take(FEBRUARY)), "debited");
    assert.deepEqual(await take(FEBRUARY), exhausted("total", null, 94));
    assert.deepEqual((await listed())?.spent, {
      ...{ since: 0, on: FEBRUARY, day: 1, month: 1, total: 6 },
    });
  });

  test("the status of a key says whether its budgets cover the call", async (fixture) => {
    const { account, debit, keySha256 } = await limited(fixture, budget({ day: 2 }));
    const status = (credits: number) =>
      fixture.ledger.keyStatus({ account, keySha256, now: START, tool: "hash", credits });
    const good = { outcome: "good", balance: 100, freeCall: false };
    assert.deepEqual(await status(2), good);
    const exhausted = { budget: "day", resetsAt: TOMORROW, credits: 2 };
    assert.deepEqual(await status(3), { ...good, exhausted: { ...exhausted, remaining: 2 } });
    await debit({ credits: 2 });
    const spent = { ...exhausted, remaining: 0 };
    assert.deepEqual(await status(1), { ...good, balance: 98, exhausted: spent });
    assert.deepEqual(await status(0), { ...good, balance: 98 });
  });

  test("a clock that is behind does not reset a budget", async (fixture) => {
    const { debit } = await limited(fixture, budget({ day: 2, month: 9 }));
    for (const now of [TOMORROW, START]) assert.equal(named(await debit({ now })), "debited");
    for (const now of [TOMORROW, START])
      assert.deepEqual(await debit({ now }), {
        ...{ outcome: "key_budget_exhausted", balance: 98, budget: "day" },
        ...{ resetsAt: TOMORROW + DAY, credits: 2, remaining: 0 },
      });
  });

  const YEAR = 365 * DAY;
  const endOfDay = (at: number) => Math.floor(at / DAY) * DAY + DAY - 1;

  test("a day and a month that a clock counted a year ahead are forgotten once the clock is right, and the total is not", async (fixture) => {
    const { account, debit, listed, keySha256 } = await limited(
      fixture,
      budget({ day: 2, month: 3, total: 6 }),
    );
    assert.equal(named(await debit({ now: START + YEAR, credits: 2 })), "debited");
    const status = { account, keySha256, now: START, tool: "hash", credits: 2 };
    assert.ok(!("exhausted" in (await fixture.ledger.keyStatus(status))));
    assert.equal(named(await debit({ now: START, credits: 2 })), "debited");
    const exhausted = { outcome: "key_budget_exhausted", balance: 96, budget: "day" };
    const left = { credits: 2, remaining: 0, resetsAt: TOMORROW };
    assert.deepEqual(await debit({ now: START }), { ...exhausted, ...left });
    assert.equal(named(await debit({ now: TOMORROW })), "debited");
    assert.deepEqual((await listed())?.spent, {
      ...{ since: endOfDay(START + YEAR), on: TOMORROW, day: 1, month: 3, total: 5 },
    });
    assert.equal(named(await debit({ now: FEBRUARY })), "debited");
    assert.equal(named(await debit({ now: FEBRUARY })), "key_budget_exhausted");
  });

  test("a call of a day that a clock counted too early gives its budgets nothing back when it is reversed", async (fixture) => {
    const { account, debit, listed } = await limited(fixture, budget({ month: 9, total: 9 }));
    const early = fixture.debitOrder(account, { key: "own", now: START + 3 * DAY, credits: 2 });
    assert.equal(named(await fixture.ledger.debit(early)), "debited");
    assert.equal(named(await debit({ now: START })), "debited");
    const spent = { since: endOfDay(START + 3 * DAY), on: TOMORROW - DAY };
    assert.deepEqual((await listed())?.spent, { ...spent, day: 1, month: 3, total: 3 });
    await fixture.reverse(early, START + 3 * DAY);
    assert.deepEqual((await listed())?.spent, { ...spent, day: 1, month: 3, total: 3 });
  });

  test("a budget by day or month that changes begins anew, and the others keep what was spent", async (fixture) => {
    const { account, debit, limit, listed } = await limited(
      fixture,
      budget({ day: 3, month: 5, total: 9 }),
    );
    const first = fixture.debitOrder(account, { key: "own", credits: 3 });
    assert.equal(named(await fixture.ledger.debit(first)), "debited");
    const spent = async () => {
      const { day, month, total } = (await listed())?.spent ?? {};
      return [day, month, total];
    };
    await limit({ ...budget({ day: 3, month: 5, total: 9 }), tools: ["hash"] });
    assert.deepEqual(await spent(), [3, 3, 3], "another limit changed");
    await limit(budget({ day: 3, month: 5, total: 8 }));
    assert.deepEqual(await spent(), [3, 3, 3], "the budget in all");
    await limit(budget({ day: 2, month: 5, total: 8 }));
    assert.deepEqual(await spent(), [0, 3, 3]);
    assert.equal(named(await debit({ now: START + MINUTE, credits: 2 })), "debited");
    await limit(budget({ day: 2, total: 8 }), START + MINUTE);
    await limit(budget({ day: 2, month: 4, total: 8 }), START + MINUTE);
    assert.deepEqual(await spent(), [2, 0, 5]);
    await fixture.reverse(first, START + MINUTE);
    assert.deepEqual(await spent(), [2, 0, 5], "a call before the change gives nothing back");
  });

  test("a free call, a replay and a repeated order need no budget", async (fixture) => {
    const { account, debit } = await limited(fixture, budget({ total: 1 }));
    const first = fixture.debitOrder(account, { key: "own", idempotency: idempotency("once") });
    assert.equal(named(await fixture.ledger.debit(first)), "debited");
    assert.equal(named(await debit()), "key_budget_exhausted");
    assert.equal(named(await fixture.ledger.debit(first)), "debited", "sent again");
    assert.equal(named(await debit({ idempotency: idempotency("once") })), "replayed");
    assert.equal(named(await debit({ credits: 0 })), "debited");
    const free = await fixture.account("Bob", { freeCall: "open", credits: 5 });
    await fixture.createKey(free, "own", START, budget({ total: 1 }));
    for (const charged of [0, 1]) {
      const outcome = await fixture.debit(free, { key: "own" });
      assert.equal(
        named(outcome) === "debited" && "charged" in outcome && outcome.charged,
        charged,
      );
    }
    assert.equal(named(await fixture.debit(free, { key: "own" })), "key_budget_exhausted");
  });

  test("expiry, tools and networks apply to a replay", async (fixture) => {
    const { debit, limit } = await limited(fixture, budget({ total: 9 }));
    const once = { idempotency: idempotency("once"), address: "203.0.113.7" };
    assert.equal(named(await debit(once)), "debited");
    await limit({ ...NONE, tools: ["uuid"] });
    assert.equal(named(await debit(once)), "key_not_allowed");
    await limit({ ...NONE, networks: ["198.51.100.0/24"] });
    assert.equal(named(await debit(once)), "key_not_allowed");
    await limit({ ...NONE, expiresAt: START });
    assert.equal(named(await debit(once)), "key_expired");
    await limit(null);
    assert.equal(named(await debit(once)), "replayed");
  });

  test("an order that was carried out is not refused when it is sent again", async (fixture) => {
    const { account, id, limit } = await limited(fixture, budget({ total: 9 }));
    const order = fixture.debitOrder(account, { key: "own" });
    assert.equal(named(await fixture.ledger.debit(order)), "debited");
    const changes: (KeyLimits | null)[] = [
      { ...NONE, expiresAt: 0 },
      { ...NONE, tools: ["uuid"] },
      { ...NONE, networks: ["198.51.100.0/24"] },
      budget({ day: 1 }),
    ];
    for (const limits of changes) {
      await limit(limits);
      assert.equal(named(await fixture.ledger.debit(order)), "debited", JSON.stringify(limits));
    }
    await fixture.ledger.rotateKey({
      ...{ account, id, sha256: sha256("new"), start: "tb_new" },
      ...{ previousUntil: START, now: START },
    });
    assert.equal(named(await fixture.ledger.debit(order)), "debited", "with the old secret");
    assert.equal(await fixture.balance(account), 99);
  });

  test("a reversal gives the budgets of the same periods their credits back", async (fixture) => {
    const { account, debit, listed } = await limited(fixture, budget({ day: 2, month: 9 }));
    const order = fixture.debitOrder(account, { key: "own", credits: 2 });
    assert.equal(named(await fixture.ledger.debit(order)), "debited");
    assert.equal(named(await debit()), "key_budget_exhausted");
    for (const reversed of [true, false])
      assert.deepEqual(await fixture.reverse(order), { reversed });
    assert.equal(named(await debit({ credits: 2 })), "debited");
    const late = fixture.debitOrder(account, { key: "own", now: TOMORROW });
    assert.equal(named(await fixture.ledger.debit(late)), "debited");
    assert.equal(named(await debit({ now: TOMORROW + DAY })), "debited");
    await fixture.reverse(late, TOMORROW + DAY);
    assert.deepEqual((await listed())?.spent, {
      ...{ since: 0, on: TOMORROW + DAY, day: 1, month: 3, total: 3 },
    });
  });

  test("new limits keep what was spent, and a key without a budget counts nothing", async (fixture) => {
    const { debit, limit, listed } = await limited(fixture, budget({ day: 5 }));
    await debit({ credits: 3 });
    await limit({ ...budget({ total: 4 }), tools: ["hash"] });
    assert.equal(named(await debit({ credits: 2 })), "key_budget_exhausted");
    assert.equal(named(await debit({ credits: 1 })), "debited");
    await limit({ ...NONE, tools: ["hash"] });
    assert.equal((await listed())?.spent, null);
    assert.equal(named(await debit({ credits: 9 })), "debited");
    await limit(budget({ total: 4 }));
    assert.equal(named(await debit({ credits: 4 })), "debited", "it counts from now on");
    assert.deepEqual((await listed())?.limits, budget({ total: 4 }));
    await limit(null);
    assert.deepEqual([(await listed())?.limits, (await listed())?.spent], [null, null]);
  });

  test("only a key that works can be limited or rotated", async (fixture) => {
    const { ledger } = fixture;
    const { account, id, limit } = await limited(fixture, NONE);
    const bob = await fixture.account("Bob");
    const secret = { sha256: sha256("new"), start: "tb_", previousUntil: START, now: START };
    const foreign = { account: bob, id };
    assert.deepEqual(await ledger.changeKey({ ...foreign, limits: null, now: START }), {
      found: false,
    });
    assert.deepEqual(await ledger.rotateKey({ ...foreign, ...secret }), { outcome: "not_found" });
    await ledger.revokeKey({ account, id, now: START });
    assert.deepEqual(await limit(null), { found: false });
    assert.deepEqual(await ledger.rotateKey({ account, id, ...secret }), { outcome: "revoked" });
    await ledger.changeAccount({ account: bob, now: START, state: "closed" });
    const closed = { account: bob, id: keyId(bob), limits: null, now: START };
    assert.deepEqual(await ledger.changeKey(closed), { found: false });
    const rotation = ledger.rotateKey({ account: bob, id: keyId(bob), ...secret });
    assert.deepEqual(await rotation, { outcome: "not_found" });
  });

  test("both secrets of a rotated key work until the old one ends, and share its budget", async (fixture) => {
    const { ledger } = fixture;
    const { account, id, debit, listed } = await limited(fixture, budget({ total: 3 }));
    const before = await listed();
    const [fresh, until] = [sha256("fresh"), START + HOUR];
    const rotate = (secret: string, previousUntil: number, now = START) =>
      ledger.rotateKey({ account, id, sha256: secret, start: "tb_new", previousUntil, now });
    for (let time = 1; time <= 2; time += 1)
      assert.deepEqual(await rotate(fresh, until), { outcome: "rotated" });
    assert.deepEqual(await listed(), {
      ...{ ...before, sha256: fresh, start: "tb_new" },
      previous: { sha256: keySha256(account, "own"), until },
    });
    assert.equal(named(await debit({ keySha256: fresh })), "debited");
    assert.equal(named(await debit({ now: until - 1 })), "debited");
    assert.deepEqual(await debit({ now: until }), { outcome: "key_expired", expiredAt: until });
    const orders = [keySha256(account, "own"), fresh].map((secret) =>
      fixture.debitOrder(account, { keySha256: secret, now: START + 1 }),
    );
    const together = await Promise.all(orders.map((order) => ledger.debit(order)));
    assert.deepEqual(together.map(named).sort(), ["debited", "key_budget_exhausted"]);
    await ledger.revokeKey({ account, id, now: START });
    for (const secret of [fresh, keySha256(account, "own")])
      assert.deepEqual(await debit({ keySha256: secret }), { outcome: "invalid_key" });
  });

  test("what a key has spent counts after a rotation that was rejected", async (fixture) => {
    const { account, id, debit, limit } = await limited(fixture, budget({ total: 2 }));
    const tooLate = { previousUntil: START - 1, now: START };
    const rotation = { account, id, sha256: sha256("fresh"), start: "tb_", ...tooLate };
    await assert.rejects(fixture.ledger.rotateKey(rotation), OrderRejected);
    for (let call = 1; call <= 2; call += 1) assert.equal(named(await debit()), "debited");
    await limit(budget({ total: 3 }));
    assert.equal(named(await debit()), "debited");
    assert.equal(named(await debit()), "key_budget_exhausted");
  });

  test("rotating again drops the oldest secret, and a repeated order does not", async (fixture) => {
    const { ledger } = fixture;
    const { account, id, debit } = await limited(fixture, NONE);
    const [old, lost, second, third] = [keySha256(account, "own"), "lost", "second", "third"].map(
      (name, place) => (place === 0 ? name : sha256(name)),
    ) as [string, string, string, string];
    const rotate = async (secret: string, previousUntil: number) =>
      (
        await ledger.rotateKey({
          ...{ account, id, sha256: secret, start: "tb_", previousUntil, now: START },
        })
      ).outcome;
    const works = async (...secrets: string[]) => {
      const outcomes = [];
      for (const secret of secrets) outcomes.push(named(await debit({ keySha256: secret })));
      return outcomes;
    };
    assert.equal(await rotate(lost, START + HOUR), "rotated");
    assert.equal(await rotate(second, START + HOUR), "rotated");
    assert.deepEqual(await works(old, lost, second), ["debited", "invalid_key", "debited"]);
    assert.equal(await rotate(third, START + DAY), "rotated");
    assert.deepEqual(await works(old, second, third), ["invalid_key", "debited", "debited"]);
    assert.equal(await rotate(second, START + 2 * DAY), "taken", "it is the previous one");
    const other = await fixture.account("Bob");
    assert.equal(await rotate(keySha256(other), START + 2 * DAY), "taken");
    await assert.rejects(rotate(sha256("x"), START + 30 * DAY + 1), { name: "Error" });
    await assert.rejects(rotate(sha256("x"), START - 1), { name: "Error" });
    const taken = { account: other, id: keyId(other, "x"), start: "tb_", label: "l", now: START };
    assert.deepEqual(await ledger.createKey({ ...taken, sha256: second }), { outcome: "taken" });
  });

  test("a key with a rate of its own says so with each outcome, under one number", async (fixture) => {
    const { ledger } = fixture;
    const { account, id, debit, keySha256: own } = await limited(fixture, { ...NONE, rate: 5 });
    await ledger.rotateKey({
      ...{
        account,
        id,
        sha256: sha256("new"),
        start: "tb_",
        previousUntil: START + 1,
        now: START,
      },
    });
    const status = { account, keySha256: own, now: START };
    const outcomes = [
      await debit(),
      await debit({ keySha256: sha256("new") }),
      await debit({ credits: 1000 }),
      await ledger.keyStatus(status),
    ];
    const rates = outcomes.map((outcome) => ("keyRate" in outcome ? outcome.keyRate : undefined));
    assert.equal(rates[0]?.callsPerSecond, 5);
    for (const rate of rates) assert.deepEqual(rate, rates[0]);
    assert.ok(!("keyRate" in (await fixture.debit(account))), "the other key has none");
  });
}
