import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import * as session from "../../../support/dashboard-browser.ts";
import {
  codeTo,
  createMember,
  emailsTo,
  newAddress,
  signInByApi,
  until,
} from "../../../support/dashboard-site.ts";
import { shareShop } from "./shared-shop.ts";

/** Interruptions: double clicks, reloads, ended sessions, several tabs, and a service that is unreachable. */

const { browser, site } = await shareShop();

async function openKeys(t: Parameters<typeof session.openUser>[0]) {
  const user = await session.openMember(t, browser, site);
  await user.page.goto("/settings/api-keys");
  await session.heading(user.page, "API keys").waitFor();
  return { email: user.email, user, page: user.page };
}

const countKeys = (page: Page) =>
  page.getByRole("table", { name: "API keys", exact: true }).locator("tbody tr").count();

test("a double click on Create key creates one key", async (t) => {
  const { email, page } = await openKeys(t);
  await session.button(page, "Create key").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Label", { exact: true }).fill("once");
  await dialog.getByRole("button", { name: "Create key" }).dblclick();
  await dialog.getByLabel("Your new key").waitFor();
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await session.keyMenu(page, "once").waitFor();
  await page.reload();
  await session.keyMenu(page, "once").waitFor();
  assert.equal(await countKeys(page), 1);
  const emailsAboutKeys = () =>
    emailsTo(site, email).filter((each) => /new API key/.test(each.email.subject ?? ""));
  await until("the email", () => emailsAboutKeys().length > 0);
  assert.equal(emailsAboutKeys().length, 1);
});

test("neither the back button nor a reload shows a key again", async (t) => {
  const { page } = await openKeys(t);
  await page.getByRole("navigation").getByRole("link", { name: "Usage" }).click();
  await page.getByRole("navigation").getByRole("link", { name: "API keys" }).click();
  const secret = await session.createKey(page, "laptop");
  await page.getByRole("dialog").getByRole("button", { name: "I have stored it" }).click();
  const isShown = async () => (await page.content()).includes(secret);
  await page.goBack();
  await session.heading(page, "Usage").waitFor();
  assert.equal(await isShown(), false);
  await page.goForward();
  await session.keyMenu(page, "laptop").waitFor();
  assert.equal(await isShown(), false);
  await page.goto("/docs");
  await page.goBack();
  await session.keyMenu(page, "laptop").waitFor();
  assert.equal(await isShown(), false);
  await page.getByRole("navigation").getByRole("link", { name: "Home" }).click();
  await page.getByText("$TOOLBOOTH_KEY").first().waitFor();
  assert.equal(await isShown(), false);
  const stored = await page.evaluate(
    "JSON.stringify([localStorage, sessionStorage, history.state])",
  );
  assert.ok(!String(stored).includes(secret));
});

test("a first key whose response is lost is not left behind: the next attempt, or a reload, gives it a new secret", async (t) => {
  const user = await session.openMember(t, browser, site);
  const { page } = user;
  user.expectConsoleError(/ERR_CONNECTION_RESET/);
  let isLosing = true;
  await page.route("**/dashboard/keys", async (route) => {
    if (route.request().method() !== "POST" || !isLosing) return route.continue();
    isLosing = false;
    await route.fetch();
    await route.abort("connectionreset");
  });
  await page.goto("/home");
  const dialog = page.getByRole("dialog");
  const reveal = dialog.getByRole("button", { name: "Reveal and copy" });
  await session.button(page, "Reveal your first key").click();
  await reveal.click();
  await dialog.getByText("The key may exist, but its secret did not arrive.").waitFor();
  await page.reload();
  await page.getByText("has not been used yet").waitFor();
  await session.button(page, "Reveal a new secret").click();
  await reveal.click();
  const secret = await dialog
    .getByRole("button", { name: "Copy the key" })
    .waitFor()
    .then(() => dialog.getByLabel("Your API key").inputValue());
  const { status } = await session.runInShell(await session.clipboard(page));
  assert.equal(status, 200);
  await dialog.getByText("Your first call worked").waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "hidden" });
  const stored = await page.evaluate(
    "JSON.stringify([localStorage, sessionStorage, history.state])",
  );
  assert.ok(!`${await page.content()}${stored}`.includes(secret));
  await page.goto("/settings/api-keys");
  await session.keyMenu(page, "Development").waitFor();
  assert.equal(await countKeys(page), 1);
});

test("after a rotation of unknown outcome, rotating again keeps the secret that clients use", async (t) => {
  const { user, page } = await openKeys(t);
  const secret = await session.createKey(page, "laptop");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  user.expectConsoleError(/status of 503 /);
  let isLosing = true;
  await page.route("**/dashboard/keys/*/rotate", async (route) => {
    if (!isLosing) return route.continue();
    isLosing = false;
    await route.fetch();
    const detail = "The service does not know whether this change was made.";
    await route.fulfill({ status: 503, json: { code: "unavailable", detail } });
  });
  await session.chooseAction(page, "laptop", "Rotate");
  await dialog.getByRole("button", { name: "Rotate key" }).click();
  await dialog.getByText("its new secret was lost").waitFor();
  assert.equal(await dialog.getByLabel("Keep the current secret working").count(), 0);
  await dialog.getByRole("button", { name: "Rotate again" }).click();
  await dialog.getByLabel("Your new secret").waitFor();
  const { status } = await fetch(`${site.base}/api/v1/uuid`, {
    method: "POST",
    headers: { Authorization: `Bearer ${secret}` },
  });
  assert.equal(status, 200);
});

test("neither the back button nor the search loses a key that is shown", async (t) => {
  const { page } = await openKeys(t);
  const side = page.getByRole("navigation");
  await side.getByRole("link", { name: "Usage" }).click();
  await side.getByRole("link", { name: "API keys" }).click();
  const secret = await session.createKey(page, "laptop");
  const dialog = page.getByRole("dialog");
  const asked = dialog.getByRole("heading", { name: "Close without storing the key?" });
  const stay = async () => {
    await asked.waitFor();
    await session.heading(page, "API keys").waitFor({ state: "attached" });
    await until("the URL", () => new URL(page.url()).pathname === "/settings/api-keys");
    await dialog.getByRole("button", { name: "Go back to the key" }).click();
    assert.equal(await dialog.getByLabel("Your new key").inputValue(), secret);
  };
  await page.evaluate("history.back()");
  await stay();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /^Search/ }).fill("Usage");
  await page.keyboard.press("Enter");
  await stay();
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await page.goBack();
  await session.heading(page, "Usage").waitFor();
});

test("going back while a key is created or rotated loses neither secret", async (t) => {
  const { page } = await openKeys(t);
  const side = page.getByRole("navigation");
  await side.getByRole("link", { name: "Usage" }).click();
  await side.getByRole("link", { name: "API keys" }).click();
  const dialog = page.getByRole("dialog");
  const goBackDuring = async (path: string, press: () => Promise<void>, label: string) => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const sent = page.waitForRequest((request) => request.method() === "POST");
    await page.route(path, async (route) => {
      if (route.request().method() === "POST") await held;
      await route.continue();
    });
    await press();
    await sent;
    await page.evaluate(
      "new Promise((resolve) => { addEventListener('popstate', () => setTimeout(resolve), { once: true }); history.back(); })",
    );
    release();
    const left = session.heading(page, "Usage").waitFor();
    await Promise.race([
      dialog.getByLabel(label).waitFor(),
      left.then(() => assert.fail(`The page was left: ${label}`)),
    ]);
    await until("the URL", () => new URL(page.url()).pathname === "/settings/api-keys");
    await dialog.getByRole("button", { name: "I have stored it" }).click();
  };
  await session.button(page, "Create key").click();
  await dialog.getByLabel("Label", { exact: true }).fill("laptop");
  const create = () => dialog.getByRole("button", { name: "Create key" }).click();
  await goBackDuring("**/dashboard/keys", create, "Your new key");
  await session.chooseAction(page, "laptop", "Rotate");
  const rotate = () => dialog.getByRole("button", { name: "Rotate key" }).click();
  await goBackDuring("**/dashboard/keys/*/rotate", rotate, "Your new secret");
  await page.goBack();
  await session.heading(page, "Usage").waitFor();
});

test("reloading while a key is shown asks for confirmation", async (t) => {
  const { page } = await openKeys(t);
  const secret = await session.createKey(page, "laptop");
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.type());
    void dialog.accept();
  });
  await page.reload();
  await session.keyMenu(page, "laptop").waitFor();
  assert.deepEqual(dialogs, ["beforeunload"]);
  assert.ok(!(await page.content()).includes(secret));
});

test("after a session was ended elsewhere, signing in again leads back to the same page", async (t) => {
  const { email, user, page } = await openKeys(t);
  await session.button(page, "Create key").waitFor();
  const elsewhere = await signInByApi(site, email, {});
  const ended = await fetch(`${site.base}/dashboard/sessions/others`, {
    method: "DELETE",
    headers: { Origin: site.base, Cookie: elsewhere.join("; ") },
  });
  assert.equal(ended.status, 200);
  user.expectConsoleError(/status of 401 /);
  await session.button(page, "Create key").click();
  await page.getByRole("dialog").getByLabel("Label", { exact: true }).fill("late");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await dialog.getByRole("link", { name: "Sign in" }).click();
  await session.heading(page, "Sign in").waitFor();
  await session.signIn(page, site, email, 3);
  await session.heading(page, "API keys").waitFor();
  assert.equal(new URL(page.url()).pathname, "/settings/api-keys");
  await session.createKey(page, "after all");
});

test("after signing in again in another tab, the page goes on where it was", async (t) => {
  const { email, user, page } = await openKeys(t);
  user.expectConsoleError(/status of 401 |Unauthorized/);
  await session.button(page, "Create key").click();
  const label = page.getByRole("dialog").getByLabel("Label", { exact: true });
  await label.fill("kept");
  await user.context.clearCookies();
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  const ended = page.getByRole("dialog", { name: "Sign in again" });
  await ended.waitFor();
  const other = await user.openTab();
  await other.goto("/sign-in");
  await session.signIn(other, site, email, 2);
  await session.heading(other, "Home").waitFor();
  await page.evaluate(session.FOCUS_TAB);
  await ended.waitFor({ state: "hidden" });
  assert.equal(await label.inputValue(), "kept");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog").getByLabel("Your new key").waitFor();
});

test("a user who leaves the page while signing out everywhere is signed out", async (t) => {
  const { page, user } = await openKeys(t);
  // What another page loads just then.
  user.expectConsoleError(/status of 401 /);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/dashboard/sessions/others", (route) => held.then(() => route.continue()));
  const side = page.getByRole("navigation");
  await side.getByRole("link", { name: "Account" }).click();
  await session.button(page, "Sign out everywhere").click();
  await side.getByRole("link", { name: "Credits" }).click();
  await session.heading(page, "Credits").waitFor();
  release();
  await session.heading(page, "Sign in").waitFor();
});

test("a code for another address begins without the error of the one before, in sign-in and in the account", async (t) => {
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  user.expectConsoleError(/status of 400 /);
  const code = page.getByLabel("Code", { exact: true });
  const wrong = page.getByText(/^Wrong code/);
  const email = await createMember(site);
  await page.goto("/sign-in");
  await session.askForCode(page, "typo@example.com");
  await code.fill("00000000");
  await wrong.waitFor();
  await session.button(page, "Enter a different one").click();
  await session.askForCode(page, email);
  assert.equal(await wrong.count(), 0);
  await code.fill(await codeTo(site, email, 2));
  await session.heading(page, "Home").waitFor();

  await page.goto("/settings/account");
  const ask = async (address: string) => {
    await page.getByLabel("New email address").fill(address);
    await session.button(page, "Change email address").click();
    await page.getByText(`We have sent a code to ${address}.`).waitFor();
  };
  await ask("typo-again@example.com");
  await code.fill("00000000");
  await wrong.waitFor();
  await session.button(page, "Back").click();
  const moved = newAddress("moved");
  await ask(moved);
  assert.equal(await wrong.count(), 0);
  // What is typed while a code is checked does not hide the result.
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/dashboard/account/email/code", (route) => held.then(() => route.continue()));
  await code.fill(await codeTo(site, moved));
  await code.pressSequentially(" ");
  release();
  await page.getByText("Your email address is changed.").waitFor();
});

test("a user without a session is sent to sign in and then to the page they opened", async (t) => {
  const email = await createMember(site);
  const user = await session.openUser(t, browser, site);
  await user.page.goto("/credits");
  await session.heading(user.page, "Sign in").waitFor();
  await session.signIn(user.page, site, email, 2);
  await session.heading(user.page, "Credits").waitFor();
});

test("two tabs can revoke the same key, and signing out in one leaves the dashboard in the other", async (t) => {
  const { user, page } = await openKeys(t);
  await session.createKey(page, "shared");
  await page.getByRole("dialog").getByRole("button", { name: "I have stored it" }).click();
  const other = await user.openTab();
  await other.goto("/settings/api-keys");
  for (const tab of [page, other]) await session.chooseAction(tab, "shared", "Revoke");
  for (const tab of [page, other]) {
    await tab.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
    await tab.getByText("Key “shared” revoked.").waitFor();
    await tab.getByText("No active API keys").waitFor();
  }
  await other.getByRole("button", { name: /^Account:/ }).click();
  await other.getByRole("button", { name: "Sign out" }).click();
  await session.heading(other, "Sign in").waitFor();
  // Nothing of the user stays readable in the other tab.
  await session.heading(page, "Sign in").waitFor();
});

test("when another user signs in through a second tab, the first tab shows nothing of the first user", async (t) => {
  const { email, user, page } = await openKeys(t);
  // The first tab may send a request between the two sessions.
  user.expectConsoleError(/Unauthorized.*\/dashboard\//);
  await session.createKey(page, "of the first");
  await page.getByRole("dialog").getByRole("button", { name: "I have stored it" }).click();
  await user.controlClock();
  const second = await createMember(site);
  const other = await user.openTab();
  await other.goto("/home");
  await other.getByRole("button", { name: /^Account:/ }).click();
  await other.getByRole("button", { name: "Sign out" }).click();
  await session.signIn(other, site, second, 2);
  await session.heading(other, "Home").waitFor();
  // The page does not refetch data that is less than ten seconds old.
  await page.clock.fastForward(11_000);
  await page.evaluate(session.FOCUS_TAB);
  await page.getByRole("button", { name: `Account: ${second}` }).waitFor();
  await page.getByText("No API keys yet").waitFor();
  assert.ok(!(await page.content()).includes("of the first"));
  assert.ok(!(await page.content()).includes(email));
});

test("a page opened while the service restarts appears without a reload", async (t) => {
  const { user, page } = await openKeys(t);
  user.expectConsoleError(/ERR_CONNECTION_REFUSED/);
  let isDown = true;
  await page.route("**/dashboard/**", (route) =>
    isDown ? route.abort("connectionrefused") : route.continue(),
  );
  await page.reload();
  await page.getByText("The service cannot be reached.").first().waitFor();
  isDown = false;
  await page.getByText("No API keys yet").waitFor();
});

test("on a phone the menu navigates without a page load, and a screen chosen while the service is down appears later", async (t) => {
  const { user, page } = await openKeys(t);
  user.expectConsoleError(/ERR_CONNECTION_REFUSED/);
  await page.setViewportSize({ width: 375, height: 760 });
  await page.evaluate("window.unchanged = true");
  const choose = async (name: string) => {
    await page.getByRole("button", { name: "Menu" }).click();
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
