import assert from "node:assert/strict";
import { test } from "node:test";
import * as session from "../../../support/dashboard-browser.ts";
import {
  CONFIRM,
  type Credentials,
  emailsTo,
  expiredLink,
  linkTo,
  newCredentials,
  until,
} from "../../../support/dashboard-site.ts";
import { HANGS_MS } from "../../../support/deadline.ts";
import { shareShop } from "./shared-shop.ts";

/** What can go wrong while signing up and in, and how users recover. */

const { browser, site } = await shareShop();

const starterGrants = async (user: session.BrowserUser): Promise<number> => {
  const response = await user.context.request.get("/dashboard/credits");
  const { grants } = (await response.json()) as { grants: { kind: string }[] };
  return grants.filter(({ kind }) => kind === "starter").length;
};

test("opening a confirmation link twice confirms once and grants once; a later click signs nobody in", async (t) => {
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  const credentials = newCredentials();
  await session.signUp(page, credentials);
  const link = await linkTo(site, credentials.email, CONFIRM);
  // Two tabs of one browser, at the same time.
  const tabs = [await user.openTab(), await user.openTab()];
  for (const tab of tabs) await tab.goto(link);
  await Promise.all(tabs.map((tab) => session.button(tab, "Confirm address").click()));
  for (const tab of [page, ...tabs]) await tab.waitForURL(`${site.base}/home`);
  assert.equal(await starterGrants(user), 1);
  for (const tab of tabs) await tab.close();

  await page.getByRole("button", { name: /^Account:/ }).click();
  user.expectConsoleError(/401 \(Unauthorized\).*\/dashboard\/home/);
  await page.getByRole("button", { name: "Sign out" }).click();
  await session.heading(page, "Sign in").waitFor();
  await page.goto(link);
  await session.button(page, "Confirm address").click();
  await session.heading(page, "Email address confirmed").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  // The address is filled in.
  assert.equal(await page.getByLabel("Email address").inputValue(), credentials.email);
  await page.getByLabel("Password", { exact: true }).fill(credentials.password);
  await session.button(page, /^Sign in$/).click();
  await session.heading(page, "Home").or(session.firstKeyDialog(page)).first().waitFor();
});

test("opening the link does not confirm the address, with scripts or without, because mail scanners open links too", async (t) => {
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  const credentials = newCredentials();
  await session.signUp(page, credentials);
  const link = await linkTo(site, credentials.email, CONFIRM);
  const posted: string[] = [];
  const tab = await user.openTab();
  tab.on("request", (each) => {
    if (each.method() !== "GET") posted.push(each.url());
  });
  await tab.goto(link);
  await session.button(tab, "Confirm address").waitFor();
  await tab.getByText(credentials.email).waitFor();
  // The token leaves the URL at once, and the page can still be reloaded.
  await until("a URL without the token", () => new URL(tab.url()).search === "");
  await tab.reload();
  await session.button(tab, "Confirm address").waitFor();
  assert.deepEqual(posted, []);
  await tab.close();

  const scriptless = await browser.newContext({ javaScriptEnabled: false });
  t.after(() => scriptless.close());
  const bare = await scriptless.newPage();
  bare.setDefaultTimeout(HANGS_MS);
  await bare.goto(link);
  await session.heading(bare, "Confirm your email address").waitFor();
  await bare.locator("noscript .tb-banner").waitFor();

  user.expectConsoleError(/status of 403 .*sign-in\/email/);
  await page.goto("/sign-in");
  await session.signIn(page, credentials);
  await page.getByRole("alert").getByText("Confirm your email address first").waitFor();
  // This tab waits too, because its browser has shown the right password.
  const other = await user.openTab();
  await session.confirmAddress(other, site, credentials);
  await page.waitForURL(`${site.base}/home`);
});

/** Requests a new link on the page of an expired one, and confirms the address with it. */
async function confirmWithNewLink(
  { page }: session.BrowserUser,
  { email }: Credentials,
): Promise<void> {
  await page.goto(await expiredLink(site, email));
  await session.button(page, "Confirm address").click();
  await session.heading(page, "This link is no longer valid").waitFor();
  const emailsBefore = emailsTo(site, email).length;
  assert.equal(await page.getByLabel("Email address").inputValue(), email);
  await session.button(page, "Send new link").click();
  await session.heading(page, "Check your email").waitFor();
  await until("another email", () => emailsTo(site, email).length > emailsBefore);
  await page.goto(await linkTo(site, email, CONFIRM));
  await session.button(page, "Confirm address").click();
}

test("the page of an expired link offers to send a new one", async (t) => {
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  const credentials = newCredentials();
  await session.signUp(page, credentials);
  await linkTo(site, credentials.email, CONFIRM);
  user.expectConsoleError(/status of 4\d\d .*verify-email/);
  await confirmWithNewLink(user, credentials);
  await session.firstKeyDialog(page).waitFor();
});

test("a new link requested in another browser asks for a new password, because someone else may have chosen the old one", async (t) => {
  const impostor = await session.openUser(t, browser, site);
  const credentials = newCredentials();
  await session.signUp(impostor.page, { ...credentials, password: "chosen by someone else" });
  await linkTo(site, credentials.email, CONFIRM);
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  user.expectConsoleError(/status of 4\d\d .*verify-email/);
  await confirmWithNewLink(user, credentials);
  await session.heading(page, "Choose your password").waitFor();
  await page.getByText(credentials.email).waitFor();
  await until("a URL without the token and the address", () => new URL(page.url()).search === "");
  await page.reload();
  await page.getByLabel("New password").fill(credentials.password);
  await session.button(page, "Set password and sign in").click();
  await page.waitForURL(`${site.base}/home`);
  // The browser of the stranger keeps waiting, without a session.
  await session.heading(impostor.page, "Check your email").waitFor();
});

test("resending the email from the sign-up page keeps the password", async (t) => {
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  const credentials = newCredentials();
  await user.controlClock();
  await session.signUp(page, credentials);
  await page.clock.runFor(61_000);
  await session.button(page, "Resend email").click();
  await until("a second email", () => emailsTo(site, credentials.email).length === 2);
  await session.confirmAddress(page, site, credentials);
});

test("a double click on Sign up creates one account and sends one email", async (t) => {
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  const credentials = newCredentials();
  const postedUrls: string[] = [];
  page.on(
    "request",
    (request) => void (request.method() === "POST" && postedUrls.push(request.url())),
  );
  await page.goto("/sign-up");
  await session.fillCredentials(page, credentials);
  await session.button(page, "Sign up").dblclick();
  await session.heading(page, "Check your email").waitFor();
  await linkTo(site, credentials.email, CONFIRM);
  assert.deepEqual(postedUrls, [`${site.base}/dashboard/auth/sign-up/email`]);
  await session.confirmAddress(page, site, credentials);
  assert.equal(emailsTo(site, credentials.email).length, 1);
});
