import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import type { OfferView, PricesView } from "#api/dashboard/shapes.ts";
import { freeCall } from "#api/openapi/price-text.ts";
import { ENDPOINTS_MAX, RETRY_WAITS_MS } from "#events/bounds.ts";
import { SAMPLE, VERIFY_JAVASCRIPT } from "#site/docs-webhooks.ts";
import { contactHref, lastsText, perThousand } from "#site/offer-text.ts";
import type { DashboardOffer } from "#site/page-options.ts";
import { createPages } from "#site/pages.ts";
import { byHand, noPrices, prices } from "../web/sales-fixtures.ts";
import { BARE, FULL } from "./pages-server.ts";

const people = FULL.people as DashboardOffer;
const pagesWith = (list: PricesView | null) =>
  createPages({ ...FULL, people: { ...people, prices: list } }).byPath;
const front = (list: PricesView | null) => pagesWith(list)["/"] as string;

const offer = (priceText: string, credits: number): OfferView => ({
  ...(prices.packs[0] as OfferView),
  ...{ priceText, credits },
});

describe("prices on the front page", () => {
  it("name every offer with its credits, its price, and what a thousand cost", () => {
    const page = front(prices);
    for (const { name, priceText } of prices.packs) {
      assert.ok(page.includes(`<h3>${name}</h3>`), name);
      assert.ok(page.includes(`>${priceText}</p>`), name);
    }
    assert.ok(page.includes("<b>100,000 credits</b>"));
    assert.ok(page.includes("€2.99 for 1,000. Good for 12 months."));
    assert.ok(page.includes("None of your credits expires"));
    assert.ok(page.includes("100 starter credits"));
    assert.ok(page.includes("Taxes are added where you pay"));
    assert.ok(page.includes('<a href="/credits">Credits</a>'));
  });

  it("are not there where nothing is sold", () => {
    for (const list of [null, noPrices]) assert.ok(!front(list).includes('id="prices"'));
    assert.ok(!createPages(BARE).byPath["/"]?.includes('id="prices"'));
  });

  it("lead to the operator where nobody takes the money", () => {
    const page = front(byHand);
    assert.ok(page.includes('<a href="mailto:sales@example.com">sales@example.com</a>'));
    assert.ok(!page.includes("Buy them"));
    assert.ok(front({ ...byHand, contact: null }).includes("Ask the operator of this service"));
  });

  it("promise no starter credits to those who cannot sign up", () => {
    const closed = { ...people, signUp: "closed" as const, prices };
    const page = createPages({ ...FULL, people: closed }).byPath["/"] ?? "";
    assert.ok(page.includes(freeCall(FULL)));
    assert.ok(!page.includes("starter credits"));
  });

  it("escape what the price list says", () => {
    const name = `<script>"'&`;
    const [first] = prices.packs as [OfferView];
    const list = { ...byHand, packs: [{ ...first, name }], contact: `https://x.test/"><script>` };
    const page = front(list);
    assert.ok(!page.includes("<script>"));
    assert.ok(page.includes("&lt;script&gt;&#34;&#39;&amp;"));
  });
});

describe("the words of an offer", () => {
  it("write what a thousand credits cost as the price is written", () => {
    assert.equal(perThousand(offer("€5.00", 1_000)), "€5.00");
    assert.equal(perThousand(offer("€199.00", 50_000)), "€3.98");
    assert.equal(perThousand(offer("CHF\u00a01,234.50", 1_000)), "CHF\u00a01,234.50");
    assert.equal(perThousand(offer("¥500", 100)), "¥5,000");
    assert.equal(perThousand(offer("KWD\u00a01.500", 3_000)), "KWD\u00a00.500");
  });

  it("tell cheap credits from free ones", () => {
    assert.equal(perThousand(offer("€1.00", 1_000_000)), "€0.001");
    assert.equal(perThousand(offer("¥500", 1_000_000)), "¥0.5");
  });

  it("say for how long, and whom to ask", () => {
    assert.deepEqual([lastsText(1), lastsText(12)], ["1 month", "12 months"]);
    assert.equal(lastsText(null), "Does not expire");
    assert.equal(contactHref("sales@example.com"), "mailto:sales@example.com");
    assert.equal(contactHref("https://example.com/buy"), "https://example.com/buy");
  });
});

describe("the documentation of credits", () => {
  it("tells of packs and the plan where they are sold, and of the operator where not", () => {
    const sold = pagesWith(prices)["/docs/accounts"] ?? "";
    for (const id of ["grants", "expiry", "buying", "lifetime"]) {
      assert.ok(sold.includes(`<h2 id="${id}">`), id);
    }
    assert.ok(sold.includes("12 months after it was paid"));
    const unsold = pagesWith(null)["/docs/accounts"] ?? "";
    assert.ok(unsold.includes("Credits cannot be bought here."));
    for (const id of ["buying", "lifetime"]) assert.ok(!unsold.includes(`<h2 id="${id}">`), id);
    assert.ok(!(pagesWith(byHand)["/docs/accounts"] ?? "").includes("payment provider"));
  });
});

describe("the documentation of webhooks", () => {
  const page = pagesWith(prices)["/docs/webhooks"] ?? "";

  it("shows a webhook whose signature is true", () => {
    const { secret, id, timestamp, body, signature } = SAMPLE;
    const made = new Webhook(secret).sign(id, new Date(timestamp * 1_000), body);
    assert.equal(made, signature);
  });

  it("has code that takes what is signed, and nothing else", () => {
    const { secret, id, body } = SAMPLE;
    // Its import and its export are the module's; the rest is run as it stands.
    const code = VERIFY_JAVASCRIPT.replace(/^import .*\n/, "").replace(
      "export const read =",
      "return",
    );
    const environment = { env: { TOOLBOOTH_WEBHOOK_SECRET: secret } };
    const read = new Function("Webhook", "process", code)(Webhook, environment) as (
      body: string,
      headers: Record<string, string>,
    ) => { type: string };
    const at = new Date();
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": new Webhook(secret).sign(id, at, body),
    };
    assert.equal(read(body, headers).type, "credits.low");
    assert.throws(() => read(body.replace("19", "18"), headers));
    const old = { ...headers, "webhook-timestamp": String(SAMPLE.timestamp) };
    assert.throws(() => read(body, old));
  });

  it("says how many addresses there can be, and how often is tried", () => {
    assert.ok(page.includes(`up to ${ENDPOINTS_MAX} of them`));
    const told =
      "5 seconds, 1 minute, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours and 7 hours";
    const seconds = told.split(/, | and /).map((wait) => {
      const [count, unit = ""] = wait.split(" ");
      return Number(count) * (unit.startsWith("s") ? 1 : unit.startsWith("m") ? 60 : 3_600);
    });
    assert.ok(page.includes(told));
    assert.deepEqual(
      seconds,
      RETRY_WAITS_MS.map((wait) => wait / 1_000),
    );
  });
});
