import assert from "node:assert/strict";
import { test } from "node:test";
import type { HomeView } from "#api/dashboard/shapes.ts";
import { readDismissed } from "../../web/home/dismissed.ts";
import { daysLeft, hasCalled, rateText, suggestionFor } from "../../web/home/suggestions.ts";
import { countTicks, hasLabel } from "../../web/parts/axis.ts";
import { DAY_MS } from "../../web/parts/numbers.ts";
import fc from "../support/properties.ts";
import { home, NOW, newHome } from "./fixtures.ts";

const SELLS = { payable: true, contact: null };

const suggest = (change: Partial<HomeView>, ...dismissed: string[]) =>
  suggestionFor({ ...home, ...change }, NOW, SELLS, (id) => dismissed.includes(id));
const quiet = (calls: number): HomeView["days"] =>
  (home.days ?? []).map(({ day }) => ({ day, calls, errors: 0 }));
const NOTHING: Partial<HomeView> = { setUp: { passkey: false, alerts: false } };

test("nothing is suggested to an account that lacks nothing", () => {
  assert.equal(suggest({}), null);
});

test("each rule applies in its case", () => {
  const keyExpiry = { id: "key_1", label: "demo", at: NOW + 5 * DAY_MS };
  const failing = quiet(10)?.map((day) => ({ ...day, errors: 5 })) ?? null;
  const cases: [string, Partial<HomeView>, string][] = [
    ["low_balance:7", { balance: 3600, creditsPerDay: 560 }, "Your credits last 6 more days"],
    ["low_balance:3", { balance: 600, creditsPerDay: 560 }, "Your credits last 1 more day"],
    ["low_balance:1", { balance: 100, creditsPerDay: 560 }, "Your credits run out today"],
    ["many_errors:21 Nov 2026", { days: failing }, "33.3% of your requests failed"],
    [`key_expires:key_1:${keyExpiry.at}`, { keyExpiry }, "The key “demo” expires in 5 days"],
    [
      `credits_expire:${NOW + 2 * DAY_MS}`,
      { nextExpiry: { credits: 2000, at: NOW + 2 * DAY_MS }, creditsPerDay: 560 },
      "880 credits will expire unused in 2 days",
    ],
    ["passkey", NOTHING, "Add a passkey"],
    ["key_for_each", { keys: 1 }, "Use one key for each environment"],
    ["alerts", { setUp: { passkey: true, alerts: false } }, "Get an alert"],
  ];
  for (const [id, change, title] of cases) {
    const found = suggest(change);
    assert.equal(found?.id, id);
    assert.ok(found?.title.startsWith(title), found?.title);
    assert.equal(suggest(change, id)?.id === id, false);
  }
});

test("the most urgent suggestion comes first, and a dismissed one makes place for the next", () => {
  const many = { ...NOTHING, keys: 1, balance: 600, creditsPerDay: 560 };
  const shown: string[] = [];
  for (;;) {
    const found = suggest(many, ...shown);
    if (found === null) break;
    shown.push(found.id);
  }
  assert.deepEqual(shown, ["low_balance:3", "passkey", "key_for_each", "alerts"]);
  // A balance that has sunk further is suggested again.
  assert.equal(suggest({ ...many, balance: 100 }, ...shown)?.id, "low_balance:1");
});

test("what will be used up in time, is zero, or is not known is not suggested", () => {
  const soon = { credits: 1000, at: NOW + 2 * DAY_MS };
  assert.equal(suggest({ nextExpiry: soon, creditsPerDay: 560 }), null);
  assert.equal(suggest({ nextExpiry: { credits: 1000, at: NOW + 15 * DAY_MS } }), null);
  // The banner says it.
  assert.equal(suggest({ balance: 0 }), null);
  assert.equal(suggest({ days: null, creditsPerDay: null, today: null }), null);
  assert.equal(suggest({ keys: 1, days: quiet(7) }), null);
  const unknown = (home.days ?? []).map((day) => ({ ...day, errors: null }));
  assert.equal(suggest({ days: unknown }), null);
});

test("credits are added where they are sold, at the operator, or not offered at all", () => {
  const low = { ...home, balance: 600, creditsPerDay: 560 };
  const link = (sales: { payable: boolean; contact: string | null }) =>
    suggestionFor(low, NOW, sales, () => false)?.link;
  const sold = { action: "Add credits", to: "/credits" };
  const action = "Contact the operator";
  assert.deepEqual(link({ payable: true, contact: "ops@example.org" }), sold);
  const byEmail = { payable: false, contact: "ops@example.org" };
  assert.deepEqual(link(byEmail), { action, href: "mailto:ops@example.org" });
  const byPage = { payable: false, contact: "https://example.org/credits" };
  assert.deepEqual(link(byPage), { action, href: "https://example.org/credits" });
  assert.equal(link({ payable: false, contact: null }), null);
});

test("without a rate nothing is foretold", () => {
  const soon = { credits: 1000, at: NOW + 2 * DAY_MS };
  assert.equal(suggest({ balance: 1, creditsPerDay: null, nextExpiry: soon }), null);
});

test("any account gets a suggestion or none, never an error", () => {
  const count = fc.nat(100_000);
  const view = fc.record({
    balance: count,
    keys: fc.nat(25),
    creditsPerDay: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })),
    nextExpiry: fc.option(fc.record({ credits: count, at: fc.integer({ min: 0, max: 2 * NOW }) })),
    days: fc.option(
      fc.array(
        fc.record({ day: fc.constant("2026-11-21"), calls: count, errors: fc.option(count) }),
        { minLength: 14, maxLength: 14 },
      ),
    ),
  });
  fc.assert(
    fc.property(view, (change) => {
      const found = suggest(change);
      assert.doesNotMatch(`${found?.title} ${found?.text}`, /NaN|Infinity|-\d|null/);
    }),
  );
});

test("an account has called as soon as its free call is used or a key was", () => {
  assert.equal(hasCalled(newHome), false);
  assert.equal(hasCalled({ ...newHome, freeCall: false }), false);
  assert.equal(hasCalled(home), true);
  assert.equal(hasCalled({ ...home, freeCall: true }), false);
});

test("days left follow from the rate, where there is one", () => {
  assert.equal(daysLeft({ ...home, balance: 100, creditsPerDay: 10 }), 10);
  assert.equal(daysLeft({ ...home, creditsPerDay: 0 }), null);
  assert.equal(daysLeft({ ...home, creditsPerDay: null }), null);
  assert.deepEqual([0.01, 3.42, 560.3, 12_345.6].map(rateText), ["0.1", "3.4", "560", "12,346"]);
});

test("dismissals last 90 days, and what is stored otherwise counts as none", () => {
  const stored = JSON.stringify({ "acc_1 alerts": NOW - DAY_MS, "acc_1 old": NOW - 91 * DAY_MS });
  assert.deepEqual(readDismissed(stored, NOW), { "acc_1 alerts": NOW - DAY_MS });
  for (const text of [null, "", "{", "null", "[]", "7", '{"a":"b"}', '{"a":null}'])
    assert.deepEqual(readDismissed(text, NOW), {}, String(text));
});

test("the ticks of an axis are even, whole, few, and reach the largest value", () => {
  assert.deepEqual(countTicks(0), [0, 1]);
  assert.deepEqual(countTicks(1), [0, 1]);
  assert.deepEqual(countTicks(7), [0, 2, 4, 6, 8]);
  assert.deepEqual(countTicks(2554), [0, 1000, 2000, 3000]);
  fc.assert(
    fc.property(fc.nat(1e12), (max) => {
      const ticks = countTicks(max);
      const step = ticks[1] ?? 0;
      assert.ok(ticks.every((tick, index) => tick === index * step && Number.isInteger(tick)));
      assert.ok(ticks.length >= 2 && ticks.length <= 5);
      const last = ticks.at(-1) ?? 0;
      assert.ok(last >= max && (last - step < max || max === 0));
    }),
  );
});

test("labelled days are evenly spaced, the newest has a label, and no more than fit have one", () => {
  for (let count = 1; count <= 400; count += 1)
    for (const most of [4, 7, 14]) {
      const days = Array.from({ length: count }, (_, index) => index);
      const at = days.filter((index) => hasLabel(index, count, most));
      assert.equal(at.at(-1), count - 1);
      assert.ok(at.length <= most, `${at.length} of ${count}`);
      const gaps = new Set(at.slice(1).map((index, turn) => index - (at[turn] ?? 0)));
      assert.ok(gaps.size <= 1);
    }
});
