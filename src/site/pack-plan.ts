import type { OfferView, PricesView } from "#api/dashboard/shapes.ts";
import { priceLike } from "./offer-text.ts";

/**
 * Which pack fits a number of credits a month. The pricing page, its script and the dashboard share it. All packs of a plan have
 * one currency, that of the first pack.
 */
export type Plan = {
  offer: OfferView;
  /** How long one of the packs lasts, in months: until it is spent or expires. */
  months: number;
  /** How many of them are bought in the first year. */
  packs: number;
  /** Formatted like the price of the pack. `month` is the average while packs are bought again and again. */
  month: string;
  year: string;
};

/** `after`: months until the plan costs less than packs would have; null if it never does at this rate. */
export type LifetimePlan = { offer: OfferView; months: number; after: number | null };

/** At least 1, so that every number of credits has a plan. */
const needOf = (creditsPerMonth: number) => Math.max(1, creditsPerMonth);

function planWith(offer: OfferView, need: number) {
  const months = Math.min(offer.credits / need, offer.months ?? Number.POSITIVE_INFINITY);
  // Rounding must not add a pack to what lasts exactly a year.
  const packs = Math.max(1, Math.ceil(12 / months - 1e-9));
  return { offer, months, packs, perMonth: offer.price / months, perYear: offer.price * packs };
}

/** The pack that costs least in the first year, and among those least a month; null without packs. */
export function bestPlan({ packs }: PricesView, creditsPerMonth: number): Plan | null {
  const need = needOf(creditsPerMonth);
  const [best] = packs
    .filter(({ currency }) => currency === packs[0]?.currency)
    .map((offer) => planWith(offer, need))
    .sort((one, other) => one.perYear - other.perYear || one.perMonth - other.perMonth);
  if (best === undefined) return null;
  const { offer, months, packs: count, perMonth, perYear } = best;
  const text = (amount: number) => priceLike(offer, amount / offer.price);
  return { offer, months, packs: count, month: text(perMonth), year: text(perYear) };
}

/** When the lifetime plan pays off; null where it is not sold, or not in the currency of the packs. */
export function lifetimePlan(prices: PricesView, creditsPerMonth: number): LifetimePlan | null {
  const { lifetime, packs } = prices;
  const best = bestPlan(prices, creditsPerMonth);
  if (lifetime === null || best === null || packs[0]?.currency !== lifetime.currency) return null;
  const need = needOf(creditsPerMonth);
  const after = lifetime.price / planWith(best.offer, need).perMonth;
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

const counted = (count: number, unit: string) =>
  `${count.toLocaleString("en-US")} ${unit}${count === 1 ? "" : "s"}`;

/** `2 packs a year` and the like: how often the pack is bought. */
export function purchasesText({ packs, months, offer }: Plan): string {
  if (months >= 12) return `1 × ${offer.name} lasts ${spanText(months)}`;
  return months <= 1
    ? `${Math.ceil(1 / months - 1e-9).toLocaleString("en-US")} × ${offer.name} a month`
    : `${packs.toLocaleString("en-US")} × ${offer.name} in the first year, each lasts ${spanText(months)}`;
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
