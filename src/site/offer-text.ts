import type { OfferView } from "#api/dashboard/shapes.ts";

/**
 * The price of a thousand credits of an offer, such as `€3.98`, formatted like the price of the offer. Prices below one unit of the
 * currency get two more digits. The front page and the dashboard share it.
 */
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

/** How long the credits of an offer are valid. */
export function lastsText(months: number | null): string {
  if (months === null) return "Does not expire";
  return months === 1 ? "1 month" : `${months} months`;
}

/** The link to the seller: an email address or a page. */
export const contactHref = (contact: string): string =>
  /^https?:/.test(contact) ? contact : `mailto:${contact}`;
