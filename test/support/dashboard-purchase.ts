/** Steps that a buyer takes in a browser, on the credits page and on the payment provider's page. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Browser, Page } from "playwright-core";
import {
  FAKE_SECRET_KEY,
  FAKE_WEBHOOK_SECRET,
  type FakeStripe,
  startFakeStripe,
} from "../stripe/fake-stripe.ts";
import { type BrowserUser, heading, openMember } from "./dashboard-browser.ts";
import { openSite, type Site } from "./dashboard-site.ts";

const PRICES = {
  currency: "eur",
  packs: [
    { id: "small", name: "Small", credits: 1_000, price: "5.00", months: 12 },
    { id: "large", name: "Large", credits: 20_000, price: "80.00", months: 24 },
  ],
  lifetime: { name: "Lifetime", credits: 50_000, price: "199.00" },
  contact: "sales@example.com",
};

export type Shop = { site: Site; fake: FakeStripe };

/** A service with prices, a fake Stripe, and webhooks to this machine. The fake sends no webhooks unless the test turns them on. */
export async function openShop(hooks: { after(close: () => unknown): void }): Promise<Shop> {
  const fake = await startFakeStripe();
  hooks.after(() => fake.close());
  const site = await openSite(hooks, {
    STRIPE_SECRET_KEY: FAKE_SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: FAKE_WEBHOOK_SECRET,
    TOOLBOOTH_STRIPE_API: fake.api,
    TOOLBOOTH_WEBHOOK_NETWORKS: "any",
    TOOLBOOTH_PRICES: JSON.stringify(PRICES),
  });
  return { site, fake };
}

/** Opens the credits page of a new account with its 100 starter credits. */
export async function openBuyer(
  t: TestContext,
  browser: Browser,
  shop: Shop,
): Promise<BrowserUser> {
  const user = await openMember(t, browser, shop.site, "buyer");
  await user.page.goto("/credits");
  await waitForBalance(user.page, "100");
  return user;
}

/** Marks the loaded document, so that a reload can be detected. */
export const markPage = (page: Page) => page.evaluate("window.wasMarked = true");
export const isPageMarked = (page: Page) => page.evaluate<boolean>("window.wasMarked === true");

export const waitForBalance = (page: Page, balance: string) =>
  page.locator(".tb-balance", { hasText: new RegExp(`^${balance}$`) }).waitFor();

/** Ends on the provider's page. */
export async function buy(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: `Buy ${name}` }).click();
  await heading(page, "Checkout").waitFor();
}

/** Chooses an option on the provider's page, which leads back to the credits page. */
export async function chooseAtCheckout(page: Page, button: "Pay" | "Pay by bank debit" | "Cancel") {
  await page.getByRole("button", { name: button, exact: true }).click();
  await heading(page, "Credits").waitFor();
}

/** Waits for the message about the purchase at the top of the page. */
export const waitForMessage = (page: Page, text: string) =>
  page.locator(".tb-purchase-status").getByText(text).waitFor();

/** The text of each row in the list of purchases, newest first. */
export async function purchaseRows(page: Page): Promise<string[]> {
  await page.getByRole("tab", { name: "Purchases" }).click();
  const rows = page.getByRole("table", { name: "Purchases" }).getByRole("row");
  await rows.nth(1).waitFor();
  return (await rows.allInnerTexts()).slice(1).map((text) => text.replace(/\s+/g, " "));
}

/** The text of each row of a bought grant. */
export async function boughtGrants(page: Page): Promise<string[]> {
  await page.getByRole("tab", { name: "Grants" }).click();
  const rows = page.getByRole("table", { name: "Grants" }).getByRole("row");
  await rows.nth(1).waitFor();
  const texts = await rows.allInnerTexts();
  return texts.filter((text) => /^Credit pack|^Lifetime/.test(text));
}

/** The URL of a link that opens in a new tab without access to this one. */
export async function externalUrl(page: Page, name: string): Promise<string> {
  const link = page.getByRole("link", { name });
  assert.equal(await link.getAttribute("target"), "_blank");
  assert.match((await link.getAttribute("rel")) ?? "", /\bnoopener\b/);
  return (await link.getAttribute("href")) ?? "";
}
