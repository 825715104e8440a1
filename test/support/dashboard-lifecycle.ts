/** One user from the front page to a closed account, in any runtime. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { TestContext } from "node:test";
import type { Browser, Page } from "playwright-core";
import * as session from "./dashboard-browser.ts";
import { emailsTo, newCredentials, type TestSite, until } from "./dashboard-site.ts";

export const LIFECYCLE =
  "a user signs up, creates a key, makes calls, sees them in the usage, revokes the key and closes the account";

export async function walkThroughLifecycle(
  t: TestContext,
  browser: Browser,
  site: TestSite,
): Promise<void> {
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  const credentials = newCredentials();

  await page.goto("/");
  await page.getByRole("main").getByRole("link", { name: "Create an account" }).click();
  await session.heading(page, "Sign up").waitFor();
  await session.fillCredentials(page, credentials);
  await session.button(page, "Sign up").click();
  await session.heading(page, "Check your email").waitFor();

  await session.confirmAddress(page, site, credentials);
  await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  await session.signIn(page, credentials);
  await session.heading(page, "Home").waitFor();
  assert.deepEqual(await readBalance(page), { balance: "100", isFree: true });

  await page.getByRole("link", { name: "Go to API keys" }).click();
  const secret = await session.createKey(page, "laptop");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Copy the key" }).click();
  assert.equal(await session.clipboard(page), secret);
  await dialog.getByRole("button", { name: "Copy: Sample call with curl" }).click();
  const line = await session.clipboard(page);
  assert.ok(line.includes(secret));

  const first = await session.runInShell(line);
  assert.equal(first.status, 200, first.body);
  assert.equal(JSON.parse(first.body).algorithm, "SHA256");
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await dialog.waitFor({ state: "hidden" });

  await page.getByRole("navigation").getByRole("link", { name: "Home" }).click();
  await session.heading(page, "Home").waitFor();
  // The page does not refetch data that is less than ten seconds old.
  await page.reload();
  await page.getByText("100", { exact: true }).waitFor();
  await page.getByText("Your next call is free").waitFor({ state: "hidden" });
  assert.deepEqual(await readBalance(page), { balance: "100", isFree: false });
  assert.equal((await session.runInShell(line)).status, 200);
  await page.reload();
  await page.getByText("99", { exact: true }).waitFor();
  assert.deepEqual(await readBalance(page), { balance: "99", isFree: false });

  await page.getByRole("navigation").getByRole("link", { name: "Usage" }).click();
  await session.heading(page, "Usage").waitFor();
  await page.getByRole("row", { name: /hash/ }).first().waitFor();
  const cells = page.getByRole("row", { name: /hash/ }).first().getByRole("cell");
  // Two calls; the first was free.
  assert.deepEqual((await cells.allInnerTexts()).slice(-2), ["2", "1"]);

  await session.revokeKey(page, "laptop", "2 calls");
  const rejected = await session.runInShell(line);
  assert.equal(rejected.status, 401, rejected.body);

  await page.goto("/settings/account");
  const downloading = page.waitForEvent("download");
  await session.button(page, "Export your data").click();
  const exported = JSON.parse(await readFile(await (await downloading).path(), "utf8"));
  assert.deepEqual([exported.profile.email, exported.complete], [credentials.email, true]);

  await session.closeAccount(page, credentials);
  await page.waitForURL(`${site.base}/`);

  user.expectConsoleError(/status of 401 .*sign-in\/email/);
  await page.goto("/sign-in");
  await session.signIn(page, credentials);
  await page.getByRole("alert").getByText("Wrong email or password.").waitFor();
  await assertEmails(site, credentials);
}

async function readBalance(page: Page): Promise<{ balance: string; isFree: boolean }> {
  const balance = page.locator(".tb-balance");
  await balance.waitFor();
  const isFree = await page.getByText("Your next call is free").isVisible();
  return { balance: await balance.innerText(), isFree };
}

/** Asserts that the user got one email for each step, and no others. */
async function assertEmails(
  site: TestSite,
  credentials: { readonly email: string },
): Promise<void> {
  await until("the last email", () => emailsTo(site, credentials.email).length === 5);
  assert.deepEqual(
    emailsTo(site, credentials.email).map(({ email }) => email.subject),
    [
      "Confirm your email address",
      "A new API key was created",
      "An API key was revoked",
      "The data of your account was exported",
      "Your account was closed",
    ],
  );
}
