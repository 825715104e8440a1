import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openBrowser } from "../../../support/chromium.ts";
import * as session from "../../../support/dashboard-browser.ts";
import { newCredentials, openSite, until } from "../../../support/dashboard-site.ts";

/** A service of their own for tests that overload it and then end it. */

const [browser, site] = await Promise.all([openBrowser(), openSite({ after })]);
after(() => browser.close());

test("a weak password is explained at its field; under pressure the page solves a challenge by itself", async (t) => {
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  const credentials = newCredentials();
  user.expectConsoleError(/status of 400 .*\/sign-up\/email\)$/);
  user.expectConsoleError(/ERR_FAILED .*proof-worker/);
  const password = page.getByLabel("Password", { exact: true });
  await page.goto("/sign-up");
  await session.fillCredentials(page, { ...credentials, password: "password123" });
  await session.button(page, "Sign up").click();
  await page.getByText(/among the most common ones/).waitFor();
  assert.equal(await password.getAttribute("aria-invalid"), "true");
  await password.fill(credentials.password);
  assert.equal(await password.getAttribute("aria-invalid"), "false");

  await flood();
  await page.route(/proof-worker/, (route) => route.abort());
  await session.button(page, "Sign up").click();
  await page.getByText("your browser has to do a short calculation first").waitFor();
  await page.unroute(/proof-worker/);
  await session.button(page, "Sign up").click();
  await session.heading(page, "Check your email").waitFor();
  await session.confirmAddress(page, site, credentials);
});

/** More resets than need no proof of work, from as many networks. */
async function flood(): Promise<void> {
  const ask = async (turn: number) => {
    const response = await fetch(`${site.base}/dashboard/auth/request-password-reset`, {
      method: "POST",
      headers: {
        Origin: site.base,
        "Content-Type": "application/json",
        "X-Forwarded-For": `2001:${(0x1000 + turn).toString(16)}::1`,
      },
      body: JSON.stringify({ email: `nobody-${turn}@example.com` }),
    });
    return response.status;
  };
  const statuses = await Promise.all(Array.from({ length: 31 }, (_, turn) => ask(turn)));
  assert.ok(statuses.includes(429), `${statuses}`);
}

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
  const banner = page.getByText("The service cannot be reached.", { exact: true }).first();
  await banner.waitFor();
  await until("two failed polls", () => polls >= 2);
  await site.start();
  await banner.waitFor({ state: "hidden" });
  assert.equal(await dialog.getByLabel("Label", { exact: true }).inputValue(), "patient");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByLabel("Your new key").waitFor();
});
