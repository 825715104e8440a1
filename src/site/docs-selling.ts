import type { DocsSection } from "./guide-blocks.ts";

/** For those who run the service: a price list, and being paid through Stripe. */
export const SELLING: DocsSection = {
  id: "selling",
  title: "Selling credits",
  blocks: [
    "Write a price list and name its file in `TOOLBOOTH_PRICES`. It is checked at the start, and all its faults come in one message. Without Stripe the pages show the prices and say whom to ask.",
    {
      list: [
        "`packs`: each with an `id`, a `name`, `credits`, a `price`, and the calendar `months` until the credits expire (12 where left out, `null` for never).",
        "`lifetime`: a plan on which no credits of the account expire; may be left out.",
        "`taxes`: `none`, or `automatic` where Stripe Tax is to add them by the buyer's address.",
        "`contact`: an e-mail or a web address of whoever sells.",
      ],
    },
    {
      label: "prices.json",
      language: "json",
      code: JSON.stringify({
        currency: "eur",
        packs: [{ id: "small", name: "Small", credits: 1000, price: "5.00", months: 12 }],
        lifetime: { name: "Lifetime", credits: 50000, price: "199.00" },
        taxes: "none",
        contact: "sales@example.org",
      }),
    },
    "To be paid, set `STRIPE_SECRET_KEY`, and add an endpoint for `/webhooks/stripe` in Stripe's dashboard, whose signing secret is `STRIPE_WEBHOOK_SECRET`. Buyers pay on Stripe's page; cards, taxes, receipts and invoices stay there. A payment is granted once, however often and in whatever order Stripe tells of it; refunds and disputes take back what is unspent. `docs/payments.md` of the source has the list of events and every rule.",
    {
      label: "Compare the payments with the books",
      language: "shell",
      code: "npm run -s toolbooth -- payments reconcile",
    },
  ],
};
