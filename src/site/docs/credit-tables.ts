import { lastsText } from "../offer-text.ts";
import type { PageOptions } from "../page-options.ts";

/** The kinds of grants that this service makes. */
export function grantRows({ people }: PageOptions): string[][] {
  const { starter, prices } = people ?? {};
  const terms = [...new Set(prices?.packs.map(({ months }) => months))];
  const term = (months: number | null) =>
    months === null ? "never" : `${lastsText(months)} after payment`;
  const rows: string[][] = [];
  if (starter?.credits && people?.signUp === "open") {
    rows.push([
      "Starter",
      `Once, when you confirm your email address: ${whole(starter.credits)} credits`,
      `After ${starter.days} days`,
    ]);
  }
  if (terms.length > 0)
    rows.push(["Pack", "When you pay for a pack", terms.map(term).join(", or ")]);
  if (prices?.lifetime) {
    rows.push([
      "Lifetime plan",
      `Once, when you pay for the plan: ${whole(prices.lifetime.credits)} credits`,
      "Never",
    ]);
  }
  rows.push(["Operator", "When the operator grants it", "Never, or on the date the operator sets"]);
  return rows;
}

const whole = (value: number) => value.toLocaleString("en-US");
