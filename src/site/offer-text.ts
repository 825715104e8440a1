import type { OfferView } from "#api/dashboard/shapes.ts";
import { counted } from "#counted.ts";

/**
 * The price of a thousand credits of an offer, such as `€3.98`, formatted like the price of the offer. Prices below one unit of the
 * currency get two more digits. The site and the dashboard share it.
 */
export const perThousand = (offer: OfferView): string =>
  priceLike(offer, 1_000 / offer.credits, (digits) => digits + 2);

/**
 * So many times the price of an offer, formatted like it. `smallDigits`: decimals below one unit of the currency, at least 2 by default,
 * and more if it would look free.
 */
export function priceLike(
  { priceText }: OfferView,
  times: number,
  smallDigits = (digits: number) => Math.max(digits, 2),
): string {
  const [price = ""] = /[\d,]+(?:\.\d+)?/.exec(priceText) ?? [];
  const digits = price.split(".")[1]?.length ?? 0;
  const value = Number(price.replaceAll(",", "")) * times;
  const amount = value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits:
      value < 1 ? Math.max(smallDigits(digits), Math.ceil(-Math.log10(value))) : digits,
  });
  return priceText.replace(price, amount);
}

/** How long the credits of an offer are valid. */
export function lastsText(months: number | null): string {
  if (months === null) return "Does not expire";
  return counted(months, "month");
}
