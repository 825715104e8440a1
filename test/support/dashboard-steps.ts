/** One person from the front page to a closed account, however the service runs. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Browser, Page } from "playwright-core";
import * as session from "./dashboard-browser.ts";
import { emailsTo, type Place, somebody, until } from "./dashboard-site.ts";

export const WHOLE_WAY =
  "a person signs up, makes a key, calls with it, sees the call, revokes the key and closes the account";

export async function goTheWholeWay(t: TestContext, browser: Browser, site: Place): Promise<void> {
  const guest = await session.openGuest(t, browser, site);
  const { page } = guest;
  const person = somebody();

  await page.goto("/");
  await page.getByRole("main").getByRole("link", { name: "Create an account" }).click();
  await session.heading(page, "Sign up").waitFor();
  await session.fillIn(page, person);
  await session.button(page, "Sign up").click();
  await session.heading(page, "Check your mail").waitFor();

  await session.confirm(page, site, person);
  await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  await session.signIn(page, person);
  await session.heading(page, "Home").waitFor();
  assert.deepEqual(await keyStatus(page), { balance: "100", free: true });

  await page.getByRole("link", { name: "Go to API keys" }).click();
  const secret = await session.createKey(page, "laptop");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Copy the key" }).click();
  assert.equal(await session.clipboard(page), secret);
  await dialog.getByRole("button", { name: "Copy: A first call with curl" }).click();
  const line = await session.clipboard(page);
  assert.ok(line.includes(secret));

  const first = await session.paste(line);
  assert.equal(first.status, 200, first.body);
  assert.equal(JSON.parse(first.body).algorithm, "SHA256");
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await dialog.waitFor({ state: "hidden" });

  await page.getByRole("navigation").getByRole("link", { name: "Home" }).click();
  await session.heading(page, "Home").waitFor();
  // What is younger than ten seconds is not asked for again by itself.
  await page.reload();
  await page.getByText("100", { exact: true }).waitFor();
  await page.getByText("Your next call is free").waitFor({ state: "hidden" });
  assert.deepEqual(await keyStatus(page), { balance: "100", free: false });
  assert.equal((await session.paste(line)).status, 200);
  await page.reload();
  await page.getByText("99", { exact: true }).waitFor();
  assert.deepEqual(await keyStatus(page), { balance: "99", free: false });

  await page.getByRole("navigation").getByRole("link", { name: "Usage" }).click();
  await session.heading(page, "Usage").waitFor();
  await page.getByRole("row", { name: /hash/ }).first().waitFor();
  const cells = page.getByRole("row", { name: /hash/ }).first().getByRole("cell");
  // Two calls, of which the first was free.
  assert.deepEqual((await cells.allInnerTexts()).slice(-2), ["2", "1"]);

  await session.revokeKey(page, "laptop", "2 calls");
  const refused = await session.paste(line);
  assert.equal(refused.status, 401, refused.body);

  await session.closeAccount(page, person);
  await page.waitForURL(`${site.base}/`);

  guest.foresee(/status of 401 .*sign-in\/email/);
  await page.goto("/sign-in");
  await session.signIn(page, person);
  await page.getByRole("alert").getByText("do not belong together").waitFor();
  await tellsOfEachStep(site, person);
}

async function keyStatus(page: Page): Promise<{ balance: string; free: boolean }> {
  const balance = page.locator(".tb-figure");
  await balance.waitFor();
  const free = await page.getByText("Your next call is free").isVisible();
  return { balance: await balance.innerText(), free };
}

/** A letter for each step, and no other. */
async function tellsOfEachStep(site: Place, person: { readonly email: string }): Promise<void> {
  await until("the last letter", () => emailsTo(site, person.email).length === 4);
  assert.deepEqual(
    emailsTo(site, person.email).map(({ email }) => email.subject),
    [
      "Confirm your email address",
      "A new API key was created",
      "An API key was revoked",
      "Your account was closed",
    ],
  );
}
