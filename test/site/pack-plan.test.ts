import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  bestPlan,
  lifetimePlan,
  lifetimeText,
  purchasesText,
  recommendedOffer,
  spanText,
} from "#site/pack-plan.ts";
import { byHand, noPrices, prices } from "../web/sales-fixtures.ts";

const planOf = (calls: number) => {
  const plan = bestPlan(prices, calls);
  assert.ok(plan);
  return [plan.offer.id, plan.packs, plan.month, plan.year];
};

test("the plan is the pack that costs least in the first year", () => {
  assert.deepEqual(planOf(0), ["small", 1, "€0.42", "€5.00"]);
  assert.deepEqual(planOf(83), ["small", 1, "€0.42", "€5.00"]);
  // Eight small packs would cost €40 in the year.
  assert.deepEqual(planOf(650), ["medium", 1, "€3.25", "€39.00"]);
  assert.deepEqual(planOf(10_000), ["medium", 12, "€39.00", "€468.00"]);
  assert.equal(bestPlan(noPrices, 10), null);
});

test("no other number of packs of one kind costs less in the first year", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3_000_000 }), (calls) => {
      const plan = bestPlan(prices, calls);
      assert.ok(plan);
      const cheapest = Math.min(
        ...prices.packs.map(({ credits, price }) => price * Math.ceil((12 * calls) / credits)),
      );
      assert.equal(plan.offer.price * plan.packs, cheapest);
    }),
  );
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
  assert.equal(text(10_000), "1 × Medium a month");
  assert.equal(text(3_000), "4 × Medium in the first year, each lasts 3 months");
  assert.equal(text(250_000), "3 × Large a month");
  assert.equal(text(1_000_000_000), "10,000 × Large a month");
});

test("an offer is marked only if it is there", () => {
  assert.equal(recommendedOffer(prices), "medium");
  assert.equal(recommendedOffer(byHand), "medium");
  assert.equal(recommendedOffer({ ...prices, recommended: "gone" }), null);
  assert.equal(recommendedOffer(noPrices), null);
});
