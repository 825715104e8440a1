import type { PricesView } from "#api/dashboard/shapes.ts";
import type { DocsSection } from "./guide-blocks.ts";
import { html } from "./html.ts";
import { contactHref, lastsText } from "./offer-text.ts";
import { pageLinks } from "./page-links.ts";
import type { PageOptions } from "./page-options.ts";

/** Where credits come from, in which order they are spent, when they end, and what the lifetime plan changes. */
export function creditSections(options: PageOptions): DocsSection[] {
  const prices = options.people?.prices ?? null;
  return [
    grants(options, prices),
    expiry(),
    ...(prices !== null && isSold(prices) ? [buying(options, prices)] : []),
    ...(prices?.lifetime ? [lifetime(prices.lifetime.name)] : []),
  ];
}

const isSold = ({ packs, lifetime: plan }: PricesView) => packs.length > 0 || plan !== null;

const whole = (value: number) => value.toLocaleString("en-US");

function grants(options: PageOptions, prices: PricesView | null): DocsSection {
  const { docs, credits, usage } = pageLinks(options.publicUrl);
  const { people } = options;
  const sold = prices !== null && isSold(prices);
  return {
    id: "grants",
    title: "Where credits come from",
    blocks: [
      "Credits come to an account as grants. An account can have any number of them side by side.",
      { table: { head: ["Grant", "When it comes", "When it ends"], rows: rows(options, prices) } },
      ...(sold
        ? []
        : ["Credits cannot be bought here. When you need more, ask the operator of this service."]),
      html`<p>${
        people &&
        html`The pages <a href="${credits}">Credits</a> and <a href="${usage}">Usage</a> show every grant, every debit, and what each key has called. `
      }What a call costs: <a href="${docs}#credits">Credits</a>.</p>\n`,
    ],
  };
}

function rows({ people }: PageOptions, prices: PricesView | null): string[][] {
  const { starter } = people ?? {};
  const lasts = [...new Set(prices?.packs.map(({ months }) => months))];
  const ends = (months: number | null) =>
    months === null ? "never" : `${lastsText(months)} after it was paid`;
  return [
    ...(starter?.credits
      ? [
          [
            "starter",
            `with the first confirmation of your e-mail address: ${starter.credits}, once`,
            `after ${starter.days} days`,
          ],
        ]
      : []),
    ...(lasts.length > 0 ? [["pack", "when a pack is paid", lasts.map(ends).join(", or ")]] : []),
    ...(prices?.lifetime
      ? [["lifetime", `when the plan is paid: ${whole(prices.lifetime.credits)}, once`, "never"]]
      : []),
    ["operator", "when the operator gives it", "never, or on the day given"],
  ];
}

const expiry = (): DocsSection => ({
  id: "expiry",
  title: "What is spent first, and what ends",
  blocks: [
    "A call spends of the grant that expires soonest; grants that do not expire are spent last. Among those that end at the same time the older one comes first.",
    {
      list: [
        "A grant ends at the very moment that is shown, in UTC. What is left of it is then gone, and the history says so.",
        "Months are calendar months: what is paid on 31 January for one month ends on the last day of February.",
        "A call that gets no answer because of the service is given back to the grant that paid for it, as long as that has not ended.",
        "30 days and 7 days before something ends you are told, if any of it is left.",
      ],
    },
  ],
});

function buying({ publicUrl }: PageOptions, prices: PricesView): DocsSection {
  const { credits, front } = pageLinks(publicUrl);
  const { contact, payable, taxesAdded } = prices;
  const ask = contact && html` <a href="${contactHref(contact)}">${contact}</a>.`;
  if (!payable) {
    return {
      id: "buying",
      title: "Buying credits",
      blocks: [
        html`<p>The <a href="${front}#prices">price list</a> says what credits cost. They are not sold on a page: ask the operator of this service.${ask}</p>\n`,
      ],
    };
  }
  return {
    id: "buying",
    title: "Buying credits",
    blocks: [
      html`<p>On the page <a href="${credits}">Credits</a> choose a pack and pay on the page of the payment provider. Cards, addresses, receipts and invoices stay there; this service never sees them.</p>\n`,
      {
        list: [
          `You pay once. There is no subscription, and nothing is charged later.${taxesAdded ? " Taxes are added by your address." : ""}`,
          "The credits are there when the money is: with a card at once, with a bank transfer or debit some days later. You need not keep the page open.",
          "A payment brings its credits exactly once, even where the connection breaks on the way back.",
          "Where a payment is refunded, what is left of its credits is taken back; what you have spent stays spent. A part of the money takes back that part of the credits. The same holds while a payment is disputed at the bank.",
        ],
      },
      ...(contact === null ? [] : [html`<p>Questions about a purchase:${ask}</p>\n`]),
    ],
  };
}

const lifetime = (name: string): DocsSection => ({
  id: "lifetime",
  title: "The lifetime plan",
  blocks: [
    `While an account is on the plan “${name}”, none of its credits expires: neither those that came with the plan, nor those that it had, nor those that it gets later.`,
    {
      list: [
        "Grants keep the end that they would have without the plan; the page Credits shows it beside them.",
        "The plan is bought once. Its credits are not renewed: when they are spent, packs bring more, and those do not expire either.",
        "Where the payment of the plan is refunded whole, the plan ends, and the other grants end as they would have without it.",
      ],
    },
  ],
});
