import assert from "node:assert/strict";
import { test } from "node:test";
import { openAccount } from "#accounts/accounts.ts";
import type { CreditsView, HomeView, Visitor } from "#api/dashboard/shapes.ts";
import type { Browser } from "./browser.ts";
import { DAY } from "./clock.ts";
import {
  accountOf,
  linkIn,
  openFixture,
  openMember,
  PASSWORD,
  STARTER,
} from "./dashboard-fixture.ts";

const EMAIL = "ann@example.com";

test("after sign-up and verification there is an account, starter credits once and a free call", async () => {
  const fixture = openFixture();
  const browser = fixture.browser();
  const response = await fixture.signUp(browser, "Ann@Example.COM", PASSWORD);
  assert.equal(response.status, 200);
  assert.equal((await fixture.emailsTo(EMAIL)).length, 1);
  const link = await fixture.lastLink(EMAIL, "verify_address");
  assert.equal(new URL(link).pathname, "/verify-email");
  assert.deepEqual((await fixture.open(browser, link)).body, { status: true, email: EMAIL });
  const at = Date.now();
  for (let times = 0; times < 2; times += 1) {
    assert.deepEqual((await fixture.open(browser, link)).body, { status: true, email: EMAIL });
  }
  assert.deepEqual((await fixture.signIn(browser, EMAIL, PASSWORD)).body, {});
  const { grants, balance } = (await browser.get("/dashboard/credits")).body as CreditsView;
  assert.equal(balance, STARTER.credits);
  assert.deepEqual(
    grants.map(({ kind, amount, expiresAt }) => [kind, amount, expiresAt]),
    [["starter", STARTER.credits, at + STARTER.days * DAY]],
  );
  assert.equal(((await browser.get("/dashboard/home")).body as HomeView).freeCall, true);
  assert.deepEqual(fixture.loggedErrors, []);
});

test("ten opens at once, on two nodes, give one account and one grant", async () => {
  const fixture = openFixture();
  const other = openFixture({ beside: fixture });
  const signedUp = fixture.browser();
  await fixture.signUp(signedUp, EMAIL, PASSWORD);
  const link = await fixture.lastLink(EMAIL, "verify_address");
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, turn) => {
      const node = turn % 2 === 0 ? fixture : other;
      const window = node.browser();
      for (const [name, value] of signedUp.cookies) window.cookies.set(name, value);
      return node.open(window, link);
    }),
  );
  for (const { status, body } of responses)
    assert.deepEqual([status, body], [200, { status: true, email: EMAIL }]);
  assert.equal((await fixture.ledgerRows("SELECT * FROM account")).length, 1);
  assert.equal((await fixture.ledgerRows("SELECT * FROM credit_grant")).length, 1);
  assert.equal((await fixture.rows("SELECT * FROM address")).length, 1);
  const browser = fixture.browser();
  await fixture.signIn(browser, EMAIL, PASSWORD);
  await accountOf(browser);
});

const STEPS = ["claimStarter", "openAccount", "grant", "recordEvent"];
for (const step of STEPS) {
  test(`an account whose creation was interrupted at ${step} is completed, with one grant`, async () => {
    const fixture = openFixture();
    const browser = fixture.browser();
    await fixture.signUp(browser, EMAIL, PASSWORD);
    const link = await fixture.lastLink(EMAIL, "verify_address");
    fixture.failing.set(step, 1);
    const broken = await fixture.open(browser, link);
    assert.equal(fixture.failing.get(step), 0, "the step was not reached");
    assert.equal(broken.status, step === "recordEvent" ? 200 : 500);
    // A new process: nothing is remembered but what the database holds.
    const again = openFixture({ beside: fixture });
    const later = again.browser();
    assert.equal((await again.open(later, link)).status, 200);
    assert.equal((await again.signIn(later, EMAIL, PASSWORD)).status, 200);
    const { balance, grants } = (await later.get("/dashboard/credits")).body as CreditsView;
    assert.deepEqual([balance, grants.length], [STARTER.credits, 1]);
    assert.equal((await fixture.ledgerRows("SELECT * FROM account")).length, 1);
  });
}

test("the owner of an address takes over the account that the operator made, without starter credits", async () => {
  const fixture = openFixture();
  const { account } = await openAccount(fixture.accountDeps, "user@operated.example", Date.now());
  const browser = fixture.browser();
  await fixture.signUp(browser, "user@operated.example", PASSWORD);
  await fixture.open(browser, await fixture.lastLink("user@operated.example", "verify_address"));
  await fixture.signIn(browser, "user@operated.example", PASSWORD);
  assert.equal(await accountOf(browser), account);
  const { balance, grants } = (await browser.get("/dashboard/credits")).body as CreditsView;
  assert.deepEqual([balance, grants], [0, []]);
});

test("before verification there is no session and no key, and a sign-in with the right password sends an email", async () => {
  const fixture = openFixture();
  const browser = fixture.browser();
  await fixture.signUp(browser, EMAIL, PASSWORD);
  const response = await fixture.signIn(browser, EMAIL, PASSWORD);
  assert.deepEqual([response.status, response.code], [403, "EMAIL_NOT_VERIFIED"]);
  assert.equal(((await browser.get("/dashboard/visitor")).body as Visitor).user, null);
  assert.equal((await browser.post("/dashboard/keys", { label: "x" })).code, "signed_out");
  assert.equal((await fixture.emailsTo(EMAIL, "verify_address")).length, 2);
  assert.equal((await fixture.ledgerRows("SELECT * FROM account")).length, 0);
  const second = await fixture.lastLink(EMAIL, "verify_address");
  assert.deepEqual((await fixture.open(browser, second)).body, { status: true, email: EMAIL });
  assert.equal((await fixture.signIn(browser, EMAIL, PASSWORD)).status, 200);
});

test("an email requested again in the browser that signed up keeps the password", async () => {
  const fixture = openFixture();
  const browser = fixture.browser();
  await fixture.signUp(browser, EMAIL, PASSWORD);
  // And again, as people do while they wait for an email.
  await fixture.signUp(browser, EMAIL, PASSWORD);
  await fixture.signUp(browser, "another@example.com", PASSWORD);
  await browser.post("/dashboard/auth/send-verification-email", { email: EMAIL });
  assert.equal((await fixture.emailsTo(EMAIL, "verify_address")).length, 3);
  const link = await fixture.lastLink(EMAIL, "verify_address");
  assert.deepEqual((await fixture.open(browser, link)).body, { status: true, email: EMAIL });
  assert.equal((await fixture.signIn(browser, EMAIL, PASSWORD)).status, 200);
});

const marks = (browser: Browser) =>
  [...browser.cookies.keys()].filter((name) => name.includes("sign_up_")).length;

test("a form that is sent three times at once keeps the password, whichever response comes last", async () => {
  const fixture = openFixture();
  const browser = fixture.browser();
  const order = { email: EMAIL, password: PASSWORD };
  const send = () => browser.send("POST", "/dashboard/auth/sign-up/email", order);
  await Promise.all([send(), send(), send()]);
  assert.equal(marks(browser), 3, "no response replaces the mark of another one");
  // Emails of one moment come in any order, and only that of the sign-up that was stored last has a link that works.
  for (const email of await fixture.emailsTo(EMAIL, "verify_address"))
    await fixture.open(browser, linkIn(email));
  assert.equal((await fixture.signIn(browser, EMAIL, PASSWORD)).status, 200);
});

test("a browser keeps the marks of its last five sign-ups", async () => {
  const fixture = openFixture();
  const browser = fixture.browser();
  const emails = Array.from({ length: 6 }, (_, turn) => `sign-up${turn}@example.com`);
  for (const email of emails) {
    const { status } = await fixture.signUp(browser, email, PASSWORD);
    assert.equal(status, 200, email);
  }
  assert.equal(marks(browser), 5);
  for (const [email, status] of [
    [emails[0], 401],
    [emails[1], 200],
    [emails[5], 200],
  ] as const) {
    await fixture.open(browser, await fixture.lastLink(email ?? "", "verify_address"));
    assert.equal((await fixture.signIn(browser, email ?? "", PASSWORD)).status, status, email);
  }
});

test("closed sign-up responds the same to everyone, and only addresses that the operator added can sign in", async () => {
  const fixture = openFixture({ signUp: "closed" });
  await openAccount(fixture.accountDeps, "known@example.com", Date.now());
  const browser = fixture.browser();
  const refused = await fixture.signUp(fixture.browser(), "unknown@example.com", PASSWORD);
  const taken = await fixture.signUp(browser, "known@example.com", PASSWORD);
  assert.deepEqual([refused.status, taken.status], [200, 200]);
  assert.deepEqual(Object.keys(refused.body as object), Object.keys(taken.body as object));
  assert.deepEqual(await fixture.emailsTo("unknown@example.com"), []);
  assert.deepEqual(
    (await fixture.rows("SELECT email FROM users")).map(({ email }) => email),
    ["known@example.com"],
  );
  await fixture.open(browser, await fixture.lastLink("known@example.com", "verify_address"));
  assert.equal((await fixture.signIn(browser, "known@example.com", PASSWORD)).status, 200);
  await accountOf(browser);
});

test("an address that was never confirmed is forgotten after its time, a confirmed one is not", async () => {
  const fixture = openFixture();
  const { email } = await openMember(fixture);
  await fixture.signUp(fixture.browser(), "never@example.com", PASSWORD);
  const order = { unverifiedBefore: Date.now() + 1, now: Date.now(), max: 100 };
  assert.deepEqual(await fixture.activityLog.forgetStale(order), { forgotten: 1 });
  assert.deepEqual(await fixture.traces("never@example.com"), []);
  assert.notDeepEqual(await fixture.traces(email), []);
});
