import type { OfferView, PricesView } from "#api/dashboard/shapes.ts";
import { callPrice, freeCall } from "#api/openapi/price-text.ts";
import { type Html, html } from "./html.ts";
import { contactHref, lastsText, perThousand } from "./offer-text.ts";
import { pageLinks } from "./page-links.ts";
import { type DashboardOffer, type PageOptions, signUpIsOpen } from "./page-options.ts";

/** What credits cost here; nothing where none are sold. */
export function prices(options: PageOptions): Html | null {
  const { people, publicUrl } = options;
  if (!people?.prices) return null;
  const { packs, lifetime } = people.prices;
  const offers = lifetime === null ? packs : [...packs, lifetime];
  if (offers.length === 0) return null;
  return html`<section aria-labelledby="prices"><h2 id="prices">Prices</h2>
<p class="lead">A successful call costs ${callPrice(options.tools)}. Credits are bought once, in packs${
    lifetime && ", or with a plan on which they do not expire"
  }: there is no subscription.</p>
<ul class="packs">${offers.map(offerCard)}</ul>
<p class="soft">${freeTier(people, signUpIsOpen(options), freeCall(options))}${
    people.prices.taxesAdded && "Taxes are added where you pay, by your address. "
  }${howToBuy(people.prices, pageLinks(publicUrl).credits)}</p></section>
`;
}

function offerCard(offer: OfferView): Html {
  const { kind, name, credits, priceText, months } = offer;
  const good =
    kind === "lifetime"
      ? "None of your credits expires: neither these, nor those that you have or get later."
      : months === null
        ? "They do not expire."
        : `Good for ${lastsText(months)}.`;
  return html`<li><h3>${name}</h3>
<p class="price">${priceText}</p>
<p><b>${credits.toLocaleString("en-US")} credits</b></p>
<p class="small soft">${perThousand(offer)} for 1,000. ${good}</p></li>
`;
}

function freeTier({ starter }: DashboardOffer, isOpen: boolean, free: string): string {
  if (!isOpen || starter.credits === 0) return `${free} `;
  return `Free to begin with: ${starter.credits} starter credits with your confirmed e-mail address, good for ${starter.days} days. ${free} `;
}

const howToBuy = ({ payable, contact }: PricesView, credits: string): Html =>
  payable
    ? html`Buy them on the page <a href="${credits}">Credits</a>.`
    : contact === null
      ? html`Ask the operator of this service for them.`
      : html`Ask the operator of this service for them: <a href="${contactHref(contact)}">${contact}</a>.`;
