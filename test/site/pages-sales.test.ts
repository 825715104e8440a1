import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import type { OfferView, PricesView } from "#api/dashboard/shapes.ts";
import { freeCall } from "#api/openapi/words.ts";
import { ENDPOINTS_MAX, RETRY_WAITS_MS } from "#events/bounds.ts";
import { lastsText, perThousand } from "#site/offer-text.ts";
import { createPages, type Pages } from "#site/pages.ts";
import type { Tool } from "#tools/define-tool.ts";
import hash from "#tools/hash/tool.ts";
import uuid from "#tools/uuid/tool.ts";
import { contactHref } from "#top-up.ts";
import { byHand, noPrices, prices } from "../web/sales-fixtures.ts";
import { BARE, EARLY, FULL, pageAt } from "./pages-server.ts";

const { dashboard } = FULL;
const at = (pages: Pages, path: string) => pageAt(pages, path) ?? "";
const pagesWith = (list: PricesView) =>
  createPages({ ...FULL, dashboard: { ...dashboard, prices: list } });
const front = (list: PricesView) => at(pagesWith(list), "/");
const docs = (list: PricesView, path: string) => at(pagesWith(list), path);

const offer = (priceText: string, credits: number): OfferView => ({
  ...(prices.packs[0] as OfferView),
  ...{ priceText, credits },
});

describe("prices on the front page", () => {
  it("show every offer with its credits, its price, and the price of a thousand", () => {
    const page = front(prices);
    for (const { name, priceText } of prices.packs) {
      assert.match(page, new RegExp(`<h3>${name}(?: <span class="mark">Recommended</span>)?</h3>`));
      assert.ok(page.includes(`>${priceText}</p>`), name);
    }
    assert.equal(page.match(/class="mark"/g)?.length, 1);
    assert.ok(page.includes("<b>100,000 credits</b>"));
    assert.ok(page.includes("€2.99 per 1,000 credits. Valid for 12 months."));
    assert.ok(page.includes("Your credits never expire"));
    assert.ok(page.includes("100 starter credits"));
    assert.ok(page.includes("Taxes depend on your address and are added at checkout"));
    assert.ok(page.includes('<a href="/credits">Credits</a>'));
  });

  it("are missing where nothing is for sale", () => {
    assert.ok(!front(noPrices).includes('id="prices"'));
    assert.ok(!at(createPages(BARE), "/").includes('id="prices"'));
  });

  it("link to the operator where there is no checkout", () => {
    const page = front(byHand);
    assert.ok(page.includes('<a href="mailto:sales@example.com">sales@example.com</a>'));
    assert.ok(!page.includes("Buy credits on"));
    assert.ok(front({ ...byHand, contact: null }).includes("contact the operator of this service"));
  });

  it("count one credit and one day, and write large numbers as other pages do", () => {
    const [first] = prices.packs as [OfferView];
    const list = { ...prices, packs: [{ ...first, credits: 1 }] };
    const texts = (starter: { credits: number; days: number }) => {
      const pages = createPages({ ...FULL, dashboard: { ...dashboard, starter, prices: list } });
      return ["/", "/pricing", "/docs/quickstart", "/docs/credits"].map((path) => at(pages, path));
    };
    for (const page of texts({ credits: 1, days: 1 })) {
      assert.match(page, /1 (?:starter )?credit\b/);
      assert.match(page, /1 day\b/);
      assert.doesNotMatch(page, /[^\d,.]1 (?:starter )?(?:credits|days)\b/);
    }
    for (const page of texts({ credits: 2_000, days: 90 }))
      assert.match(page, /2,000 (?:starter )?credits/);
  });

  it("promise no starter credits where sign-up is closed", () => {
    const closed = { ...dashboard, signUp: "closed" as const, prices };
    const page = at(createPages({ ...FULL, dashboard: closed }), "/");
    assert.ok(page.includes(freeCall(FULL)));
    assert.ok(!page.includes("starter credits"));
  });

  it("escape the price list", () => {
    const name = `<script>"'&`;
    const [first] = prices.packs as [OfferView];
    const list = { ...byHand, packs: [{ ...first, name }], contact: `https://x.test/"><script>` };
    const page = front(list);
    // The page has one script of its own.
    assert.ok(!page.replace(`<script>${EARLY}`, "").includes("<script>"));
    assert.ok(page.includes("&lt;script&gt;&quot;&#39;&amp;"));
  });
});

describe("the text of an offer", () => {
  it("formats the price of a thousand credits like the price of the offer", () => {
    assert.equal(perThousand(offer("€5.00", 1_000)), "€5.00");
    assert.equal(perThousand(offer("€199.00", 50_000)), "€3.98");
    assert.equal(perThousand(offer("CHF\u00a01,234.50", 1_000)), "CHF\u00a01,234.50");
    assert.equal(perThousand(offer("¥500", 100)), "¥5,000");
    assert.equal(perThousand(offer("KWD\u00a01.500", 3_000)), "KWD\u00a00.500");
  });

  it("gives cheap credits more digits, so that they do not look free", () => {
    assert.equal(perThousand(offer("€1.00", 1_000_000)), "€0.001");
    assert.equal(perThousand(offer("¥500", 1_000_000)), "¥0.5");
    assert.equal(perThousand(offer("€1.00", 100_000_000)), "€0.00001");
  });

  it("says how long credits are valid, and links to the seller", () => {
    assert.deepEqual([lastsText(1), lastsText(12)], ["1 month", "12 months"]);
    assert.equal(lastsText(null), "Does not expire");
    assert.equal(contactHref("sales@example.com"), "mailto:sales@example.com");
    assert.equal(contactHref("https://example.com/buy"), "https://example.com/buy");
  });
});

describe("the pricing page", () => {
  const pricing = (list: PricesView, options = FULL) =>
    at(createPages({ ...options, dashboard: { ...dashboard, prices: list } }), "/pricing");

  it("shows offers, marks the recommended one, and has an answer for sample numbers without a script", () => {
    const page = pricing(prices);
    assert.equal(page.match(/class="chosen"/g)?.length, 1);
    assert.match(page, /Medium<\/span> <span class="mark">Recommended/);
    assert.match(
      page,
      /<th scope="row">10,000<\/th><td>1 × Large and 2 × Medium in the first year<\/td>/,
    );
    assert.match(page, /€31\.42 a month<\/b> on average, €377\.00 in the first year/);
    assert.match(
      page,
      /<meta itemprop="price" content="39\.00"><meta itemprop="priceCurrency" content="EUR">/,
    );
    assert.match(page, /Taxes are added at checkout/);
    assert.match(page, /100 starter credits/);
    assert.match(page, /<a class="button tb-if-out" href="\/sign-in">Get started</);
  });

  it("names the contact where there is no checkout", () => {
    const page = pricing(byHand);
    assert.match(page, /<a class="button" href="mailto:sales@example\.com">/);
    assert.doesNotMatch(page, /itemprop|Is there a subscription\?/);
    assert.match(pricing({ ...byHand, contact: null }), /contact the operator of this service/);
  });

  it("lists what a call of each tool costs if that differs, and how to learn the price of an input", () => {
    assert.doesNotMatch(pricing(prices), /What a call costs/);
    const dear = { ...hash, price: 20, priceOf: () => 1 } as Tool;
    const page = pricing(prices, { ...FULL, tools: [uuid as Tool, dear] });
    assert.match(page, />Hash<\/a><\/th><td class="number">up to 20<\/td>/);
    assert.match(page, /<td class="number">1<\/td>/);
    assert.match(page, /\/docs\/credits#quotes/);
    assert.match(page, /Credits a month/);
  });

  it("says without a price list how this service gives credits", () => {
    const page = pricing(noPrices);
    assert.match(page, /does not sell credits\. Its operator gives them/);
    assert.match(page, /The first call of an account is free/);
    assert.doesNotMatch(page, /data-pricing|class="packs"/);
    assert.match(at(createPages(BARE), "/pricing"), /ask the operator of this service/);
  });

  it("is linked where something is sold or given, and found by search engines", () => {
    const pages = createPages(FULL);
    assert.match(at(pages, "/"), /<a href="\/pricing">Pricing<\/a>/);
    assert.ok(at(pages, "/sitemap.xml").includes("https://tools.test/pricing"));
    assert.doesNotMatch(at(createPages(BARE), "/"), /\/pricing/);
  });

  it("escapes the price list", () => {
    const name = `</script><b>"'`;
    const [small] = prices.packs;
    const page = pricing({ ...prices, packs: [{ ...(small as OfferView), name }] });
    assert.doesNotMatch(page, /<\/script><b>/);
  });
});

describe("the documentation of credits", () => {
  it("explains packs and the plan where they are for sale, and names the operator elsewhere", () => {
    const sold = docs(prices, "/docs/credits");
    for (const id of ["where-credits-come-from", "expiry", "buying-credits", "the-lifetime-plan"]) {
      assert.ok(sold.includes(`<h2 id="${id}">`), id);
    }
    assert.ok(sold.includes("12 months after payment"));
    const unsold = docs(noPrices, "/docs/credits");
    assert.ok(unsold.includes("To get more credits, ask the operator of this service."));
    for (const id of ["buying-credits", "the-lifetime-plan"]) {
      assert.ok(!unsold.includes(`<h2 id="${id}">`), id);
    }
    assert.ok(!docs(byHand, "/docs/credits").includes("payment provider"));
  });
});

describe("the documentation of webhooks", () => {
  const source = FULL.docs?.["webhooks.md"] ?? "";
  const [, lines = "", sampleBody = ""] =
    /^POST \/hooks HTTP\/1\.1\n([\s\S]*?)\n\n(.*)\n```$/m.exec(source) ?? [];
  const shown = new Map(lines.split("\n").map((line) => line.split(": ") as [string, string]));
  const secret = /whsec_[A-Za-z0-9+/]{32}/.exec(source)?.[0] ?? "";
  const id = shown.get("webhook-id") ?? "";
  const timestamp = Number(shown.get("webhook-timestamp"));

  it("shows a webhook whose signature is valid", () => {
    const made = new Webhook(secret).sign(id, new Date(timestamp * 1_000), sampleBody);
    assert.equal(made, shown.get("webhook-signature"));
  });

  it("says how many endpoints an account can have, and when deliveries are retried", () => {
    const page = docs(prices, "/docs/webhooks");
    assert.ok(page.includes(`up to ${ENDPOINTS_MAX} endpoints`));
    const waits =
      "5 seconds, 1 minute, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours and 7 hours";
    const seconds = waits.split(/, | and /).map((wait) => {
      const [count, unit = ""] = wait.split(" ");
      return Number(count) * (unit.startsWith("s") ? 1 : unit.startsWith("m") ? 60 : 3_600);
    });
    assert.ok(page.includes(waits));
    assert.deepEqual(
      seconds,
      RETRY_WAITS_MS.map((wait) => wait / 1_000),
    );
  });
});
