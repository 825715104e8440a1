import type { PricesView } from "#api/dashboard/shapes.ts";
import { callPrice, freeCall } from "#api/openapi/price-text.ts";
import { contactHref } from "#top-up.ts";
import { type Html, html } from "./html.ts";
import { recommendedOffer } from "./pack-plan.ts";
import { pageLinks } from "./page-links.ts";
import { type DashboardOffer, type PageOptions, signUpIsOpen } from "./page-options.ts";
import { offerCard } from "./pricing.ts";

/** The price list; null where no credits are for sale. */
export function prices(options: PageOptions): Html | null {
  const { dashboard, publicUrl } = options;
  if (!dashboard?.prices) return null;
  const { packs, lifetime } = dashboard.prices;
  const offers = lifetime === null ? packs : [...packs, lifetime];
  if (offers.length === 0) return null;
  const recommended = recommendedOffer(dashboard.prices);
  return html`<section aria-labelledby="prices"><h2 id="prices">Prices</h2>
<p class="lead">A successful call costs ${callPrice(options.tools)}. You buy credits in packs${
    lifetime && ", or with a lifetime plan on which they never expire"
  }. There is no subscription.</p>
<ul class="packs">${offers.map((offer) => offerCard(offer, offer.id === recommended, false))}</ul>
<p class="soft">${freeTier(dashboard, signUpIsOpen(options), freeCall(options))}${
    dashboard.prices.taxesAdded && "Taxes depend on your address and are added at checkout. "
  }${howToBuy(dashboard.prices, pageLinks(publicUrl).credits)}</p>
<p class="actions"><a class="button quiet" href="${pageLinks(publicUrl).pricing}">Compare prices</a></p></section>
`;
}

function freeTier({ starter }: DashboardOffer, isOpen: boolean, free: string): string {
  if (!isOpen || starter.credits === 0) return `${free} `;
  return `Start free: you get ${starter.credits} starter credits when you confirm your email address, valid for ${starter.days} days. ${free} `;
}

const howToBuy = ({ payable, contact }: PricesView, credits: string): Html =>
  payable
    ? html`Buy credits on the <a href="${credits}">Credits</a> page.`
    : contact === null
      ? html`To buy credits, contact the operator of this service.`
      : html`To buy credits, contact <a href="${contactHref(contact)}">${contact}</a>.`;
