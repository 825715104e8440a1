import assert from "node:assert/strict";
import { test } from "node:test";
import { heading } from "../../../support/dashboard-browser.ts";
import {
  boughtGrants,
  buy,
  chooseAtCheckout,
  externalUrl,
  isPageMarked,
  markPage,
  openBuyer,
  purchaseRows,
  waitForBalance,
  waitForMessage,
} from "../../../support/dashboard-purchase.ts";
import { shareShop } from "./shared-shop.ts";

/** Purchases in a browser, with a fake payment provider. */

const { browser, ...shop } = await shareShop();
const { fake, site } = shop;

test("after paying, the user sees the credits, the purchase and its receipt, also after a reload", async (t) => {
  const front = await (await fetch(site.base)).text();
  for (const price of ["€5.00", "€80.00", "€199.00"]) assert.ok(front.includes(price), price);
  const { page, openTab } = await openBuyer(t, browser, shop);
  await buy(page, "Small");
  await chooseAtCheckout(page, "Pay");
  await waitForMessage(page, "1,000 credits were added to your balance.");
  await waitForBalance(page, "1,100");
  const [row, ...others] = await purchaseRows(page);
  assert.match(row ?? "", /^Small .+ 1,000 €5\.00 Paid\b/);
  assert.deepEqual(others, []);
  const receipt = await externalUrl(page, "Receipt for Small");
  assert.equal((await fetch(receipt)).status, 200);

  // A reload or another tab shows the same message and grants nothing again.
  await page.reload();
  const other = await openTab();
  await other.goto(page.url());
  for (const each of [page, other]) {
    await waitForMessage(each, "1,000 credits were added to your balance.");
    await waitForBalance(each, "1,100");
    assert.equal((await boughtGrants(each)).length, 1);
    assert.equal((await purchaseRows(each)).length, 1);
  }
  await other.getByRole("button", { name: "Close" }).click();
  await other.waitForURL(`${site.base}/credits?tab=purchases`);
});

test("the balance rises without a reload when a bank debit is paid", async (t) => {
  const { page } = await openBuyer(t, browser, shop);
  await buy(page, "Large");
  const session = fake.newest();
  await chooseAtCheckout(page, "Pay by bank debit");
  await waitForMessage(page, "This can take a few days.");
  await waitForBalance(page, "100");
  await markPage(page);
  fake.sendTo(`${site.base}/webhooks/stripe`);
  t.after(() => fake.sendTo(null));
  fake.arrive(session);
  await waitForMessage(page, "20,000 credits were added to your balance.");
  await waitForBalance(page, "20,100");
  assert.match((await purchaseRows(page))[0] ?? "", /\bPaid\b/);
  assert.ok(await isPageMarked(page), "the page was not reloaded");
});

test("a user who returns while the provider is down sees the credits once it is back", async (t) => {
  const { page } = await openBuyer(t, browser, shop);
  await buy(page, "Small");
  fake.setAway("500");
  t.after(() => fake.setAway(null));
  await chooseAtCheckout(page, "Pay");
  await waitForMessage(page, "Not paid yet.");
  await markPage(page);
  fake.setAway(null);
  await waitForMessage(page, "1,000 credits were added to your balance.");
  await waitForBalance(page, "1,100");
  assert.ok(await isPageMarked(page), "the page was not reloaded");
});

test("a user who leaves the provider's page is not charged and can continue to payment", async (t) => {
  const { page } = await openBuyer(t, browser, shop);
  await buy(page, "Small");
  await chooseAtCheckout(page, "Cancel");
  await waitForMessage(page, "Nothing was charged.");
  await waitForBalance(page, "100");
  assert.match((await purchaseRows(page))[0] ?? "", /\bNot paid\b/);
  await page.getByRole("link", { name: "Continue to payment" }).click();
  await heading(page, "Checkout").waitFor();
  await chooseAtCheckout(page, "Pay");
  await waitForBalance(page, "1,100");
  assert.equal((await purchaseRows(page)).length, 1);
});

test("a user whose way to the provider's page stops, or who comes back by Back, can buy", async (t) => {
  const user = await openBuyer(t, browser, shop);
  const { page } = user;
  await user.controlClock();
  const provider = `${fake.api}/**`;
  // A response without content leaves the page that is open.
  await page.route(provider, (route) => route.fulfill({ status: 204 }));
  const stopped = page.waitForResponse((response) => response.status() === 204);
  await page.getByRole("button", { name: "Buy Small" }).click();
  await stopped;
  await page.getByRole("button", { name: "Opening" }).waitFor();
  await page.clock.fastForward(15_000);
  await page.getByRole("button", { name: "Buy Small" }).waitFor();
  await page.unroute(provider);
  await buy(page, "Small");
  await page.goBack();
  await buy(page, "Small");
});

test("a buyer of the lifetime plan is on the plan and is not offered it again", async (t) => {
  const { page } = await openBuyer(t, browser, shop);
  await buy(page, "Lifetime");
  await chooseAtCheckout(page, "Pay");
  await waitForMessage(page, "Your credits never expire, including any you already had.");
  await waitForBalance(page, "50,100");
  await page.getByText("Your account is on this plan").waitFor();
  assert.equal(await page.getByRole("button", { name: "Buy Lifetime" }).count(), 0);
  await page.getByRole("tab", { name: "Grants" }).click();
  await page.getByText(/^Lifetime plan \(otherwise /).waitFor();
});
