import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { openBrowser } from "../../support/chromium.ts";
import * as session from "../../support/dashboard-browser.ts";
import { emailsTo, member, openSite, until } from "../../support/dashboard-site.ts";

/** What comes between a person and what they were doing, and how the pages take it. */

const [browser, site] = await Promise.all([openBrowser(), openSite({ after })]);
after(() => browser.close());

async function openKeys(t: Parameters<typeof session.openGuest>[0]) {
  const person = await member(site);
  const guest = await session.openGuest(t, browser, site);
  await session.signInQuickly(guest, site, person);
  await guest.page.goto("/settings/api-keys");
  await session.heading(guest.page, "API keys").waitFor();
  return { person, guest, page: guest.page };
}

const labels = (page: Page) =>
  page.getByRole("table", { name: "API keys", exact: true }).locator("tbody tr").count();

test("a double click on the button makes one key", async (t) => {
  const { person, page } = await openKeys(t);
  await session.button(page, /^Create a? ?key$/).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Label", { exact: true }).fill("once");
  await dialog.getByRole("button", { name: "Create key" }).dblclick();
  await dialog.getByLabel("Your new key").waitFor();
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await session.button(page, /^Revoke\sonce/).waitFor();
  await page.reload();
  await session.button(page, /^Revoke\sonce/).waitFor();
  assert.equal(await labels(page), 1);
  await until("the letter", () => emailsTo(site, person.email).length === 2);
});

test("neither going back nor loading anew shows a key a second time", async (t) => {
  const { page } = await openKeys(t);
  await page.getByRole("navigation").getByRole("link", { name: "Usage" }).click();
  await page.getByRole("navigation").getByRole("link", { name: "API keys" }).click();
  const secret = await session.createKey(page, "laptop");
  await page.getByRole("dialog").getByRole("button", { name: "I have stored it" }).click();
  const shown = async () => (await page.content()).includes(secret);
  await page.goBack();
  await session.heading(page, "Usage").waitFor();
  assert.equal(await shown(), false);
  await page.goForward();
  await session.button(page, /^Revoke\slaptop/).waitFor();
  assert.equal(await shown(), false);
  await page.goto("/docs");
  await page.goBack();
  await session.button(page, /^Revoke\slaptop/).waitFor();
  assert.equal(await shown(), false);
  await page.getByRole("navigation").getByRole("link", { name: "Home" }).click();
  await page.getByText("$TOOLBOOTH_KEY").first().waitFor();
  assert.equal(await shown(), false);
  const stored = await page.evaluate(
    "JSON.stringify([localStorage, sessionStorage, history.state])",
  );
  assert.ok(!String(stored).includes(secret));
});

test("loading anew while a key is shown asks first", async (t) => {
  const { page } = await openKeys(t);
  const secret = await session.createKey(page, "laptop");
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await page.reload();
  await session.button(page, /^Revoke\slaptop/).waitFor();
  assert.deepEqual(asked, ["beforeunload"]);
  assert.ok(!(await page.content()).includes(secret));
});

test("a session that was ended elsewhere: sign in again, and be on the same page", async (t) => {
  const { person, guest, page } = await openKeys(t);
  await session.button(page, /^Create a? ?key$/).waitFor();
  const elsewhere = await session.openGuest(t, browser, site);
  await session.signInQuickly(elsewhere, site, person);
  const ended = await elsewhere.context.request.delete("/dashboard/sessions/others", {
    headers: { Origin: site.base },
  });
  assert.equal(ended.status(), 200);
  guest.foresee(/status of 401 /);
  await session.button(page, /^Create a? ?key$/).click();
  await page.getByRole("dialog").getByLabel("Label", { exact: true }).fill("late");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await dialog.getByRole("link", { name: "Sign in" }).click();
  await session.heading(page, "Sign in").waitFor();
  await session.signIn(page, person);
  await session.heading(page, "API keys").waitFor();
  assert.equal(new URL(page.url()).pathname, "/settings/api-keys");
  await session.createKey(page, "after all");
});

test("somebody without a session is led to the sign-in and back to where they were going", async (t) => {
  const person = await member(site);
  const guest = await session.openGuest(t, browser, site);
  await guest.page.goto("/credits");
  await session.heading(guest.page, "Sign in").waitFor();
  await session.signIn(guest.page, person);
  await session.heading(guest.page, "Credits").waitFor();
});

test("two tabs: what one has revoked the other may revoke too, and signing out in one is noticed in the other", async (t) => {
  const { guest, page } = await openKeys(t);
  await session.createKey(page, "shared");
  await page.getByRole("dialog").getByRole("button", { name: "I have stored it" }).click();
  const other = await guest.openTab();
  await other.goto("/settings/api-keys");
  for (const tab of [page, other]) await session.button(tab, /^Revoke\sshared/).click();
  for (const tab of [page, other]) {
    await tab.getByRole("dialog").getByRole("button", { name: "Revoke the key" }).click();
    await tab.getByText("“shared” is revoked.").waitFor();
    await tab.getByText("No active keys").waitFor();
  }
  await other.getByRole("button", { name: /^Account:/ }).click();
  await other.getByRole("button", { name: "Sign out" }).click();
  await session.heading(other, "Sign in").waitFor();
  guest.foresee(/status of 401 /);
  await page.getByRole("navigation").getByRole("link", { name: "Credits" }).click();
  await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
});

test("two tabs, two persons: the first tab shows nothing of the first person any more", async (t) => {
  const { person, guest, page } = await openKeys(t);
  // Between the two persons nobody is signed in, and the first tab may ask just then.
  guest.foresee(/Unauthorized.*\/dashboard\//);
  await session.createKey(page, "of the first");
  await page.getByRole("dialog").getByRole("button", { name: "I have stored it" }).click();
  await page.clock.install();
  const second = await member(site);
  const other = await guest.openTab();
  await other.goto("/home");
  await other.getByRole("button", { name: /^Account:/ }).click();
  await other.getByRole("button", { name: "Sign out" }).click();
  await session.signIn(other, second);
  await session.heading(other, "Home").waitFor();
  // What is younger than ten seconds is not asked for again.
  await page.clock.fastForward(11_000);
  await page.evaluate(COMES_BACK);
  await page.getByRole("button", { name: `Account: ${second.email}` }).waitFor();
  await page.getByText("No keys yet").waitFor();
  assert.ok(!(await page.content()).includes("of the first"));
  assert.ok(!(await page.content()).includes(person.email));
});

/** As when a tab is looked at again. */
const COMES_BACK = `document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))`;

test("the service is gone for a while: the page says so, loses nothing, and recovers by itself", async (t) => {
  const away = await openSite({ after: (close) => t.after(close) });
  const person = await member(away);
  const guest = await session.openGuest(t, browser, away);
  const { page } = guest;
  guest.foresee(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/);
  await session.signInQuickly(guest, away, person);
  await page.goto("/settings/api-keys");
  await session.button(page, /^Create a? ?key$/).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Label", { exact: true }).fill("patient");
  await away.kill();
  let knocks = 0;
  page.on("requestfailed", (request) => {
    if (request.url().endsWith("/dashboard/visitor")) knocks += 1;
  });
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("Nothing is lost").waitFor();
  const banner = page.getByText("The service cannot be reached.", { exact: true }).first();
  await banner.waitFor();
  await until("two tries in vain", () => knocks >= 2);
  await away.start();
  await banner.waitFor({ state: "hidden" });
  assert.equal(await dialog.getByLabel("Label", { exact: true }).inputValue(), "patient");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByLabel("Your new key").waitFor();
});

test("a page that is opened while the service starts again comes without being loaded anew", async (t) => {
  const { guest, page } = await openKeys(t);
  guest.foresee(/ERR_CONNECTION_REFUSED/);
  let broken = true;
  await page.route("**/dashboard/**", (route) =>
    broken ? route.abort("connectionrefused") : route.continue(),
  );
  await page.reload();
  await page.getByText("The service cannot be reached.").first().waitFor();
  broken = false;
  await page.getByText("No keys yet").waitFor();
});

test("on a phone: the menu changes the screen, not the page, and what is chosen while the service is away comes later", async (t) => {
  const { guest, page } = await openKeys(t);
  guest.foresee(/ERR_CONNECTION_REFUSED/);
  await page.setViewportSize({ width: 375, height: 760 });
  await page.evaluate("window.unchanged = true");
  const choose = async (name: string) => {
    await page.getByRole("button", { name: "Open the menu" }).click();
    await page.getByRole("dialog").getByRole("link", { name, exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  };
  await choose("Credits");
  await session.heading(page, "Credits").waitFor();
  assert.equal(await page.evaluate("window.unchanged"), true);
  await page.route("**/*", (route) => route.abort("connectionrefused"));
  await choose("Usage");
  await page.getByText("The service cannot be reached.").first().waitFor();
  await page.unroute("**/*");
  await session.heading(page, "Usage").waitFor();
});
