import assert from "node:assert/strict";
import { test } from "node:test";
import { type Browser, newAddress } from "./browser.ts";
import { openFixture } from "./dashboard-fixture.ts";
import { callbackOf, comeBackFrom, PROVIDERS, standIn } from "./providers.ts";

/** Signing in with GitHub and Google. */
const EMAIL = "owner@example.com";

const isIn = async (who: Browser) => (await who.get("/dashboard/home")).status === 200;

for (const provider of ["github", "google"] as const) {
  test(`a sign-in with ${provider}, which has verified the address, makes an account, and stores none of its tokens`, async () => {
    const fixture = openFixture({ providers: PROVIDERS });
    const owner = fixture.browser();
    using _world = standIn({ email: EMAIL, verified: true });
    assert.equal(await comeBackFrom(provider, owner), `${fixture.publicUrl}/home`);
    assert.ok(await isIn(owner));
    const [login, ...others] = await fixture.rows("SELECT * FROM user_login");
    assert.deepEqual(
      [login?.["providerId"], login?.["accessToken"], login?.["idToken"], others.length],
      [provider, null, null, 0],
    );
    assert.equal((await fixture.ledgerRows("SELECT * FROM credit_grant")).length, 1);
    assert.deepEqual(await fixture.emailsTo(EMAIL), [], "signing up is no news");
  });

  test(`a sign-in with ${provider} is rejected if it has not verified the address`, async () => {
    const fixture = openFixture({ providers: PROVIDERS });
    const free = "free@example.com";
    await fixture.signIn(fixture.browser(), EMAIL);
    const responses = [];
    for (const email of [free, EMAIL]) {
      using _world = standIn({ email, verified: false });
      const browser = fixture.browser();
      responses.push(await comeBackFrom(provider, browser));
      assert.equal(await isIn(browser), false);
    }
    const refused = `${fixture.publicUrl}/sign-in?error=email_not_verified`;
    assert.deepEqual(responses, [refused, refused]);
    assert.deepEqual(await fixture.rows("SELECT * FROM user_login"), []);
    assert.deepEqual(await fixture.rows("SELECT * FROM users WHERE email = ?", free), []);
    assert.deepEqual(await fixture.emailsTo(free), []);
  });
}

test("a social sign-in is linked to the user of the address, with an email, and the next one is the same user", async () => {
  const fixture = openFixture({ providers: PROVIDERS });
  const browser = fixture.browser();
  await fixture.signIn(browser, EMAIL);
  using _world = standIn({ email: EMAIL, verified: true });
  for (let times = 0; times < 2; times += 1) {
    assert.equal(await comeBackFrom("github", fixture.browser()), `${fixture.publicUrl}/home`);
  }
  assert.deepEqual((await fixture.signIn(browser, EMAIL)).body, { signedUp: false });
  assert.equal((await fixture.rows("SELECT * FROM users")).length, 1);
  assert.equal((await fixture.rows("SELECT * FROM user_login")).length, 1);
  assert.equal((await fixture.ledgerRows("SELECT * FROM credit_grant")).length, 1);
  assert.equal((await fixture.emailsTo(EMAIL, "provider_linked")).length, 1);
});

test("HEAD signs no one in, and leaves the sign-in to the GET after it", async () => {
  const fixture = openFixture({ providers: PROVIDERS });
  for (const provider of ["github", "google"] as const) {
    const browser = fixture.browser();
    const email = `${provider}@example.com`;
    using _world = standIn({ email, verified: true });
    const back = await callbackOf(provider, browser);
    const { status, headers } = await browser.send("HEAD", back);
    assert.deepEqual([status, headers.getSetCookie()], [204, []]);
    assert.deepEqual(await fixture.rows("SELECT * FROM users WHERE email = ?", email), []);
    assert.equal((await browser.get(back)).headers.get("location"), `${fixture.publicUrl}/home`);
    assert.ok(await isIn(browser));
  }
});

test("a social sign-in creates no user where sign-up is closed", async () => {
  const fixture = openFixture({ providers: PROVIDERS, signUp: "closed" });
  using _world = standIn({ email: EMAIL, verified: true });
  const to = await comeBackFrom("github", fixture.browser());
  assert.equal(to, `${fixture.publicUrl}/sign-in?error=sign_up_closed`);
  assert.deepEqual(await fixture.rows("SELECT * FROM users"), []);
});

test("a callback that this browser did not begin signs no one in", async () => {
  const fixture = openFixture({ providers: PROVIDERS });
  using _world = standIn({ email: EMAIL, verified: true });
  const attacker = fixture.browser();
  const begun = await attacker.post("/dashboard/auth/sign-in/social", {
    ...{ provider: "github", callbackURL: `${fixture.publicUrl}/home` },
  });
  const state = new URL((begun.body as { url: string }).url).searchParams.get("state");
  const evil = `https://evil.test/${"x".repeat(15_000)}`;
  for (const query of [
    `code=c&state=${state}`,
    "code=c&state=invented",
    "code=c",
    "error=denied",
    `error=${evil}`,
  ]) {
    const victim = fixture.browser(newAddress());
    const { status, headers } = await victim.get(`/dashboard/auth/callback/github?${query}`);
    assert.equal(status, 302);
    assert.match(headers.get("location") ?? "", /\/sign-in\?.*error=/);
    assert.equal(await isIn(victim), false);
  }
  assert.deepEqual(fixture.loggedErrors, []);
});

test("a social sign-in returns to pages of this service only, and does not accept an ID token", async () => {
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
  for (const provider of ["facebook", "x".repeat(5_000), ""]) {
    const { status } = await browser.post("/dashboard/auth/sign-in/social", { provider });
    assert.ok([400, 404].includes(status));
  }
  assert.deepEqual(fixture.loggedErrors, []);
});
