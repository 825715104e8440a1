import assert from "node:assert/strict";
import { OrderRejected } from "#ledger/port.ts";
import { GRANT_CREDITS_MAX } from "#limits.ts";
import { createRule, DAY, debited, type OpenLedger, START, tooLittle } from "./fixture.ts";

export function describeGrants(open: OpenLedger) {
  const test = createRule(open);

  test("a grant is returned with its values and adds to the balance", async (fixture) => {
    const account = await fixture.account();
    const given = { kind: "pack", expiresAt: START + DAY } as const;
    const usage = { amount: 10, remaining: 10, grantedAt: START, waivedExpiresAt: null };
    const grant = { id: "stripe:1", ...usage, ...given };
    assert.deepEqual(await fixture.grant(account, "stripe:1", 10, given), {
      outcome: "granted",
      grant,
    });
    assert.deepEqual(await fixture.ledger.credits({ account, now: START }), {
      balance: 10,
      held: 0,
      lifetime: false,
      nextExpiry: { credits: 10, at: START + DAY },
      permanent: 0,
      hasGrants: true,
      grants: [grant],
      next: null,
    });
  });

  test("grants are listed in pages, each of them once, in the order in which they are spent, with spent and expired ones last", async (fixture) => {
    const { ledger } = fixture;
    const account = await fixture.account();
    const ends = [null, START + 2 * DAY, START + DAY, null, START + 1, START + 2 * DAY, START + 1];
    for (const [index, expiresAt] of ends.entries())
      await fixture.grant(account, `g.${index}:`, 1 + index, { expiresAt, now: START + index });
    // Spends two grants, those that expire soonest of those that can be spent.
    for (let call = 0; call < 5; call += 1) await fixture.debit(account, { now: START + 9 });
    const now = START + DAY;
    const whole = await ledger.credits({ account, now });
    assert.deepEqual(
      whole.grants.map(({ id }) => id),
      ["g.5:", "g.0:", "g.3:", "g.6:", "g.4:", "g.2:", "g.1:"],
    );
    assert.deepEqual([whole.balance, whole.permanent], [11, 5]);
    assert.deepEqual(whole.nextExpiry, { credits: 6, at: START + 2 * DAY });
    assert.deepEqual(await ledger.credits({ account, now, max: 0 }), {
      ...whole,
      ...{ permanent: null, grants: [], next: null },
    });
    for (const max of [1, 2, 3, 4, 5, 7]) {
      const pages: typeof whole.grants = [];
      for (let after: string | null | undefined; after !== null; ) {
        const page: typeof whole = await ledger.credits({ account, now, max, after });
        assert.ok(page.grants.length <= max);
        pages.push(...page.grants);
        after = page.next;
      }
      assert.deepEqual(pages, whole.grants);
    }
    for (const after of ["", "x", "s.1.2", "o.1", "s.1.2.x", "o.x.g"])
      await assert.rejects(ledger.credits({ account, now, after }), /cursor/);
  });

  test("a grant id is granted once; granting it again returns the first grant", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 10 });
    await fixture.debit(account);
    const again = { expiresAt: START + DAY, kind: "pack", now: START + 1 } as const;
    assert.deepEqual(await fixture.grant(account, "first", 500, again), {
      outcome: "already_granted",
      grant: {
        id: "first",
        kind: "operator",
        amount: 10,
        remaining: 9,
        grantedAt: START,
        expiresAt: null,
        waivedExpiresAt: null,
      },
    });
    assert.equal(await fixture.balance(account), 9);
    assert.equal((await fixture.totals()).granted, 10);
  });

  test("the same grant id in two accounts is two grants", async (fixture) => {
    const [ada, bob] = [await fixture.account("Ada"), await fixture.account("Bob")];
    for (const account of [ada, bob])
      assert.equal((await fixture.grant(account, "starter", 5)).outcome, "granted");
    await fixture.debit(ada);
    assert.deepEqual([await fixture.balance(ada), await fixture.balance(bob)], [4, 5]);
  });

  for (const amount of [0, -1, 1.5, GRANT_CREDITS_MAX + 1, 2 ** 53])
    test(`a grant of ${amount} credits is rejected and changes nothing`, async (fixture) => {
      const account = await fixture.account("Ada", { credits: 1 });
      await assert.rejects(fixture.grant(account, "odd", amount), OrderRejected);
      assert.equal(await fixture.balance(account), 1);
      assert.equal((await fixture.grant(account, "odd", 2)).outcome, "granted");
    });

  test("the largest possible grant is stored exactly", async (fixture) => {
    const account = await fixture.account();
    await fixture.grant(account, "large", GRANT_CREDITS_MAX);
    await fixture.debit(account);
    assert.equal(await fixture.balance(account), GRANT_CREDITS_MAX - 1);
  });

  test("a grant is spendable while now < expiresAt, to the millisecond", async (fixture) => {
    const account = await fixture.account();
    const expiresAt = START + DAY;
    await fixture.grant(account, "short", 5, { expiresAt });
    assert.equal(await fixture.balance(account, expiresAt - 1), 5);
    assert.equal(await fixture.balance(account, expiresAt), 0);
    assert.deepEqual(await fixture.debit(account, { now: expiresAt - 1 }), debited(1, 4));
    assert.deepEqual(await fixture.debit(account, { now: expiresAt }), tooLittle(0));
    const [before, after] = [await fixture.totals(expiresAt - 1), await fixture.totals(expiresAt)];
    assert.deepEqual([before.remaining, before.expired], [4, 0]);
    assert.deepEqual([after.remaining, after.expired], [0, 4]);
  });

  test("credits are taken from the grant that expires soonest, then from those that never do", async (fixture) => {
    const account = await fixture.account();
    await fixture.grant(account, "never", 2, { now: START - 9 });
    await fixture.grant(account, "later", 2, { expiresAt: START + 2 * DAY, now: START - 8 });
    await fixture.grant(account, "soon", 2, { expiresAt: START + DAY, now: START - 7 });
    const seen = [];
    for (let call = 0; call < 6; call += 1) {
      await fixture.debit(account);
      const { soon, later, never } = await fixture.remaining(account);
      seen.push([soon, later, never]);
    }
    assert.deepEqual(seen, [
      [1, 2, 2],
      [0, 2, 2],
      [0, 1, 2],
      [0, 0, 2],
      [0, 0, 1],
      [0, 0, 0],
    ]);
  });

  for (const expiresAt of [START + DAY, null])
    test(`among grants that expire ${expiresAt === null ? "never" : "together"}, the oldest is spent first`, async (fixture) => {
      const account = await fixture.account();
      await fixture.grant(account, "middle", 1, { expiresAt, now: START - 2 });
      await fixture.grant(account, "youngest", 1, { expiresAt, now: START - 1 });
      await fixture.grant(account, "oldest", 1, { expiresAt, now: START - 3 });
      for (const spent of ["oldest", "middle", "youngest"]) {
        assert.equal((await fixture.remaining(account))[spent], 1);
        await fixture.debit(account);
        assert.equal((await fixture.remaining(account))[spent], 0);
      }
    });
}
