import assert from "node:assert/strict";
import {
  ENTRY_KINDS,
  type EntriesFilter,
  type EntriesOrder,
  type EntriesPage,
  type Entry,
} from "#ledger/entries.ts";
import { OrderRejected } from "#ledger/port.ts";
import {
  accountId,
  allEntries,
  createRule,
  DAY,
  type Fixture,
  HOUR,
  keyId,
  type OpenLedger,
  START,
} from "./fixture.ts";

export function describeEntries(open: OpenLedger) {
  const test = createRule(open);
  describeKinds(test);
  describeRollUps(test);
  describePages(test);
  describeFilters(test);
  describeBalances(test);
}

type Rule = ReturnType<typeof createRule>;

/** `debit -1 first hash` and the like, with the hours since START before it. */
const lineOf = ({ at, kind, credits, grant, tool, calls }: Entry) =>
  [`${(at - START) / HOUR}h`, kind, credits, grant?.id, tool, calls]
    .filter((part) => part !== null && part !== undefined)
    .join(" ");

const linesAt = async ({ ledger }: Fixture, account: string, now: number, max?: number) =>
  (await allEntries(ledger, account, now, max)).map(lineOf);

async function debit(fixture: Fixture, account: string, hours: number, tool = "hash") {
  const order = fixture.debitOrder(account, { now: START + hours * HOUR, tool });
  assert.equal((await fixture.ledger.debit(order)).outcome, "debited");
  return async (afterHours: number) => {
    const outcome = await fixture.reverse(order, START + afterHours * HOUR);
    assert.deepEqual(outcome, { reversed: true });
  };
}

function describeKinds(test: Rule) {
  test("the entries of a grant and a call contain all of their details", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open" });
    await fixture.grant(account, "gift", 9, { kind: "pack" });
    await debit(fixture, account, 1);
    const reverse = await debit(fixture, account, 2, "uuid");
    await reverse(3);
    const gift = { id: "gift", kind: "pack" };
    const key = keyId(account);
    const nothing = { grant: null, parts: null, tool: null, key: null, calls: null };
    const entries = await allEntries(fixture.ledger, account, START);
    assert.deepEqual(
      entries.map(({ id: _, ...entry }) => entry),
      [
        {
          at: START + 3 * HOUR,
          kind: "reversal",
          credits: 1,
          grant: gift,
          tool: "uuid",
          key,
          calls: null,
          parts: null,
        },
        {
          at: START + 2 * HOUR,
          kind: "debit",
          credits: -1,
          grant: gift,
          tool: "uuid",
          key,
          calls: 1,
          parts: null,
        },
        { ...nothing, at: START + HOUR, kind: "debit", credits: 0, tool: "hash", key, calls: 1 },
        { ...nothing, at: START, kind: "grant", credits: 9, grant: gift },
      ],
    );
  });

  test("the remaining credits of a grant become an expiry entry at the millisecond of its expiry", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 4 });
    await fixture.grant(account, "short", 3, { expiresAt: START + DAY });
    await fixture.grant(account, "spent", 1, { expiresAt: START + HOUR });
    const reverse = await debit(fixture, account, 0);
    await debit(fixture, account, 1);
    const begin = [
      "0h debit -1 spent hash 1",
      "0h grant 1 spent",
      "0h grant 3 short",
      "0h grant 4 first",
    ];
    const before = ["1h debit -1 short hash 1", ...begin];
    assert.deepEqual(await linesAt(fixture, account, START + DAY - 1), before);
    const after = ["24h expiry -2 short", ...before];
    assert.deepEqual(await linesAt(fixture, account, START + DAY), after);
    // What comes back too late has expired as well.
    await reverse(48);
    assert.deepEqual(
      await linesAt(fixture, account, START + 2 * DAY),
      [
        "48h reversal 1 spent hash",
        "24h expiry -2 short",
        "1h expiry -1 spent",
        ...before.slice(0, 1),
        ...begin,
      ].toSorted((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10)),
    );
  });

  test("closing an account adds a void entry per grant, at the time of closing", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 4 });
    await fixture.grant(account, "short", 3, { expiresAt: START + HOUR });
    await fixture.grant(account, "long", 5, { expiresAt: START + 9 * DAY });
    const reverse = await debit(fixture, account, 1);
    const close = (now: number) => fixture.ledger.changeAccount({ account, now, state: "closed" });
    assert.deepEqual(await close(START + 2 * HOUR), { found: true, forfeited: 8 });
    const rest = [
      "1h expiry -3 short",
      "1h debit -1 long hash 1",
      "0h grant 3 short",
      "0h grant 5 long",
      "0h grant 4 first",
    ];
    const closed = ["2h void -4 long", "2h void -4 first", ...rest];
    assert.deepEqual(await linesAt(fixture, account, START + 30 * DAY), closed);
    // Closed once more, and a credit that comes back: the time of the first stays.
    await close(START + 3 * HOUR);
    await reverse(4);
    assert.deepEqual(await linesAt(fixture, account, START + 30 * DAY), [
      "4h reversal 1 long hash",
      "2h void -5 long",
      ...closed.slice(1),
    ]);
  });
}

function describeRollUps(test: Rule) {
  test("rolled-up debits are one entry per hour, key and tool; reversed debits keep their own", async (fixture) => {
    const account = await fixture.account("Ada", { freeCall: "open", credits: 9 });
    await fixture.createKey(account, "other");
    await debit(fixture, account, 0);
    await debit(fixture, account, 0.25);
    const reverse = await debit(fixture, account, 0.5);
    await debit(fixture, account, 0.75, "uuid");
    await fixture.debit(account, { now: START + HOUR / 2, key: "other" });
    await debit(fixture, account, 1);
    await reverse(2);
    const before = await allEntries(fixture.ledger, account, START);
    const maintain = (hours: number) => fixture.rollUp(START + hours * HOUR);
    // An hour that is partly rolled up has both.
    await maintain(0.5);
    assert.ok((await linesAt(fixture, account, START)).includes("0h usage -1 hash 2"));
    await maintain(1);
    const after = await allEntries(fixture.ledger, account, START);
    assert.deepEqual(after.map(lineOf), [
      "2h reversal 1 first hash",
      "1h debit -1 first hash 1",
      "0.5h debit -1 first hash 1",
      ...after.filter(({ kind }) => kind === "usage").map(lineOf),
      "0h grant 9 first",
    ]);
    const usage = after.filter(({ kind }) => kind === "usage");
    assert.deepEqual(
      usage.map(({ key, ...entry }) => `${lineOf(entry as Entry)} ${key?.slice(-10)}`).sort(),
      [
        "0h usage -1 hash 1 other00000",
        "0h usage -1 hash 2 main000000",
        "0h usage -1 uuid 1 main000000",
      ],
    );
    // Rolling up leaves the entry unchanged.
    const kept = new Map(before.map((entry) => [entry.id, entry]));
    const left = after.filter(({ kind }) => kind !== "usage");
    assert.deepEqual(
      left,
      left.map(({ id }) => kept.get(id)),
    );
  });
}

/** Entries of every kind, many of them in one millisecond. */
async function fullAccount(fixture: Fixture): Promise<string> {
  const account = await fixture.account("Ada", { freeCall: "open", credits: 30 });
  await fixture.createKey(account, "other");
  await fixture.grant(account, "a:b/c d", 3, { expiresAt: START + 4 * HOUR });
  await fixture.grant(account, "größer", 1, { expiresAt: START });
  for (let call = 0; call < 12; call += 1) {
    const reverse = await debit(fixture, account, Math.floor(call / 3), call % 2 ? "hash" : "uuid");
    if (call % 4 === 0) await reverse(4);
    await fixture.debit(account, { now: START + HOUR, key: "other" });
  }
  await fixture.rollUp(START + 2 * HOUR);
  await fixture.ledger.changeAccount({ account, now: START + 3 * HOUR, state: "closed" });
  return account;
}

function describePages(test: Rule) {
  for (const max of [1, 2, 3, 7])
    test(`pages of ${max} contain every entry once, even if several share a millisecond`, async (fixture) => {
      const account = await fullAccount(fixture);
      const all = await allEntries(fixture.ledger, account, START + DAY);
      assert.equal(new Set(all.map(({ kind }) => kind)).size, 6, "there is every kind");
      assert.deepEqual(await allEntries(fixture.ledger, account, START + DAY, max), all);
    });

  test("the last page has no next page, even if it is full", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 3 });
    await fixture.grant(account, "more", 1);
    const page = (max: number) => fixture.ledger.entries({ account, after: null, max, now: START });
    assert.equal((await page(2)).next, null);
    assert.notEqual((await page(1)).next, null);
  });

  test("an entry that is added between two pages does not shift the second page", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 99 });
    for (let call = 0; call < 6; call += 1) await debit(fixture, account, 1 + call);
    const page = (after: string | null) =>
      fixture.ledger.entries({ account, after, max: 3, now: START + 9 * HOUR });
    const first = await page(null);
    const second = await page(first.next);
    for (let call = 0; call < 4; call += 1) await debit(fixture, account, 7 + call);
    await fixture.grant(account, "new", 5, { now: START + 8 * HOUR });
    assert.deepEqual(await page(first.next), second);
  });

  test("the list continues from an entry that was rolled up in between", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 99 });
    for (const hours of [1, 2, 3]) await debit(fixture, account, hours + 0.5);
    const page = (after: string | null) =>
      fixture.ledger.entries({ account, after, max: 2, now: START + 9 * HOUR });
    const { next } = await page(null);
    await fixture.rollUp(START + 9 * HOUR);
    assert.deepEqual((await page(next)).entries.map(lineOf), [
      "2h usage -1 hash 1",
      "1h usage -1 hash 1",
    ]);
  });

  test("an invalid cursor or page size is rejected", async (fixture) => {
    const account = await fullAccount(fixture);
    const now = START + DAY;
    const ids = (await allEntries(fixture.ledger, account, now)).map(({ id }) => id);
    const bad = [
      ...[
        "",
        "x",
        "grant",
        "grant:",
        "grant:1",
        "grant:1:a:b",
        "debit:1e3:c",
        "debit:01:c",
        "debit::c",
      ],
      ...["debit:1.5:c", "debit:99999999999999999999:c", "usage:1:hash", "usage:1:key_none:hash"],
      ...[
        "reversal:1:c",
        "reversal:1:x:c",
        "reversal:1::c",
        "reversal:1:01:c",
        "sale:1:c",
        "grant:1:%",
        "grant:1:%zz",
        "grant:1:%41",
      ],
      ...ids.flatMap((id) => [`${id}:`, ` ${id}`, id.slice(1), id.toUpperCase()]),
      "'; DROP TABLE debit; --",
      "\u0000",
      "debit:1:".repeat(10_000),
    ];
    for (const after of bad)
      await assert.rejects(
        fixture.ledger.entries({ account, after, max: 3, now }),
        OrderRejected,
        `${after.slice(0, 40)} is rejected`,
      );
    for (const max of [0, -1, 1.5, Number.NaN])
      await assert.rejects(
        fixture.ledger.entries({ account, after: null, max, now }),
        OrderRejected,
      );
  });
}

/** All pages of a filtered list. */
async function filtered(fixture: Fixture, account: string, order: Partial<EntriesOrder>) {
  const found: Entry[] = [];
  let after: string | null = null;
  do {
    const page = await fixture.ledger.entries({
      ...{ account, after, max: 3, now: START + DAY },
      ...order,
    });
    found.push(...page.entries);
    after = page.next;
  } while (after !== null);
  return found;
}

function describeFilters(test: Rule) {
  test("a filtered list has exactly the entries that match, page by page", async (fixture) => {
    const account = await fullAccount(fixture);
    const all = await allEntries(fixture.ledger, account, START + DAY);
    const [main, other] = [keyId(account), keyId(account, "other")];
    const filters: [EntriesFilter, (entry: Entry) => boolean][] = [
      [{ kinds: ["grant", "void"] }, ({ kind }) => kind === "grant" || kind === "void"],
      [{ tool: "uuid" }, ({ tool }) => tool === "uuid"],
      [{ key: other }, ({ key }) => key === other],
      [{ key: main, tool: "hash" }, ({ key, tool }) => key === main && tool === "hash"],
      [{ kinds: ["usage"], key: main }, ({ kind, key }) => kind === "usage" && key === main],
      [{ kinds: ["grant"], key: main }, () => false],
      [{ from: START + 2 * HOUR }, ({ at }) => at >= START + 2 * HOUR],
      [
        { from: START + HOUR, tool: "hash" },
        ({ at, tool }) => at >= START + HOUR && tool === "hash",
      ],
      [{ kinds: [] }, () => false],
      [{ tool: "nothing" }, () => false],
      [{ key: "'; --" }, () => false],
    ];
    for (const [filter, matches] of filters) {
      const expected = all.filter(matches);
      assert.deepEqual(
        await filtered(fixture, account, { filter }),
        expected,
        JSON.stringify(filter),
      );
    }
    const until = START + 3 * HOUR;
    assert.deepEqual(
      await filtered(fixture, account, { until, filter: { tool: "hash" } }),
      all.filter(({ at, tool }) => at < until && tool === "hash"),
    );
  });
}

function describeBalances(test: Rule) {
  /** The sum of each entry and all older ones. */
  function sumsOf(entries: Entry[]): Map<string, number> {
    const sums = new Map<string, number>();
    let sum = 0;
    for (const { id, credits } of entries.toReversed()) {
      sum += credits;
      sums.set(id, sum);
    }
    return sums;
  }

  /** All entries with the balance after each. */
  async function balanced(
    { ledger }: Fixture,
    now: number,
    max: number,
    filter: EntriesFilter = {},
  ): Promise<Entry[]> {
    const account = accountId("Ada");
    const entries: Entry[] = [];
    for (let after: string | null = null; ; ) {
      const order = { account, after, max, now, filter, withBalances: true };
      const page: EntriesPage = await ledger.entries(order);
      entries.push(...page.entries);
      if (page.next === null) return entries;
      after = page.next;
    }
  }

  test("the balance after an entry is the sum of it and all older ones", async (fixture) => {
    const account = await fullAccount(fixture);
    for (const hours of [1, 2, 5])
      await fixture.grant(account, `more${hours}`, hours, { now: START + hours * HOUR + 1 });
    const now = START + DAY;
    const all = await allEntries(fixture.ledger, account, now);
    const sums = sumsOf(all);
    const expected = all.map((entry) => ({ ...entry, balance: sums.get(entry.id) }));
    for (const max of [1, 7, 1000]) assert.deepEqual(await balanced(fixture, now, max), expected);
    // Each balance is then looked up, because others may be left out between two entries.
    assert.deepEqual(await balanced(fixture, now, 1000, { kinds: ENTRY_KINDS }), expected);
    for (const kind of ENTRY_KINDS)
      assert.deepEqual(
        await balanced(fixture, now, 5, { kinds: [kind] }),
        expected.filter((entry) => entry.kind === kind),
      );
    const { balance } = await fixture.ledger.credits({ account, now });
    assert.equal(expected[0]?.balance, balance);
  });

  test("it stays so while calls are summed, reversed and rolled up", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 60 });
    await fixture.grant(account, "short", 9, { expiresAt: START + 6 * HOUR + 5 });
    const now = START + DAY;
    const check = async () => {
      const all = await allEntries(fixture.ledger, account, now);
      const balances = [...sumsOf(all).values()].reverse();
      for (const filter of [{}, { kinds: ENTRY_KINDS }]) {
        const entries = await balanced(fixture, now, 1000, filter);
        assert.deepEqual(
          entries.map(({ balance }) => balance),
          balances,
        );
      }
    };
    const reversals = [];
    for (let call = 0; call < 24; call += 1) {
      const reverse = await debit(fixture, account, call / 4, call % 3 ? "hash" : "uuid");
      if (call % 5 === 0) reversals.push(reverse);
    }
    await check();
    await fixture.sumUsage({ account, max: 7 });
    await check();
    for (const reverse of reversals) await reverse(6.5);
    await check();
    await fixture.rollUp(START + 2.5 * HOUR);
    await check();
    while ((await fixture.sumUsage({ account, max: 5 })).more);
    await check();
  });
}
