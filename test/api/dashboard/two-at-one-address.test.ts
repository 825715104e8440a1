import assert from "node:assert/strict";
import { test } from "node:test";
import { type Browser, newAddress } from "./browser.ts";
import { type Fixture, openFixture, PASSWORD } from "./dashboard-fixture.ts";
import { comeBackFrom, PROVIDERS, standIn } from "./providers.ts";

/** A stranger signs up with an address before its owner comes. */
const EMAIL = "owner@example.com";
const OUTSIDERS = "the stranger's word";

const isIn = async (who: Browser) => (await who.get("/dashboard/home")).status === 200;

async function chooseByReset(fixture: Fixture, owner: Browser, token: string) {
  const chosen = { token, newPassword: "chosen by its owner" };
  assert.equal((await owner.post("/dashboard/auth/reset-password", chosen)).status, 200);
  assert.equal((await fixture.signIn(owner, EMAIL, "chosen by its owner")).status, 200);
  assert.ok(await isIn(owner));
}

for (const [turn, which] of ["the stranger's", "the owner's"].entries()) {
  test(`both signed up and ${which} email is opened: neither password works, and its reader chooses a new one`, async () => {
    const fixture = openFixture();
    const [outsider, owner] = [fixture.browser(), fixture.browser()];
    await fixture.signUp(outsider, EMAIL, OUTSIDERS);
    await fixture.signUp(owner, EMAIL, PASSWORD);
    const links = (await fixture.emailsTo(EMAIL, "verify_address")).map(
      ({ text }) => /https?:\S+token=\S+/.exec(text)?.[0] ?? "",
    );
    assert.equal(links.length, 2);
    const { body } = await fixture.open(owner, links[turn] ?? "");
    const { resetToken } = body as { resetToken: string };
    assert.equal((await fixture.signIn(outsider, EMAIL, OUTSIDERS)).status, 401);
    assert.equal((await fixture.signIn(outsider, EMAIL, PASSWORD)).status, 401);
    await chooseByReset(fixture, owner, resetToken);
    assert.equal((await fixture.signIn(outsider, EMAIL, OUTSIDERS)).status, 401);
    const again = { token: resetToken, newPassword: OUTSIDERS };
    const used = await outsider.post("/dashboard/auth/reset-password", again);
    assert.deepEqual([used.status, used.code], [400, "INVALID_TOKEN"]);
  });
}

test("the owner requests the email from another browser: opening it removes the other user's password", async () => {
  const fixture = openFixture();
  const [outsider, owner] = [fixture.browser(), fixture.browser()];
  await fixture.signUp(outsider, EMAIL, OUTSIDERS);
  await owner.post("/dashboard/auth/send-verification-email", { email: EMAIL });
  const { body } = await fixture.open(owner, await fixture.lastLink(EMAIL, "verify_address"));
  assert.equal((await fixture.signIn(outsider, EMAIL, OUTSIDERS)).status, 401);
  await chooseByReset(fixture, owner, (body as { resetToken: string }).resetToken);
});

test("signing up twice with one password is one sign-up", async () => {
  const fixture = openFixture();
  const browser = fixture.browser();
  await fixture.signUp(browser, EMAIL, PASSWORD);
  await fixture.signUp(browser, EMAIL, PASSWORD);
  await fixture.open(browser, await fixture.lastLink(EMAIL, "verify_address"));
  assert.equal((await fixture.signIn(browser, EMAIL, PASSWORD)).status, 200);
});

for (const provider of ["github", "google"] as const) {
  test(`the owner comes by ${provider}, which has verified the address: what the stranger left is dropped`, async () => {
    const fixture = openFixture({ providers: PROVIDERS });
    const [outsider, owner] = [fixture.browser(), fixture.browser()];
    await fixture.signUp(outsider, EMAIL, OUTSIDERS);
    using _world = standIn({ email: EMAIL, verified: true });
    assert.equal(await comeBackFrom(provider, owner), `${fixture.publicUrl}/home`);
    assert.ok(await isIn(owner));
    assert.equal((await fixture.signIn(outsider, EMAIL, OUTSIDERS)).status, 401);
    const [login, ...others] = await fixture.rows("SELECT * FROM user_login");
    assert.deepEqual(
      [login?.["providerId"], login?.["accessToken"], login?.["idToken"], others.length],
      [provider, null, null, 0],
    );
    assert.equal((await fixture.ledgerRows("SELECT * FROM credit_grant")).length, 1);
    // The owner opens the other user's email by mistake: that user's password stays removed.
    await fixture.open(owner, await fixture.lastLink(EMAIL, "verify_address"));
    assert.equal((await fixture.signIn(outsider, EMAIL, OUTSIDERS)).status, 401);
    assert.ok(await isIn(owner));
  });

  test(`a sign-in by ${provider} with an address that it has not verified is refused, whoever has the address`, async () => {
    const fixture = openFixture({ providers: PROVIDERS });
    const free = "free@example.com";
    await fixture.signUp(fixture.browser(), EMAIL, PASSWORD);
    const before = (await fixture.rows("SELECT * FROM user_login")).length;
    const responses = [];
    for (const email of [free, EMAIL]) {
      using _world = standIn({ email, verified: false });
      const browser = fixture.browser();
      responses.push(await comeBackFrom(provider, browser));
      assert.equal(await isIn(browser), false);
    }
    const refused = `${fixture.publicUrl}/sign-in?error=email_not_verified`;
    assert.deepEqual(responses, [refused, refused]);
    assert.equal((await fixture.rows("SELECT * FROM user_login")).length, before);
    assert.deepEqual(await fixture.rows("SELECT * FROM users WHERE email = ?", free), []);
    assert.deepEqual(await fixture.emailsTo(free), []);
  });
}

test("a social sign-in of a user with a password keeps both, and coming again is the same user", async () => {
  const fixture = openFixture({ providers: PROVIDERS });
  const browser = fixture.browser();
  await fixture.signUp(browser, EMAIL, PASSWORD);
  await fixture.open(browser, await fixture.lastLink(EMAIL, "verify_address"));
  using _world = standIn({ email: EMAIL, verified: true });
  for (let times = 0; times < 2; times += 1) {
    assert.equal(await comeBackFrom("github", fixture.browser()), `${fixture.publicUrl}/home`);
  }
  assert.equal((await fixture.signIn(browser, EMAIL, PASSWORD)).status, 200);
  assert.equal((await fixture.rows("SELECT * FROM users")).length, 1);
  assert.equal((await fixture.rows("SELECT * FROM user_login")).length, 2);
  assert.equal((await fixture.ledgerRows("SELECT * FROM credit_grant")).length, 1);
});

test("where sign-up is closed a social sign-in makes no user", async () => {
  const fixture = openFixture({ providers: PROVIDERS, signUp: "closed" });
  using _world = standIn({ email: EMAIL, verified: true });
  const to = await comeBackFrom("github", fixture.browser());
  assert.equal(to, `${fixture.publicUrl}/sign-in?error=sign_up_closed`);
  assert.deepEqual(await fixture.rows("SELECT * FROM users"), []);
});

test("a state that another browser began, or nobody, signs nobody in", async () => {
  const fixture = openFixture({ providers: PROVIDERS });
  using _world = standIn({ email: EMAIL, verified: true });
  const attacker = fixture.browser();
  const begun = await attacker.post("/dashboard/auth/sign-in/social", {
    ...{ provider: "github", callbackURL: `${fixture.publicUrl}/home` },
  });
  const state = new URL((begun.body as { url: string }).url).searchParams.get("state");
  for (const query of [
    `code=c&state=${state}`,
    "code=c&state=invented",
    "code=c",
    "error=denied",
  ]) {
    const victim = fixture.browser(newAddress());
    const { status, headers } = await victim.get(`/dashboard/auth/callback/github?${query}`);
    assert.equal(status, 302);
    assert.match(headers.get("location") ?? "", /\/sign-in\?.*error=/);
    assert.equal(await isIn(victim), false);
  }
});

test("a social sign-in leads back to pages of this service alone, and not to an ID token's bearer", async () => {
  const fixture = openFixture({ providers: PROVIDERS });
  const browser = fixture.browser();
  for (const field of ["callbackURL", "errorCallbackURL"]) {
    const order = { provider: "github", callbackURL: "/home", [field]: "https://evil.test/" };
    const { status, code } = await browser.post("/dashboard/auth/sign-in/social", order);
    assert.equal(status, 403, code);
  }
  const idToken = { token: "a.b.c" };
  const order = { provider: "google", callbackURL: "/home", idToken };
  const response = await browser.post("/dashboard/auth/sign-in/social", order);
  assert.match((response.body as { url: string }).url, /^https:\/\/accounts\.google\.com\//);
  for (const provider of ["facebook", "nothing", ""]) {
    const { status } = await browser.post("/dashboard/auth/sign-in/social", { provider });
    assert.ok([400, 404].includes(status));
  }
});
