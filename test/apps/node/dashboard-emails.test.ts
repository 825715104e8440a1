import assert from "node:assert/strict";
import { after } from "node:test";
import { openBrowser } from "../../support/chromium.ts";
import * as session from "../../support/dashboard-browser.ts";
import {
  CONFIRM,
  type Credentials,
  createMember,
  emailsTo,
  expiredLink,
  linkTo,
  newCredentials,
  openSite,
  until,
} from "../../support/dashboard-site.ts";
import { sampleTests } from "../../support/sample.ts";

/** What can go wrong while signing up and in, and how users recover. */

const [browser, site] = await Promise.all([openBrowser(), openSite({ after })]);
after(() => browser.close());

const starterGrants = async (user: session.BrowserUser): Promise<number> => {
  const response = await user.context.request.get("/dashboard/credits");
  const { grants } = (await response.json()) as { grants: { kind: string }[] };
  return grants.filter(({ kind }) => kind === "starter").length;
};

const { test, draw } = sampleTests(
  "sign-up and sign-in in a browser",
  5,
  process.env["TEST_BROWSER"] === "all",
);

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
  user.context.on("request", (each) => {
    if (each.method() !== "GET") posted.push(each.url());
  });
  const tab = await user.openTab();
  await tab.goto(link);
  await session.button(tab, "Confirm address").waitFor();
  await tab.getByText(credentials.email).waitFor();
  assert.deepEqual(posted, []);
  await tab.close();

  const scriptless = await browser.newContext({ javaScriptEnabled: false });
  t.after(() => scriptless.close());
  const bare = await scriptless.newPage();
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
  await page.clock.install();
  await session.signUp(page, credentials);
  await page.clock.runFor(61_000);
  await session.button(page, "Resend email").click();
  await until("a second email", () => emailsTo(site, credentials.email).length === 2);
  await session.confirmAddress(page, site, credentials);
});

test("a wrong password and an unknown address give the same error, and the right password still works", async (t) => {
  const credentials = await createMember(site);
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  user.expectConsoleError(/status of 401 .*sign-in\/email/);
  await page.goto("/sign-in");
  const alerts: string[] = [];
  const unknown = newCredentials("unknown");
  for (const attempt of [{ ...credentials, password: "not the right one" }, unknown]) {
    await session.signIn(page, attempt);
    await page.getByRole("alert").waitFor();
    await until("the response", () => session.button(page, "Sign in").isVisible());
    alerts.push(await page.getByRole("alert").innerText());
    assert.equal(await page.getByLabel("Email address").inputValue(), attempt.email);
  }
  assert.equal(alerts[0], alerts[1]);
  await session.signIn(page, credentials);
  await session.heading(page, "Home").waitFor();
});

test("signing up with a registered address looks the same, emails its owner, and changes nothing", async (t) => {
  const credentials = await createMember(site);
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  const pageTextFor = async (email: string) => {
    await session.signUp(page, { email, password: "another password than hers" });
    const text = await page.getByRole("main").innerText();
    return text.replace(email, "ADDRESS").replace(/\d+ s\b/, "60 s");
  };
  const { email } = newCredentials("new");
  assert.equal(await pageTextFor(credentials.email), await pageTextFor(email));
  await linkTo(site, credentials.email, /^You already have a Toolbooth account$/);
  await page.goto("/sign-in");
  await session.signIn(page, credentials);
  await session.heading(page, "Home").waitFor();
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

test("the token of a link is removed from the URL at once, and the page can still be reloaded", async (t) => {
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  const credentials = newCredentials();
  await session.signUp(page, credentials);
  await page.goto(await linkTo(site, credentials.email, CONFIRM));
  await session.button(page, "Confirm address").waitFor();
  await until("a URL without the token", () => new URL(page.url()).search === "");
  await page.reload();
  await session.button(page, "Confirm address").click();
  await session.firstKeyDialog(page).waitFor();
  await page.goto("/verify-email");
  await session.heading(page, "This link is no longer valid").waitFor();
});

// Last, because after its flood other sign-ups would need proofs of work for a minute.
test("a weak password is explained at its field; under pressure the page solves a challenge by itself", async (t) => {
  const user = await session.openUser(t, browser, site);
  const { page } = user;
  const credentials = newCredentials();
  user.expectConsoleError(/status of (?:400|429) .*\/sign-up\/email\)$/);
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

draw();
