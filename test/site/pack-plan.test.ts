import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bestPlan,
  lifetimePlan,
  lifetimeText,
  purchasesText,
  recommendedOffer,
  spanText,
} from "#site/pack-plan.ts";
import fc from "../support/properties.ts";
import { byHand, noPrices, prices } from "../web/sales-fixtures.ts";

const planOf = (calls: number) => {
  const plan = bestPlan(prices, calls);
  assert.ok(plan);
  const bought = plan.purchases.map(({ offer, count }) => `${count} ${offer.id}`);
  return [bought.join(), plan.month, plan.year];
};

test("the plan is the packs that cost least in the first year", () => {
  assert.deepEqual(planOf(0), ["1 small", "€0.42", "€5.00"]);
  assert.deepEqual(planOf(83), ["1 small", "€0.42", "€5.00"]);
  // Eight small packs would cost €40 in the year.
  assert.deepEqual(planOf(650), ["1 medium", "€3.25", "€39.00"]);
  assert.deepEqual(planOf(10_000), ["1 large,2 medium", "€31.42", "€377.00"]);
  // 201,708 credits: 21 medium packs would cost €819, three large ones €897.
  assert.deepEqual(planOf(16_809), ["2 large,2 small", "€50.67", "€608.00"]);
  assert.equal(bestPlan(noPrices, 10), null);
});

test("the packs of a plan last a year, and no other packs that do cost less", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60_000 }), (calls) => {
      const plan = bestPlan(prices, calls);
      assert.ok(plan);
      const { purchases } = plan;
      const sum = (of: (each: (typeof purchases)[number]) => number) =>
        purchases.reduce((all, each) => all + each.count * of(each), 0);
      assert.ok(sum(({ months }) => months) > 12 - 1e-6);
      assert.equal(
        sum(({ offer }) => offer.price),
        cheapestByTrial(12 * calls),
      );
    }),
  );
});

/** Tries every number of large and of medium packs. Credits last a year, so packs never expire unused within it. */
function cheapestByTrial(credits: number): number {
  const [small, medium, large] = prices.packs;
  assert.ok(small && medium && large);
  const most = ({ credits: each }: { credits: number }) => Math.ceil(credits / each);
  let cheapest = Number.POSITIVE_INFINITY;
  for (let larges = 0; larges <= most(large); larges += 1) {
    for (let mediums = 0; mediums <= most(medium); mediums += 1) {
      const rest = credits - larges * large.credits - mediums * medium.credits;
      const smalls = Math.max(0, Math.ceil(rest / small.credits));
      const price = larges * large.price + mediums * medium.price + smalls * small.price;
      cheapest = Math.min(cheapest, price);
    }
  }
  return cheapest;
}

test("a plan of any price list costs least, also where large packs cost more per credit or expire sooner", () => {
  const [sample] = prices.packs;
  assert.ok(sample);
  const pack = fc.record({
    credits: fc.integer({ min: 1, max: 50 }),
    price: fc.integer({ min: 1, max: 60 }),
    months: fc.option(fc.integer({ min: 1, max: 24 })),
  });
  fc.assert(
    fc.property(
      fc.array(pack, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 20 }),
      (packs, need) => {
        const offers = packs.map((each, at) => ({ ...sample, ...each, id: `${at}` }));
        const plan = bestPlan({ ...prices, packs: offers }, need);
        assert.ok(plan);
        const sum = plan.purchases.reduce((all, { offer, count }) => all + count * offer.price, 0);
        assert.equal(sum, cheapestOf(packs, need));
      },
    ),
  );
});

/** The least that covers each number of credits, one after the other. */
function cheapestOf(
  packs: readonly { credits: number; price: number; months: number | null }[],
  need: number,
): number {
  const cheapest = [0];
  for (let credits = 1; credits <= 12 * need; credits += 1) {
    const prices = packs.map(({ price, months, ...pack }) => {
      const used = Math.min(pack.credits, (months ?? Number.POSITIVE_INFINITY) * need);
      return price + (cheapest[Math.max(0, credits - used)] ?? 0);
    });
    cheapest.push(Math.min(...prices));
  }
  return cheapest.at(-1) ?? 0;
}

test("the packs of a list of twelve are compared within bounds", () => {
  const [sample] = prices.packs;
  assert.ok(sample);
  // Each costs a cent less per thousand credits than the one before.
  const packs = Array.from({ length: 12 }, (_, at) => {
    const credits = 1_000 * 2 ** at + 7 * at;
    const price = Math.ceil((credits * (50_000 - at)) / 100_000);
    return { ...sample, id: `${at}`, credits, price };
  });
  const purchases = bestPlan({ ...prices, packs }, 1_234_567)?.purchases ?? [];
  const sum = (of: (each: (typeof purchases)[number]) => number) =>
    purchases.reduce((all, each) => all + each.count * of(each), 0);
  assert.ok(sum(({ months }) => months) > 12 - 1e-6);
  const best = packs.at(-1);
  assert.ok(best);
  const most = Math.ceil((12 * 1_234_567) / best.credits) * best.price;
  assert.ok(sum(({ offer }) => offer.price) <= most);
});

test("the lifetime plan pays off where packs for as long as its credits last would cost more", () => {
  const at = (calls: number) => {
    const plan = lifetimePlan(prices, calls);
    assert.ok(plan);
    return lifetimeText(plan);
  };
  assert.match(at(20), /pays off after 40 years\. Its 50,000 credits last more than 100 years/);
  assert.match(at(100_000), /does not pay off at this rate: its credits last 2 weeks/);
  assert.equal(lifetimePlan({ ...prices, lifetime: null }, 9), null);
  assert.equal(lifetimePlan(noPrices, 9), null);
  const yen = { ...prices.packs[0], currency: "jpy" } as (typeof prices.packs)[number];
  assert.equal(lifetimePlan({ ...prices, packs: [yen] }, 9), null);
});

test("times are rounded down and read like text", () => {
  assert.deepEqual([0.01, 0.1, 1, 3.9, 11.99, 30, 5_000].map(spanText), [
    "less than a day",
    "3 days",
    "1 month",
    "3 months",
    "11 months",
    "2.5 years",
    "more than 100 years",
  ]);
  const text = (calls: number) => {
    const plan = bestPlan(prices, calls);
    assert.ok(plan);
    return purchasesText(plan);
  };
  assert.equal(text(10), "1 × Small lasts 12 months");
  assert.equal(text(2_400), "3 × Medium in the first year, each lasts 4 months");
  assert.equal(text(200_000), "2 × Large a month");
  assert.equal(text(1_000_000_000), "10,000 × Large a month");
  assert.equal(text(16_809), "2 × Large and 2 × Small in the first year");
});

test("an offer is marked only if it is there", () => {
  assert.equal(recommendedOffer(prices), "medium");
  assert.equal(recommendedOffer(byHand), "medium");
  assert.equal(recommendedOffer({ ...prices, recommended: "gone" }), null);
  assert.equal(recommendedOffer(noPrices), null);
});
