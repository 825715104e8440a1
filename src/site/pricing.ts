import type { OfferView, PricesView } from "#api/dashboard/shapes.ts";
import { callPrice, freeCall, havePrices, priceCell } from "#api/openapi/words.ts";
import { counted } from "#counted.ts";
import type { Tool } from "#tools/define-tool.ts";
import { contactHref, topUp } from "#top-up.ts";
import { FRONT_STYLE } from "./front-style.ts";
import { icon } from "./icons.ts";
import { type Html, type HtmlPart, html, raw } from "./markup.ts";
import { lastsText, perThousand } from "./offer-text.ts";
import { bestPlan, estimateOf, purchasesText, recommendedOffer } from "./pack-plan.ts";
import { type PageLinks, pageLinks } from "./page-links.ts";
import { browserTools, type PageOptions, signUpIsOpen, soldBy } from "./page-options.ts";
import { renderPage } from "./shell.ts";

/** The numbers of credits a month that the page shows without a script. */
const SAMPLE_CREDITS = [1_000, 10_000, 100_000, 1_000_000];
const EXAMPLE = 10_000;
export const PRICING_PATH = "/pricing";

const offersOf = ({ packs, lifetime }: PricesView) =>
  lifetime === null ? packs : [...packs, lifetime];

/** The prices of this service. Without a price list it says how this service gives credits. */
export function pricingPage(options: PageOptions): string {
  const prices = soldBy(options);
  const links = pageLinks(options.publicUrl);
  return renderPage(
    {
      path: PRICING_PATH,
      title: `Pricing - ${options.name}`,
      description:
        prices === null
          ? `How you get credits for the API. A successful call costs ${callPrice(options.tools)}; errors cost nothing.`
          : `Credit packs without a subscription. A successful call costs ${callPrice(options.tools)}; errors cost nothing.`,
      style: FRONT_STYLE,
      main: html`<div class="pricing">
<h1>Pricing</h1>
<p class="lead">A successful call costs ${callPrice(options.tools)}. Errors cost nothing. There is no subscription${
        prices !== null && ": you buy credits when you need them"
      }.</p>
${prices === null ? withoutPrices(options, links) : withPrices(options, prices, links)}
${questions(prices, links)}
</div>`,
    },
    options,
  );
}

/** What a call of each tool costs; null if all cost the same. */
function toolPrices({ tools }: PageOptions, links: PageLinks): Html | null {
  if (!havePrices(tools)) return null;
  const row = (tool: Tool) =>
    html`<tr><th scope="row"><a href="${links.docs}/${tool.name}">${tool.title}</a></th><td class="number">${priceCell(tool)}</td></tr>\n`;
  return html`<section aria-labelledby="calls"><h2 id="calls">What a call costs</h2>
${
  tools.some(({ priceOf }) => priceOf !== undefined) &&
  html`<p class="soft">Where the price depends on the input, a <a href="${links.docsCredits}#quotes">quote</a> shows it before a call, for free.</p>\n`
}<div class="scroll" tabindex="0" role="group" aria-label="Prices of the tools"><table><thead><tr><th scope="col">Tool</th><th scope="col" class="number">Credits</th></tr></thead>
<tbody>${tools.map(row)}</tbody></table></div></section>
`;
}

function withPrices(options: PageOptions, prices: PricesView, links: PageLinks): HtmlPart {
  const recommended = recommendedOffer(prices);
  return [
    html`<section aria-labelledby="offers"><h2 id="offers" class="said">Packs</h2>
<ul class="packs">${offersOf(prices).map((offer) => offerCard(offer, offer.id === recommended, prices.payable))}</ul>
<div class="buy"><p class="actions">${callsToAction(options, prices, links)}</p>
<p class="small soft">${prices.taxesAdded ? "Taxes depend on your address and are added at checkout." : "You pay the price that you see."}</p></div></section>
`,
    toolPrices(options, links),
    prices.packs.length > 0 && calculator(prices, unitOf(options)),
    free(options, links),
  ];
}

/** A pack or plan, as on the front page. `isSold`: search engines read it as an offer. */
export function offerCard(offer: OfferView, isRecommended: boolean, isSold: boolean): Html {
  const { kind, name, credits, priceText, months } = offer;
  const lasts =
    kind === "lifetime"
      ? "Your credits never expire, including any you already have."
      : months === null
        ? "These credits never expire."
        : `Valid for ${lastsText(months)}.`;
  return html`<li${isRecommended && raw(' class="chosen"')}${isSold && raw(' itemscope itemtype="https://schema.org/Offer"')}><h3>${isSold ? html`<span itemprop="name">${name}</span>` : name}${
    isRecommended && html` <span class="mark">Recommended</span>`
  }</h3>
<p class="price">${priceText}${isSold && offerData(offer)}</p>
<p><b>${counted(credits, "credit")}</b></p>
<p class="small soft">${perThousand(offer)} per 1,000 credits. ${lasts}</p></li>
`;
}

function callsToAction(
  options: PageOptions,
  { payable, contact }: PricesView,
  links: PageLinks,
): HtmlPart {
  if (!payable) {
    return contact === null
      ? html`<span>To buy credits, contact the operator of this service.</span>`
      : html`<a class="button" href="${contactHref(contact)}">Contact the operator</a> <span class="soft">${contact}</span>`;
  }
  return signUpIsOpen(options)
    ? html`<a class="button tb-if-out" href="${links.signIn}">Get started</a> <a class="button quiet" href="${links.credits}">Buy credits</a>`
    : html`<a class="button" href="${links.credits}">Buy credits</a>`;
}

/** Calls where each costs one credit, so that readers need not convert. */
const unitOf = ({ tools }: PageOptions): "calls" | "credits" =>
  tools.every(({ price, priceOf }) => price === 1 && priceOf === undefined) ? "calls" : "credits";
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** The script (web/front/pricing.ts) makes the field writable and answers for the number in it. */
function calculator(prices: PricesView, unit: string): Html {
  const data = JSON.stringify(prices);
  return html`<section aria-labelledby="calculator" data-pricing="${data}"><h2 id="calculator">What it costs a month</h2>
<p class="soft">For each number of ${unit} a month, the packs that cost you least in the first year.</p>
<div class="estimate"><p><label for="need">${capital(unit)} a month</label>
<input id="need" type="text" inputmode="numeric" value="${EXAMPLE.toLocaleString("en-US")}" autocomplete="off" readonly></p>
<p id="estimate" aria-live="polite">${estimateText(prices, EXAMPLE)}</p></div>
<div class="scroll" tabindex="0" role="group" aria-label="Examples"><table><thead><tr><th scope="col">${capital(unit)} a month</th><th scope="col">Packs</th><th scope="col" class="number">Average a month</th><th scope="col" class="number">First year</th></tr></thead>
<tbody>${SAMPLE_CREDITS.map((credits) => exampleRow(prices, credits))}</tbody></table></div></section>
`;
}

function exampleRow(prices: PricesView, credits: number): Html | null {
  const plan = bestPlan(prices, credits);
  return (
    plan &&
    html`<tr><th scope="row">${credits.toLocaleString("en-US")}</th><td>${purchasesText(plan)}</td><td class="number">${plan.month}</td><td class="number">${plan.year}</td></tr>
`
  );
}

/** As the script writes it, so that nothing moves when it starts. */
function estimateText(prices: PricesView, credits: number): Html | null {
  const estimate = estimateOf(prices, credits);
  return (
    estimate && html`<b>${estimate.month}</b>${estimate.rest}<small>${estimate.details}</small>`
  );
}

const TICK = icon("check", 18);

function free(options: PageOptions, links: PageLinks): Html {
  const { credits, days } = options.dashboard.starter;
  const isOpen = signUpIsOpen(options);
  const first = freeCall(options);
  return html`<section class="beside" aria-labelledby="free"><h2 id="free">Free to start</h2>
<ul class="ticks">
${first !== "" && html`<li>${TICK}${first}</li>\n`}${
  isOpen &&
  credits > 0 &&
  html`<li>${TICK}You get ${counted(credits, "starter credit")}, valid for ${counted(days, "day")}, once, when you first sign in.</li>\n`
}<li>${TICK}<span>Errors are free, as are <code>GET /api/v1/account</code> and repeats with the same <code>Idempotency-Key</code>.</span></li>
${browserTools(options).length > 0 && html`<li>${TICK}<span>The <a href="${links.tools}">browser tools</a> run on your computer and cost nothing.</span></li>\n`}</ul></section>
`;
}

function withoutPrices(options: PageOptions, links: PageLinks): HtmlPart {
  const { contact } = options.dashboard.prices;
  const { sentence } = topUp({ payable: false, contact }, options.publicUrl);
  return [
    html`<section class="card" aria-labelledby="here"><h2 id="here">Credits on this service</h2>
<p class="soft">This service does not sell credits. Its operator gives them to accounts. ${sentence}</p>
${signUpIsOpen(options) && html`<p class="actions"><a class="button tb-if-out" href="${links.signIn}">Get started</a></p>\n`}</section>
`,
    toolPrices(options, links),
    free(options, links),
  ];
}

/** Answers that follow from what the service does (docs/credits.md, docs/payments.md). */
function questions(prices: PricesView | null, links: PageLinks): Html {
  const isPaid = prices?.payable === true;
  const asked: [string, HtmlPart][] = [
    [
      "What happens when my credits are used up?",
      html`The API rejects calls with 402 <code>insufficient_credits</code>, which says where to get more. Your keys and your account stay active. You get an email before that, when your balance drops below a level that you choose.`,
    ],
    [
      "Do credits expire?",
      html`${
        prices?.packs.some(({ months }) => months !== null)
          ? "Credits of a pack expire after the period shown on it. "
          : "Each grant shows when it expires, if it does. "
      }Calls spend the credits that expire first, and you get an email 30 days and 7 days before any expire.${
        prices?.lifetime && ` On the plan “${prices.lifetime.name}” your credits never expire.`
      }`,
    ],
    ...(isPaid
      ? ([
          [
            "Is there a subscription?",
            "No. You pay once for a pack, and nothing is charged later. No card is kept on this service.",
          ],
          [
            "Can I get a refund?",
            html`If a payment is refunded, its unspent credits are removed. Credits that you have spent stay spent.${
              prices?.contact &&
              html` Ask the operator: <a href="${contactHref(prices.contact)}">${prices.contact}</a>.`
            }`,
          ],
          [
            "Do prices include taxes?",
            prices?.taxesAdded
              ? "Taxes are added at checkout, according to your address. You see the total before you pay."
              : "Nothing is added to the price at checkout.",
          ],
          [
            "Do I get a receipt?",
            "Yes. The payment provider sends it, and your Credits page links to receipts and invoices.",
          ],
        ] as [string, HtmlPart][])
      : []),
    [
      "How do I know what a call cost?",
      html`Every response has the headers <code>Credits-Charged</code> and <code>Credits-Remaining</code>, and every debit is an entry in your ledger. <a href="${links.docsCredits}">How credits work</a>`,
    ],
  ];
  return html`<section class="beside" aria-labelledby="questions"><h2 id="questions">Questions</h2>
<div class="questions">${asked.map(
    ([question, answer]) =>
      html`<details><summary>${question}${icon("chevron-down", 18)}</summary><p>${answer}</p></details>\n`,
  )}</div></section>
`;
}

/** What search engines read of an offer that can be bought here (schema.org, as microdata: pages have no inline scripts). */
const offerData = ({ priceText, currency }: OfferView): Html =>
  html`<meta itemprop="price" content="${(/[\d,]+(?:\.\d+)?/.exec(priceText)?.[0] ?? "").replaceAll(",", "")}"><meta itemprop="priceCurrency" content="${currency.toUpperCase()}">`;
