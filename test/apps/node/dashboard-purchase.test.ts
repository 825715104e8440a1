import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openBrowser } from "../../support/chromium.ts";
import { heading } from "../../support/dashboard-browser.ts";
import {
  boughtGrants,
  buy,
  isMarked,
  leaveBy,
  mark,
  openBuyer,
  openShop,
  outsideAddress,
  purchaseRows,
  told,
  waitForBalance,
} from "../../support/dashboard-purchase.ts";

/** A buyer in a browser, with everything real but the provider. */

const [browser, shop] = await Promise.all([openBrowser(), openShop({ after })]);
after(() => browser.close());
const { fake, site } = shop;

test("who pays comes back to more credits, the purchase and its receipt, and however often", async (t) => {
  const front = await (await fetch(site.base)).text();
  for (const price of ["€5.00", "€80.00", "€199.00"]) assert.ok(front.includes(price), price);
  const { page, openTab } = await openBuyer(t, browser, shop);
  await buy(page, "Small");
  await leaveBy(page, "Pay");
  await told(page, "1,000 credits were added to your balance.");
  await waitForBalance(page, "1,100");
  const [row, ...others] = await purchaseRows(page);
  assert.match(row ?? "", /^Small .+ 1,000 €5\.00 Paid\b/);
  assert.deepEqual(others, []);
  const receipt = await outsideAddress(page, "Receipt of Small");
  assert.equal((await fetch(receipt)).status, 200);

  // Coming back twice, or in another tab, shows the same, and grants nothing again.
  await page.reload();
  const other = await openTab();
  await other.goto(page.url());
  for (const each of [page, other]) {
    await told(each, "1,000 credits were added to your balance.");
    await waitForBalance(each, "1,100");
    assert.equal((await boughtGrants(each)).length, 1);
    assert.equal((await purchaseRows(each)).length, 1);
  }
  await other.getByRole("button", { name: "Close" }).click();
  await other.waitForURL(`${site.base}/credits`);
});

test("the balance rises without reloading when the money of a bank debit arrives", async (t) => {
  const { page } = await openBuyer(t, browser, shop);
  await buy(page, "Large");
  const session = fake.newest();
  await leaveBy(page, "Pay by bank debit");
  await told(page, "The bank needs some days.");
  await waitForBalance(page, "100");
  await mark(page);
  fake.sendTo(`${site.base}/webhooks/stripe`);
  t.after(() => fake.sendTo(null));
  fake.arrive(session);
  await told(page, "20,000 credits were added to your balance.");
  await waitForBalance(page, "20,100");
  assert.match((await purchaseRows(page))[0] ?? "", /\bPaid\b/);
  assert.ok(await isMarked(page), "the page was not loaded anew");
});

test("who comes back while the provider is away sees the credits once it is there again", async (t) => {
  const { page } = await openBuyer(t, browser, shop);
  await buy(page, "Small");
  fake.setAway("500");
  t.after(() => fake.setAway(null));
  await leaveBy(page, "Pay");
  await told(page, "Not paid yet.");
  await mark(page);
  fake.setAway(null);
  await told(page, "1,000 credits were added to your balance.");
  await waitForBalance(page, "1,100");
  assert.ok(await isMarked(page), "the page was not loaded anew");
});

test("who leaves the provider's page has paid nothing, and can go on from there", async (t) => {
  const { page } = await openBuyer(t, browser, shop);
  await buy(page, "Small");
  await leaveBy(page, "Cancel");
  await told(page, "Nothing was charged.");
  await waitForBalance(page, "100");
  assert.match((await purchaseRows(page))[0] ?? "", /\bNot paid\b/);
  await page.getByRole("link", { name: "Go on paying" }).click();
  await heading(page, "Checkout").waitFor();
  await leaveBy(page, "Pay");
  await waitForBalance(page, "1,100");
  assert.equal((await purchaseRows(page)).length, 1);
});

test("a buyer of the lifetime plan is on it, and is not offered it again", async (t) => {
  const { page } = await openBuyer(t, browser, shop);
  await buy(page, "Lifetime");
  await leaveBy(page, "Pay");
  await told(page, "none of your credits expires any more");
  await waitForBalance(page, "50,100");
  await page.getByText("Your account is on this plan").waitFor();
  assert.equal(await page.getByRole("button", { name: "Buy Lifetime" }).count(), 0);
  await page.getByText(/^Lifetime plan; else /).waitFor();
});
