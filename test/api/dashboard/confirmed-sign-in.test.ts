import assert from "node:assert/strict";
import { test } from "node:test";
import type { LinkOpened, SessionView, Visitor } from "#api/dashboard/shapes.ts";
import type { Browser } from "./browser.ts";
import { openFixture, openMember, PASSWORD } from "./dashboard-fixture.ts";

/** Confirming an address signs in, but only where that bypasses nothing. */
const EMAIL = "ann@example.com";

const userOf = async (who: Browser) => ((await who.get("/dashboard/visitor")).body as Visitor).user;
const isSignedIn = async (who: Browser) => (await userOf(who)) !== null;

async function openSignUp() {
  const fixture = openFixture();
  const browser = fixture.browser();
  await fixture.signUp(browser, EMAIL, PASSWORD);
  return { fixture, browser, link: await fixture.lastLink(EMAIL, "verify_address") };
}

test("confirming the address in the browser that signed up signs in, with a fresh proof and one session", async () => {
  const { fixture, browser, link } = await openSignUp();
  assert.equal(await isSignedIn(browser), false);
  const opened = await fixture.open(browser, link);
  assert.deepEqual(opened.body, { status: true, email: EMAIL } satisfies LinkOpened);
  assert.equal((await userOf(browser))?.email, EMAIL);
  // The first key needs no second proof of who the user is.
  assert.equal((await browser.post("/dashboard/keys", { label: "Development" })).status, 201);
  const { sessions } = (await browser.get("/dashboard/sessions")).body as {
    sessions: SessionView[];
  };
  assert.equal(sessions.length, 1);
  // The sign-up is no new browser, so there is no email about one.
  assert.deepEqual(
    (await fixture.emailsTo(EMAIL)).map(({ kind }) => kind),
    ["verify_address", "key_created"],
  );
  assert.deepEqual(fixture.loggedErrors, []);
});

test("the token of the new session is only in its cookie, which scripts cannot read", async () => {
  const { fixture, browser, link } = await openSignUp();
  const opened = await fixture.open(browser, link);
  const cookies = opened.headers.getSetCookie().filter((each) => each.includes("session_token"));
  assert.equal(cookies.length, 1);
  assert.match(cookies[0] ?? "", /HttpOnly/i);
  assert.match(cookies[0] ?? "", /SameSite=Lax/i);
});

test("a link that is opened again signs nobody in: not after signing out, and not in another browser", async () => {
  const { fixture, browser, link } = await openSignUp();
  await fixture.open(browser, link);
  await browser.post("/dashboard/auth/sign-out");
  const again = await fixture.open(browser, link);
  assert.deepEqual([again.status, again.body], [200, { status: true, email: EMAIL }]);
  assert.equal(await isSignedIn(browser), false);
  const other = fixture.browser();
  await fixture.open(other, link);
  assert.equal(await isSignedIn(other), false);
});

test("in two tabs at once the address is confirmed once, and the browser is signed in", async () => {
  const { fixture, browser, link } = await openSignUp();
  const opened = await Promise.all([fixture.open(browser, link), fixture.open(browser, link)]);
  assert.deepEqual(
    opened.map(({ status }) => status),
    [200, 200],
  );
  assert.ok(await isSignedIn(browser));
  assert.equal((await fixture.ledgerRows("SELECT * FROM credit_grant")).length, 1);
});

test("a mark without a password signs nobody in: a second sign-up has removed it", async () => {
  const { fixture, browser, link } = await openSignUp();
  await fixture.signUp(fixture.browser(), EMAIL, "a stranger's password");
  const { resetToken } = (await fixture.open(browser, link)).body as LinkOpened;
  assert.ok(resetToken);
  assert.equal(await isSignedIn(browser), false);
});

test("someone else who is signed in in the browser is replaced by the user who confirms", async () => {
  const fixture = openFixture();
  const { browser, email } = await openMember(fixture);
  await fixture.signUp(browser, EMAIL, PASSWORD);
  assert.equal((await userOf(browser))?.email, email);
  await fixture.open(browser, await fixture.lastLink(EMAIL, "verify_address"));
  assert.equal((await userOf(browser))?.email, EMAIL);
});

test("a user with a second factor is not signed in by a link", async () => {
  const { fixture, browser, link } = await openSignUp();
  const { internalAdapter } = await fixture.auth.context();
  const found = await internalAdapter.findUserByEmail(EMAIL);
  await internalAdapter.updateUser(found?.user.id ?? "", { twoFactorEnabled: true });
  await fixture.open(browser, link);
  assert.equal(await isSignedIn(browser), false);
});

test("an interrupted confirmation signs nobody in halfway, and the link leads on", async () => {
  const { fixture, browser, link } = await openSignUp();
  fixture.failing.set("openAccount", 1);
  assert.equal((await fixture.open(browser, link)).status, 500);
  assert.equal(await isSignedIn(browser), false);
  assert.deepEqual((await fixture.open(browser, link)).body, { status: true, email: EMAIL });
  assert.equal((await fixture.signIn(browser, EMAIL, PASSWORD)).status, 200);
});
