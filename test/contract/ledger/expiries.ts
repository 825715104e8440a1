import assert from "node:assert/strict";
import { createRule, DAY, type Fixture, type OpenLedger, START } from "./fixture.ts";

/** Far enough ahead for both notice periods. */
const END = START + 100 * DAY;
const ALL = 1000;

const expiring = (at: number, days: 30 | 7, remaining: number, expiresAt = END, id = "pack") =>
  ({
    at,
    kind: "credits.expiring",
    days,
    grant: { id, kind: "pack", remaining, expiresAt },
  }) as const;

/** What time alone brings, for whoever looks now and then. */
export function describeExpiries(open: OpenLedger) {
  const test = createRule(open);
  describeAhead(test);
  describeEnds(test);
}

type Rule = ReturnType<typeof createRule>;

/** Grants that expire soon. */
function describeAhead(test: Rule) {
  test("a grant causes one event 30 days and one 7 days before its expiry, to the millisecond", async (fixture) => {
    await withPack(fixture, 50);
    for (const days of [30, 7] as const) {
      const due = END - days * DAY;
      assert.equal(await look(fixture, due - 1), 0);
      assert.deepEqual(await fixture.news(), []);
      assert.equal(await look(fixture, due), 1);
      assert.equal(await look(fixture, due), 0);
      assert.deepEqual(await fixture.news(), [expiring(due, days, 50)]);
    }
  });

  test("an event between the two notice periods counts as the first, and the second follows in time", async (fixture) => {
    await withPack(fixture, 50);
    await look(fixture, END - 8 * DAY);
    await look(fixture, END - 7 * DAY - 1);
    await look(fixture, END - 7 * DAY);
    assert.deepEqual(await fixture.news(), [
      expiring(END - 8 * DAY, 30, 50),
      expiring(END - 7 * DAY, 7, 50),
    ]);
  });

  test("an expiry event has the current values of the grant; a spent grant causes none", async (fixture) => {
    const account = await withPack(fixture, 2);
    await fixture.debit(account);
    await look(fixture, END - 30 * DAY);
    await fixture.debit(account);
    await fixture.news();
    assert.equal(await look(fixture, END - 7 * DAY), 0);
    assert.deepEqual(await fixture.news(), []);
  });

  test("a grant that is made within a notice period causes an event for that period", async (fixture) => {
    const account = await fixture.account();
    const given = { kind: "pack" } as const;
    await fixture.grant(account, "month", 50, { ...given, expiresAt: START + 30 * DAY });
    await fixture.grant(account, "fortnight", 50, { ...given, expiresAt: START + 14 * DAY });
    await fixture.grant(account, "days", 50, { ...given, expiresAt: START + 7 * DAY });
    await fixture.grant(account, "past", 50, { ...given, expiresAt: START });
    await fixture.news();
    for (let day = 0; day <= 30; day += 1) await look(fixture, START + day * DAY);
    assert.deepEqual(await fixture.news(), [
      expiring(START + 7 * DAY, 7, 50, START + 14 * DAY, "fortnight"),
      expiring(START + 23 * DAY, 7, 50, START + 30 * DAY, "month"),
      { at: START + 30 * DAY, kind: "credits.depleted" },
    ]);
  });

  test("a step writes the events of at most rowsMax grants, the longest due first", async (fixture) => {
    const account = await fixture.account();
    for (const [id, days] of [
      ["third", 33],
      ["first", 31],
      ["second", 32],
    ] as const)
      await fixture.grant(account, id, 50, { kind: "pack", expiresAt: START + days * DAY });
    await fixture.news();
    const now = START + 5 * DAY;
    const listDue = async () =>
      (await fixture.news()).map((event) => "grant" in event && event.grant.id);
    assert.equal(await look(fixture, now, 2), 2);
    assert.deepEqual(await listDue(), ["first", "second"]);
    assert.equal(await look(fixture, now, 1), 1);
    assert.deepEqual(await listDue(), ["third"]);
  });

  test("20 concurrent steps write an event once", async (fixture) => {
    await withPack(fixture, 50);
    const due = END - 30 * DAY;
    const looks = await Promise.all(Array.from({ length: 20 }, () => look(fixture, due)));
    assert.deepEqual(looks.sort().slice(-2), [0, 1]);
    assert.deepEqual(await fixture.news(), [expiring(due, 30, 50)]);
  });

  test("the lifetime plan suppresses expiry events", async (fixture) => {
    const account = await withPack(fixture, 50);
    await fixture.grant(account, "plan", 5, { kind: "lifetime" });
    await fixture.grant(account, "late", 5, { expiresAt: END });
    await fixture.news();
    assert.equal(await look(fixture, END + DAY), 0);
    assert.deepEqual(await fixture.news(), []);
  });

  test("after the lifetime plan ended, upcoming expiries cause events again", async (fixture) => {
    const account = await withPack(fixture, 50);
    await look(fixture, END - 30 * DAY);
    await fixture.grant(account, "plan", 5, { kind: "lifetime", now: END - 29 * DAY });
    await fixture.clawback(account, "plan", 5, undefined, END - 20 * DAY);
    await fixture.news();
    await look(fixture, END - 20 * DAY);
    assert.deepEqual(await fixture.news(), [], "the first event is not written again");
    await look(fixture, END - 7 * DAY);
    assert.deepEqual(await fixture.news(), [expiring(END - 7 * DAY, 7, 50)]);
  });
}

/** Grants that have expired. */
function describeEnds(test: Rule) {
  for (const [left, content] of [
    [0, { kind: "credits.depleted" }],
    [5, { kind: "credits.low", balance: 5, lowBalance: 20 }],
  ] as const)
    test(`an expiry that leaves ${left} credits causes one event`, async (fixture) => {
      const account = await withPack(fixture, 50);
      if (left > 0) await fixture.grant(account, "kept", left);
      await look(fixture, END - 7 * DAY);
      await fixture.news();
      assert.equal(await look(fixture, END - 1), 0);
      assert.equal(await look(fixture, END), 1);
      assert.equal(await look(fixture, END + DAY), 0);
      assert.deepEqual(await fixture.news(), [{ at: END, ...content }]);
    });

  test("an expiry that leaves enough credits causes no event, and neither does that of a spent grant", async (fixture) => {
    const account = await withPack(fixture, 50);
    await fixture.grant(account, "spent", 1, { expiresAt: START + DAY });
    await fixture.grant(account, "kept", 20);
    await fixture.debit(account);
    await fixture.news();
    assert.equal(await look(fixture, START + DAY), 0);
    assert.equal(await look(fixture, END), 0);
    assert.deepEqual(await fixture.news(), []);
  });

  test("several expiries at once cause one event about the balance", async (fixture) => {
    const account = await withPack(fixture, 50);
    await fixture.grant(account, "other", 50, { expiresAt: END });
    await look(fixture, END - DAY);
    await fixture.news();
    assert.equal(await look(fixture, END), 1);
    assert.deepEqual(await fixture.news(), [{ at: END, kind: "credits.depleted" }]);
  });

  test("expiries of one account do not affect another", async (fixture) => {
    const [ada, bob] = [await fixture.account("Ada"), await fixture.account("Bob")];
    await fixture.grant(ada, "short", 5, { expiresAt: START + DAY });
    await fixture.grant(bob, "kept", 5);
    await fixture.news();
    await look(fixture, START + DAY);
    const events = await fixture.ledgerEvents.list({ max: ALL });
    assert.deepEqual(
      events.map(({ account, kind }) => [account, kind]),
      [[ada, "credits.depleted"]],
    );
  });
}

const look = (fixture: Fixture, now: number, max = ALL) => fixture.look(now, max);

/** An account with one pack, whose events were already taken. */
async function withPack(fixture: Fixture, credits: number) {
  const account = await fixture.account();
  await fixture.grant(account, "pack", credits, { kind: "pack", expiresAt: END });
  await fixture.news();
  return account;
}
