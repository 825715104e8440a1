/** One user from the front page to a closed account, in any runtime. */
import assert from "node:assert/strict";
import { json } from "node:stream/consumers";
import type { TestContext } from "node:test";
import type { Browser, Page } from "playwright-core";
import * as session from "./dashboard-browser.ts";
import { codeTo, emailsTo, newAddress, type TestSite, until } from "./dashboard-site.ts";

export const LIFECYCLE =
  "a user signs up, creates a key, makes calls, sees them in the usage, revokes the key and closes the account";

export async function walkThroughLifecycle(
  t: TestContext,
  browser: Browser,
  site: TestSite,
): Promise<void> {
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  const email = newAddress();

  const line = await makeFirstCall(t, site, user, email);

  await page.getByRole("navigation").getByRole("link", { name: "Credits" }).click();
  await session.heading(page, "Credits").waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Home" }).click();
  // The page does not refetch data that is less than ten seconds old.
  await page.reload();
  await balanceOf(page).getByText("100 credits").waitFor();
  await page.getByText("Your next call is free").waitFor({ state: "hidden" });
  assert.deepEqual(await readBalance(page), { balance: "100 credits", isFree: false });
  assert.equal((await session.runInShell(line)).status, 200);
  await page.reload();
  await balanceOf(page).getByText("99 credits").waitFor();
  assert.deepEqual(await readBalance(page), { balance: "99 credits", isFree: false });

  await page.getByRole("navigation").getByRole("link", { name: "Usage" }).click();
  await session.heading(page, "Usage").waitFor();
  await page
    .getByRole("row", { name: /markdown-render/ })
    .first()
    .waitFor();
  const cells = page
    .getByRole("row", { name: /markdown-render/ })
    .first()
    .getByRole("cell");
  // Two calls; the first was free.
  assert.deepEqual((await cells.allInnerTexts()).slice(-2), ["2", "1"]);

  await session.revokeKey(page, "Development", "2 calls");
  const rejected = await session.runInShell(line);
  assert.equal(rejected.status, 401, rejected.body);

  await page.goto("/settings/account");
  const downloading = page.waitForEvent("download");
  await session.button(page, "Export your data").click();
  const exported = (await json(await (await downloading).createReadStream())) as Exported;
  assert.deepEqual([exported.profile.email, exported.complete], [email, true]);

  await session.closeAccount(page, email);
  await page.getByText("Your account is closed.").waitFor();
  await assertEmails(site, email);

  // A user who signs in again gets another account, without starter credits and with no free call.
  await page.goto("/sign-in");
  await session.signIn(page, site, email, 2);
  await session.firstKeyDialog(page).getByRole("button", { name: "Not now" }).click();
  assert.deepEqual(await readBalance(page), { balance: "0 credits", isFree: false });
}

type Exported = { profile: { email: string }; complete: boolean };

/** From the front page to the first call. Counts what the user does, besides the code, and returns the call. */
async function makeFirstCall(
  t: TestContext,
  site: TestSite,
  { page }: session.BrowserUser,
  email: string,
): Promise<string> {
  const { counts, click, fill } = session.countActions();
  await page.goto("/");
  await click(
    page
      .getByRole("main")
      .getByRole("link", { name: /^(?:Get started|Create an account)$/ })
      .first(),
  );
  await session.heading(page, "Sign in").waitFor();
  await fill(page.getByLabel("Email address"), email);
  await click(session.button(page, "Continue"));
  await session.heading(page, "Check your email").waitFor();
  await page.getByLabel("Code").fill(await codeTo(site, email));
  await click(session.firstKeyDialog(page).getByRole("button", { name: "Reveal and copy" }));
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The call is copied, with your key in it.").waitFor();
  const line = await session.clipboard(page);
  const first = await session.runInShell(line);
  t.diagnostic(`front page to first call: ${counts.clicks} clicks, ${counts.fields} fields`);
  assert.deepEqual(counts, { clicks: 3, fields: 1 });
  assert.equal(first.status, 200, first.body);
  assert.match(JSON.parse(first.body).html, /^<h1/);
  assert.ok(line.includes(await dialog.getByLabel("Your API key").inputValue()));

  await dialog.getByText("Your first call worked").waitFor();
  await dialog
    .getByText(/^markdown-render responded with 200 at [\d:]{8} UTC\. It was free\./)
    .waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "hidden" });
  await session.heading(page, "Home").waitFor();
  await page.getByText("Your first call worked").waitFor();
  return line;
}

/** Where the home page says how many credits there are. */
const balanceOf = (page: Page) =>
  page.locator(".tb-stats > div", { has: page.getByText("Balance", { exact: true }) });

async function readBalance(page: Page): Promise<{ balance: string; isFree: boolean }> {
  const balance = await balanceOf(page).locator(".tb-stat").innerText();
  const isFree = await page.getByText("Your next call is free").isVisible();
  return { balance, isFree };
}

/** Asserts that the user got one email for each step, and no others. */
async function assertEmails(site: TestSite, email: string): Promise<void> {
  await until("the last email", () => emailsTo(site, email).length === 5);
  assert.deepEqual(
    emailsTo(site, email).map((each) => each.email.subject),
    [
      "Your code to sign up for Toolbooth",
      "A new API key was created",
      "An API key was revoked",
      "The data of your account was exported",
      "Your account was closed",
    ],
  );
}
