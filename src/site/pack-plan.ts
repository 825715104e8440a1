import type { OfferView, PricesView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber } from "#counted.ts";
import { priceLike } from "./offer-text.ts";

/**
 * Which packs cover a number of credits a month. The pricing page, its script and the dashboard share it. All packs of a plan have
 * one currency, that of the first pack.
 */
export type Plan = {
  /** What is bought in the first year, largest packs first. */
  purchases: Purchase[];
  /** A twelfth of the year, and the year, formatted like the prices of the packs. */
  month: string;
  year: string;
};
/** `months`: how long one of these packs lasts, until it is spent or expires. */
type Purchase = { offer: OfferView; count: number; months: number };

/** `after`: months until the plan costs less than packs would have; null if it never does at this rate. */
export type LifetimePlan = { offer: OfferView; months: number; after: number | null };

/** At least 1, so that every number of credits has a plan. */
const needOf = (creditsPerMonth: number) => Math.max(1, creditsPerMonth);

type Cost = { purchases: Purchase[]; perYear: number };
type Kind = Omit<Purchase, "count">;

const perMonth = ({ offer, months }: Kind) => offer.price / months;

/** More than the packs of any ordinary price list need. With some lists all combinations would take seconds, and the rest saves cents. */
const TRIES_MAX = 2_000;

/**
 * The packs that together last a year and cost least; undefined without packs. Those that cost least per month come first, so the first
 * combination that is tried is a good one, and what cannot be cheaper is not tried.
 */
function cheapestYear(packs: readonly OfferView[], need: number): Cost | undefined {
  const kinds: Kind[] = packs
    .filter(({ currency }) => currency === packs[0]?.currency)
    .map((offer) => ({
      offer,
      months: Math.min(offer.credits / need, offer.months ?? Number.POSITIVE_INFINITY),
    }))
    .sort((one, other) => perMonth(one) - perMonth(other) || other.months - one.months);
  let best: Cost | undefined;
  let tries = 0;

  /** Covers so many months with these kinds, in addition to what was bought. */
  function cover([kind, ...others]: readonly Kind[], months: number, bought: Cost): void {
    if (kind === undefined) return;
    // Rounding must not add a pack to what lasts exactly so long.
    const most = Math.ceil(months / kind.months - 1e-9);
    for (let count = most; count >= 0 && tries < TRIES_MAX; count -= 1) {
      tries += 1;
      const perYear = bought.perYear + count * kind.offer.price;
      const left = months - count * kind.months;
      const purchases = [...bought.purchases, ...(count === 0 ? [] : [{ ...kind, count }])];
      if (count === most) {
        if (best === undefined || perYear < best.perYear) best = { purchases, perYear };
        continue;
      }
      const [next] = others;
      if (next === undefined) return;
      // Fewer of this kind cost more per month. Prices are whole numbers.
      const atLeast = Math.ceil(perYear + left * perMonth(next) - 1e-6);
      if (best !== undefined && atLeast >= best.perYear) return;
      cover(others, left, { purchases, perYear });
    }
  }

  cover(kinds, 12, { purchases: [], perYear: 0 });
  return best;
}

/** The packs that cost least in the first year; null without packs. */
export function bestPlan({ packs }: PricesView, creditsPerMonth: number): Plan | null {
  const best = cheapestYear(packs, needOf(creditsPerMonth));
  const purchases = (best?.purchases ?? []).toSorted((one, other) => other.months - one.months);
  const first = purchases[0]?.offer;
  if (best === undefined || first === undefined) return null;
  const { perYear } = best;
  const text = (amount: number) => priceLike(first, amount / first.price);
  return { purchases, month: text(perYear / 12), year: text(perYear) };
}

/** When the lifetime plan pays off; null where it is not sold, or not in the currency of the packs. */
export function lifetimePlan(prices: PricesView, creditsPerMonth: number): LifetimePlan | null {
  const { lifetime, packs } = prices;
  const need = needOf(creditsPerMonth);
  const best = cheapestYear(packs, need);
  if (lifetime === null || best === undefined || packs[0]?.currency !== lifetime.currency)
    return null;
  const after = (12 * lifetime.price) / best.perYear;
  const months = lifetime.credits / need;
  return { offer: lifetime, months, after: after <= months ? after : null };
}

/** The pack that pages mark as recommended; null: none. */
export const recommendedOffer = ({ packs, lifetime, recommended }: PricesView): string | null =>
  [...packs, ...(lifetime === null ? [] : [lifetime])].find(({ id }) => id === recommended)?.id ??
  null;

/** `3 days`, `6 weeks`, `4 months`, `2.5 years`: rounded down, so that nothing is promised that is not there. */
export function spanText(months: number): string {
  const days = Math.floor(months * 30.4);
  if (days < 1) return "less than a day";
  if (days < 14) return counted(days, "day");
  if (months < 1) return counted(Math.floor(days / 7), "week");
  if (months < 24) return counted(Math.floor(months), "month");
  const years = Math.floor(months / 6) / 2;
  return years >= 100 ? "more than 100 years" : counted(years, "year");
}

/** `2 × Large and 1 × Small in the first year` and the like. */
export function purchasesText({ purchases }: Plan): string {
  const [only, ...others] = purchases;
  if (only === undefined) return "";
  const { offer, count, months } = only;
  if (others.length > 0) {
    const parts = purchases.map((each) => `${formatNumber(each.count)} × ${each.offer.name}`);
    return `${new Intl.ListFormat("en").format(parts)} in the first year`;
  }
  if (months >= 12) return `1 × ${offer.name} lasts ${spanText(months)}`;
  // As many in every month.
  return count % 12 === 0
    ? `${formatNumber(count / 12)} × ${offer.name} a month`
    : `${formatNumber(count)} × ${offer.name} in the first year, each lasts ${spanText(months)}`;
}

/** One sentence about the lifetime plan at this rate. */
export function lifetimeText({ offer, months, after }: LifetimePlan): string {
  const lasts = `Its ${offer.credits.toLocaleString("en-US")} credits last ${spanText(months)} at this rate`;
  return after === null
    ? `${offer.name} does not pay off at this rate: its credits last ${spanText(months)}, and packs for that time cost less.`
    : `${offer.name} (${offer.priceText}) pays off after ${after < 1 ? "less than a month" : spanTextUp(after)}. ${lasts}, and nothing expires.`;
}

/** Rounded up: before that time the plan has not paid off. */
const spanTextUp = (months: number) =>
  months < 24 ? counted(Math.ceil(months), "month") : counted(Math.ceil(months / 6) / 2, "year");

/** The answer of the calculator, in three parts; null without packs. */
export function estimateOf(prices: PricesView, creditsPerMonth: number) {
  const plan = bestPlan(prices, creditsPerMonth);
  if (plan === null) return null;
  const lifetime = lifetimePlan(prices, creditsPerMonth);
  return {
    month: `${plan.month} a month`,
    rest: ` on average, ${plan.year} in the first year.`,
    details: `${purchasesText(plan)}.${lifetime === null ? "" : ` ${lifetimeText(lifetime)}`}`,
  };
}
