import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import * as session from "../../../support/dashboard-browser.ts";
import {
  codeTo,
  createMember,
  emailsTo,
  linkTo,
  newAddress,
  until,
} from "../../../support/dashboard-site.ts";
import { HANGS_MS } from "../../../support/deadline.ts";
import { shareShop } from "./shared-shop.ts";

/** What can go wrong while signing in with a code or a link, and how users recover. */

const { browser, site } = await shareShop();
const LINK = /^Your code to sign (?:in|up)/;

test("the link of the email signs in after a press of its button, and the tab that waits goes on", async (t) => {
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  const email = newAddress();
  await page.goto("/sign-in");
  await session.askForCode(page, email);
  const tab = await user.openTab();
  await tab.goto(await linkTo(site, email, LINK));
  await session.button(tab, "Sign in").click();
  await session.firstKeyDialog(tab).getByRole("button", { name: "Not now" }).click();
  await tab.close();
  await session.heading(page, "Home").waitFor();
});

test("opening the link signs nobody in, with scripts or without, because mail scanners open links too", async (t) => {
  const user = await session.openUser(t, browser, site);
  const email = newAddress();
  await user.page.goto("/sign-in");
  await session.askForCode(user.page, email);
  const link = await linkTo(site, email, LINK);
  const posted: string[] = [];
  const tab = await user.openTab();
  tab.on("request", (each) => {
    if (each.method() !== "GET") posted.push(each.url());
  });
  await tab.goto(link);
  await session.button(tab, "Sign in").waitFor();
  await tab.reload();
  await session.button(tab, "Sign in").waitFor();
  assert.deepEqual(posted, []);
  await tab.close();

  const scriptless = await browser.newContext({ javaScriptEnabled: false });
  t.after(() => scriptless.close());
  const bare = await scriptless.newPage();
  bare.setDefaultTimeout(HANGS_MS);
  await bare.goto(link);
  await session.heading(bare, "Sign in").waitFor();
  await bare.locator("noscript .tb-banner").waitFor();
});

test("in another browser the link shows the code to type, and signs nobody in", async (t) => {
  const user = await session.openUser(t, browser, site);
  const other = await session.openUser(t, browser, site);
  const email = newAddress();
  await user.page.goto("/sign-in");
  await session.askForCode(user.page, email);
  await other.page.goto(await linkTo(site, email, LINK));
  await session.button(other.page, "Sign in").click();
  await session.heading(other.page, "Your code").waitFor();
  const shown = await other.page.getByRole("figure", { name: "Code" }).locator("code").innerText();
  assert.equal(shown.replace(" ", ""), await codeTo(site, email));
  await other.page.goto("/home");
  await session.heading(other.page, "Sign in").waitFor();
  await user.page.getByLabel("Code").fill(shown);
  await session.firstKeyDialog(user.page).waitFor();
});

test("after five wrong codes the page offers another code, which signs in", async (t) => {
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  const email = await createMember(site);
  user.expectConsoleError(/status of 400 .*sign-in\/code/);
  await user.controlClock();
  await page.goto("/sign-in");
  await session.askForCode(page, email);
  const code = await codeTo(site, email, 2);
  const field = page.getByLabel("Code");
  for (let wrong = 1; wrong <= 5; wrong += 1) {
    const typed = String((Number(code) + wrong) % 100_000_000).padStart(8, "0");
    const responding = page.waitForResponse(/sign-in\/code/);
    await field.fill(typed);
    assert.equal((await responding).status(), 400);
  }
  await until("what is wrong", () => field.getAttribute("aria-invalid"));
  await page.clock.runFor(61_000);
  await session.button(page, "Resend email").click();
  await field.fill(await codeTo(site, email, 3));
  await session.heading(page, "Home").waitFor();
});

test("a reload keeps the page of the code, and Back leads to the address", async (t) => {
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  const email = newAddress();
  await page.goto("/sign-in?next=/usage");
  await session.askForCode(page, email);
  await page.reload();
  await page.getByText(email).waitFor();
  assert.ok(!page.url().includes(email));
  await session.button(page, "Enter a different one").click();
  await session.heading(page, "Sign in").waitFor();
  assert.equal(await page.getByLabel("Email address").inputValue(), email);
  await page.goForward();
  await page.getByLabel("Code").fill(await codeTo(site, email));
  await session.heading(page, "Usage").waitFor();
  assert.equal(emailsTo(site, email).length, 1);
});

/** The paths of the POST requests of a page, from now on, without those for passkeys among the suggestions of the email field. */
function postsOf(page: Page): string[] {
  const paths: string[] = [];
  page.on("request", (each) => {
    const path = each.url().replace(`${site.base}/dashboard/`, "");
    if (each.method() === "POST" && !path.startsWith("auth/passkey/")) paths.push(path);
  });
  return paths;
}

test("a double click on Continue, on Resend email and on the button of the link each send one request", async (t) => {
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  const email = newAddress();
  const posted = postsOf(page);
  await user.controlClock();
  await page.goto("/sign-in?next=/usage");
  await page.getByLabel("Email address").fill(email);
  await session.button(page, "Continue").dblclick();
  await session.heading(page, "Check your email").waitFor();
  await page.clock.runFor(61_000);
  await session.button(page, "Resend email").dblclick();
  await session.button(page, /^Resend in/).waitFor();
  await codeTo(site, email, 2);
  assert.deepEqual(posted.splice(0), ["auth/sign-in/start", "auth/sign-in/start"]);
  await page.goto(await linkTo(site, email, LINK));
  await session.button(page, "Sign in").dblclick();
  await session.heading(page, "Usage").waitFor();
  assert.deepEqual(posted, ["auth/sign-in/link"]);
});

test("an address is changed with a code, and its earlier owner takes the change back", async (t) => {
  const user = await session.openMember(t, browser, site);
  const { page, email } = user;
  const newEmail = newAddress("moved");
  await page.goto("/settings/account");
  await page.getByLabel("New email address").fill(newEmail);
  await session.button(page, "Change email address").click();
  await page.getByLabel("Code").fill(await codeTo(site, newEmail));
  await page.getByText("Your email address is changed.").waitFor();
  await page.getByRole("button", { name: `Account: ${newEmail}` }).waitFor();

  const other = await session.openUser(t, browser, site);
  await other.page.goto(await linkTo(site, email, /address was changed/));
  const posted = postsOf(other.page);
  await session.button(other.page, "Undo the change").dblclick();
  await session.heading(other.page, "Your email address is restored").waitFor();
  assert.deepEqual(posted, ["auth/undo-email-change"]);
  await other.page.getByText(email).waitFor();
  await other.page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  await session.signIn(other.page, site, email, 2);
  await session.heading(other.page, "Home").waitFor();
});
