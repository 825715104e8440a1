import type { OfferView } from "#api/dashboard/shapes.ts";

/** What offers are called and how they compare: the front page and the dashboard say the same. */

/** `€3.98`: what a thousand credits of an offer cost, written as its price is. Under one whole unit more digits count. */
export function perThousand({ priceText, credits }: OfferView): string {
  const [price = ""] = /[\d,]+(?:\.\d+)?/.exec(priceText) ?? [];
  const digits = price.split(".")[1]?.length ?? 0;
  const value = (Number(price.replaceAll(",", "")) * 1_000) / credits;
  const amount = value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: value < 1 ? digits + 2 : digits,
  });
  return priceText.replace(price, amount);
}

/** For how long its credits are good. */
export function lastsText(months: number | null): string {
  if (months === null) return "Does not expire";
  return months === 1 ? "1 month" : `${months} months`;
}

/** Where whoever sells is reached: an e-mail address is written to, anything else is a page. */
export const contactHref = (contact: string): string =>
  /^https?:/.test(contact) ? contact : `mailto:${contact}`;
