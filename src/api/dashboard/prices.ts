import { priceText } from "#billing/money.ts";
import type { Offer, PriceList } from "#billing/price-list.ts";
import { json, type RequestContext } from "./request-context.ts";
import type { OfferView, PricesView } from "./shapes.ts";

/** The price list; it needs no session. */
export async function showPrices({ deps }: RequestContext): Promise<Response> {
  const { prices, billing, contact } = deps.sales;
  return json(viewPrices(prices, billing !== null, contact));
}

/** `contact`: that of the service, for a price list without one. */
export function viewPrices(
  prices: PriceList | null,
  payable: boolean,
  contact: string | null,
): PricesView {
  if (prices === null) {
    return {
      ...{ packs: [], lifetime: null, payable: false, taxesAdded: false },
      ...{ contact, recommended: null },
    };
  }
  const { packs, lifetime, taxes, recommended } = prices;
  return {
    packs: packs.map(viewOffer),
    lifetime: lifetime === null ? null : viewOffer(lifetime),
    payable,
    taxesAdded: taxes === "automatic",
    contact: prices.contact ?? contact,
    recommended,
  };
}

const viewOffer = (offer: Offer): OfferView => ({
  ...offer,
  priceText: priceText(offer.price, offer.currency),
});
