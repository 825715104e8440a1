import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openBrowser } from "../../../support/chromium.ts";
import * as session from "../../../support/dashboard-browser.ts";
import { openSite, until } from "../../../support/dashboard-site.ts";

/** A service of their own for tests that overload it and then end it. */

const [browser, site] = await Promise.all([openBrowser(), openSite({ after })]);
after(() => browser.close());

test("while the service is down the page says so and loses nothing, then it recovers by itself", async (t) => {
  const user = await session.openMember(t, browser, site);
  const { page } = user;
  user.expectConsoleError(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/);
  await page.goto("/settings/api-keys");
  await session.button(page, "Create key").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Label", { exact: true }).fill("patient");
  await site.kill();
  let polls = 0;
  page.on("requestfailed", (request) => {
    if (request.url().endsWith("/dashboard/visitor")) polls += 1;
  });
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("Your entries are still here.").waitFor();
  // The dialog says so too, and keeps it.
  const banner = page
    .locator("[role=status]")
    .getByText("The service cannot be reached.", { exact: true });
  await banner.waitFor();
  await until("two failed polls", () => polls >= 2);
  await site.start();
  await banner.waitFor({ state: "hidden" });
  assert.equal(await dialog.getByLabel("Label", { exact: true }).inputValue(), "patient");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByLabel("Your new key").waitFor();
});
