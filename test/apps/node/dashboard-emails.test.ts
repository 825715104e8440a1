import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openBrowser } from "../../support/chromium.ts";
import * as session from "../../support/dashboard-browser.ts";
import {
  CONFIRM,
  type Credentials,
  emailsTo,
  expiredLink,
  linkTo,
  member,
  openSite,
  somebody,
  until,
} from "../../support/dashboard-site.ts";

/** The ways in which signing up and in go wrong for a person, and how they find on. */

const [browser, site] = await Promise.all([openBrowser(), openSite({ after })]);
after(() => browser.close());

const starterGrants = async (guest: session.Guest): Promise<number> => {
  const response = await guest.context.request.get("/dashboard/credits");
  const { grants } = (await response.json()) as { grants: { kind: string }[] };
  return grants.filter(({ kind }) => kind === "starter").length;
};

test("a link that is followed twice confirms once, grants once and leads to the sign-in", async (t) => {
  const guest = await session.openGuest(t, browser, site);
  const { page } = guest;
  const person = somebody();
  await session.signUp(page, person);
  await session.confirm(page, site, person);
  guest.foresee(/status of 4\d\d .*verify-email/);
  await page.goto(await linkTo(site, person.email, CONFIRM));
  await session.button(page, "Confirm my address").click();
  await session
    .heading(page, "Your address is confirmed")
    .or(session.heading(page, "This link works no more"))
    .waitFor();
  await page.getByRole("main").getByRole("link", { name: "Sign in", exact: false }).click();
  await session.signIn(page, person);
  await session.heading(page, "Home").waitFor();
  assert.equal(await starterGrants(guest), 1);
});

test("opening the link confirms nothing yet: programs that scan letters open links too", async (t) => {
  const guest = await session.openGuest(t, browser, site);
  const { page } = guest;
  const person = somebody();
  await session.signUp(page, person);
  await page.goto(await linkTo(site, person.email, CONFIRM));
  await session.button(page, "Confirm my address").waitFor();
  guest.foresee(/status of 403 .*sign-in\/email/);
  await page.goto("/sign-in");
  await session.signIn(page, person);
  await page.getByRole("alert").getByText("Confirm your e-mail address first").waitFor();
});

/** On the page of a link that is too old; leaves the person at the page of the new one, confirmed. */
async function askForNewLink({ page }: session.Guest, { email }: Credentials): Promise<void> {
  await page.goto(await expiredLink(site, email));
  await session.button(page, "Confirm my address").click();
  await session.heading(page, "This link works no more").waitFor();
  const before = emailsTo(site, email).length;
  await page.getByLabel("E-mail address").fill(email);
  await session.button(page, "Send a new link").click();
  await session.heading(page, "Check your mail").waitFor();
  await until("another letter", () => emailsTo(site, email).length > before);
  await page.goto(await linkTo(site, email, CONFIRM));
  await session.button(page, "Confirm my address").click();
  await session.heading(page, "Your address is confirmed").waitFor();
}

test("a link that is too old says so, and a new one is asked for in the same place", async (t) => {
  const guest = await session.openGuest(t, browser, site);
  const { page } = guest;
  const person = somebody();
  await session.signUp(page, person);
  await linkTo(site, person.email, CONFIRM);
  guest.foresee(/status of 4\d\d .*verify-email/);
  await askForNewLink(guest, person);
  await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  await session.signIn(page, person);
  await session.heading(page, "Home").waitFor();
});

test("a new link asked for in another browser brings a new password: the old one may be a stranger's", async (t) => {
  const outsider = await session.openGuest(t, browser, site);
  const person = somebody();
  await session.signUp(outsider.page, { ...person, password: "chosen by a stranger" });
  await linkTo(site, person.email, CONFIRM);
  const guest = await session.openGuest(t, browser, site);
  const { page } = guest;
  guest.foresee(/status of 4\d\d .*verify-email/);
  await askForNewLink(guest, person);
  await page.getByRole("main").getByRole("link", { name: "Choose a password" }).click();
  await page.getByLabel("New password").fill(person.password);
  await session.button(page, "Set the password").click();
  await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  await session.signIn(page, person);
  await session.heading(page, "Home").waitFor();
});

test("the letter sent again from the page of the sign-up keeps the password", async (t) => {
  const guest = await session.openGuest(t, browser, site);
  const { page } = guest;
  const person = somebody();
  await page.clock.install();
  await session.signUp(page, person);
  await page.clock.runFor(61_000);
  await session.button(page, "Send the letter again").click();
  await until("a second letter", () => emailsTo(site, person.email).length === 2);
  await session.confirm(page, site, person);
  await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  await session.signIn(page, person);
  await session.heading(page, "Home").waitFor();
});

test("a wrong password says no more than a wrong address does, and the right one still works", async (t) => {
  const person = await member(site);
  const guest = await session.openGuest(t, browser, site);
  const { page } = guest;
  guest.foresee(/status of 401 .*sign-in\/email/);
  await page.goto("/sign-in");
  const said: string[] = [];
  for (const order of [{ ...person, password: "not the right one" }, somebody("nobody")]) {
    await session.signIn(page, order);
    await page.getByRole("alert").waitFor();
    await until("the answer", () => session.button(page, "Sign in").isVisible());
    said.push(await page.getByRole("alert").innerText());
    assert.equal(await page.getByLabel("E-mail address").inputValue(), order.email);
  }
  assert.equal(said[0], said[1]);
  await session.signIn(page, person);
  await session.heading(page, "Home").waitFor();
});

test("signing up with a known address looks the same, tells its owner, and changes nothing", async (t) => {
  const person = await member(site);
  const guest = await session.openGuest(t, browser, site);
  const { page } = guest;
  const words = async (email: string) => {
    await session.signUp(page, { email, password: "another password than hers" });
    const text = await page.getByRole("main").innerText();
    return text.replace(email, "ADDRESS").replace(/\d+ s\b/, "60 s");
  };
  const { email } = somebody("new");
  assert.equal(await words(person.email), await words(email));
  await linkTo(site, person.email, /^You already have a Toolbooth account$/);
  await page.goto("/sign-in");
  await session.signIn(page, person);
  await session.heading(page, "Home").waitFor();
});

test("signing up with a double click makes one person and sends one letter", async (t) => {
  const guest = await session.openGuest(t, browser, site);
  const { page } = guest;
  const person = somebody();
  const asked: string[] = [];
  page.on("request", (request) => void (request.method() === "POST" && asked.push(request.url())));
  await page.goto("/sign-up");
  await session.fillIn(page, person);
  await session.button(page, "Sign up").dblclick();
  await session.heading(page, "Check your mail").waitFor();
  await linkTo(site, person.email, CONFIRM);
  assert.deepEqual(asked, [`${site.base}/dashboard/auth/sign-up/email`]);
  await session.confirm(page, site, person);
  assert.equal(emailsTo(site, person.email).length, 1);
});

test("the token of a link leaves the address at once, and the page can still be loaded again", async (t) => {
  const guest = await session.openGuest(t, browser, site);
  const { page } = guest;
  const person = somebody();
  await session.signUp(page, person);
  await page.goto(await linkTo(site, person.email, CONFIRM));
  await session.button(page, "Confirm my address").waitFor();
  await until("a clean address", () => new URL(page.url()).search === "");
  await page.reload();
  await session.button(page, "Confirm my address").click();
  await session.heading(page, "Your address is confirmed").waitFor();
  await page.goto("/verify-email");
  await session.heading(page, "This link works no more").waitFor();
});
