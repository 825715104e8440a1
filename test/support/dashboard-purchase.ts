/** What a buyer does in a browser, step by step: on the page of the credits, and on the provider's. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Browser, Page } from "playwright-core";
import {
  FAKE_SECRET_KEY,
  FAKE_WEBHOOK_SECRET,
  type FakeStripe,
  startFakeStripe,
} from "../stripe/fake-stripe.ts";
import { type Guest, heading, openGuest, signInQuickly } from "./dashboard-browser.ts";
import { member, openSite, type Site } from "./dashboard-site.ts";

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

/** The service that sells, with the fake of Stripe beside it. Without its messages: who wants them has them sent. */
export async function openShop(hooks: { after(close: () => unknown): void }): Promise<Shop> {
  const fake = await startFakeStripe();
  hooks.after(() => fake.close());
  const site = await openSite(hooks, {
    STRIPE_SECRET_KEY: FAKE_SECRET_KEY,
    STRIPE_WEBHOOK_SECRET: FAKE_WEBHOOK_SECRET,
    TOOLBOOTH_STRIPE_API: fake.api,
    TOOLBOOTH_PRICES: JSON.stringify(PRICES),
  });
  return { site, fake };
}

/** Somebody who has signed in and looks at their credits: the 100 starter credits. */
export async function openBuyer(t: TestContext, browser: Browser, shop: Shop): Promise<Guest> {
  const person = await member(shop.site, "buyer");
  const guest = await openGuest(t, browser, shop.site);
  await signInQuickly(guest, shop.site, person);
  await guest.page.goto("/credits");
  await waitForBalance(guest.page, "100");
  return guest;
}

/** The page as it is: what is loaded anew does not know the mark. */
export const mark = (page: Page) => page.evaluate("window.wasMarked = true");
export const isMarked = (page: Page) => page.evaluate<boolean>("window.wasMarked === true");

export const waitForBalance = (page: Page, balance: string) =>
  page.locator(".tb-figure", { hasText: new RegExp(`^${balance}$`) }).waitFor();

/** Leaves the buyer on the provider's page. */
export async function buy(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: `Buy ${name}` }).click();
  await heading(page, "Checkout").waitFor();
}

/** On the provider's page; leaves the buyer where that leads. */
export async function leaveBy(page: Page, button: "Pay" | "Pay by bank debit" | "Cancel") {
  await page.getByRole("button", { name: button, exact: true }).click();
  await heading(page, "Credits").waitFor();
}

/** What stands on top of the page. */
export const told = (page: Page, words: string) =>
  page.locator(".tb-followed").getByText(words).waitFor();

/** Of the list of purchases: what its rows say, newest first. */
export async function purchaseRows(page: Page): Promise<string[]> {
  const rows = page.getByRole("table", { name: "Purchases" }).getByRole("row");
  await rows.nth(1).waitFor();
  return (await rows.allInnerTexts()).slice(1).map((text) => text.replace(/\s+/g, " "));
}

/** Grants that were bought, and what is left of each. */
export async function boughtGrants(page: Page): Promise<string[]> {
  const rows = page.getByRole("table", { name: "Grants" }).getByRole("row");
  const texts = await rows.allInnerTexts();
  return texts.filter((text) => /^Credit pack|^Lifetime/.test(text));
}

/** The address of a link that opens the provider's page in a tab that knows nothing of this one. */
export async function outsideAddress(page: Page, name: string): Promise<string> {
  const link = page.getByRole("link", { name });
  assert.equal(await link.getAttribute("target"), "_blank");
  assert.match((await link.getAttribute("rel")) ?? "", /\bnoopener\b/);
  return (await link.getAttribute("href")) ?? "";
}
