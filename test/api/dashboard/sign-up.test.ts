import assert from "node:assert/strict";
import { test } from "node:test";
import { openAccount } from "#accounts/accounts.ts";
import type { CreditsView, HomeView, Visitor } from "#api/dashboard/shapes.ts";
import { readCommonPasswords } from "../../../src/apps/node/sign-up-lists.ts";
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

test("twenty opens at once, on two nodes, give one account and one grant", async () => {
  const fixture = openFixture();
  const other = openFixture({ beside: fixture });
  const signedUp = fixture.browser();
  await fixture.signUp(signedUp, EMAIL, PASSWORD);
  const link = await fixture.lastLink(EMAIL, "verify_address");
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, turn) => {
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
  test(`an account whose making was broken off at ${step} is completed, with one grant`, async () => {
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
  await fixture.open(browser, await fixture.lastLink(EMAIL, "verify_address"));
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

test("where sign-up is closed the answer is the same, and only the operator's addresses come in", async () => {
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

test("passwords have 10 to 128 characters, addresses are addresses, and nothing else of a sign-up is kept", async () => {
  const fixture = openFixture();
  const codes = async (email: unknown, password: unknown) => {
    const { status, code } = await fixture
      .browser()
      .post("/dashboard/auth/sign-up/email", { email, password });
    return [status, code];
  };
  assert.deepEqual(await codes(EMAIL, "short"), [400, "PASSWORD_TOO_SHORT"]);
  assert.deepEqual(await codes(EMAIL, "x".repeat(129)), [400, "PASSWORD_TOO_LONG"]);
  assert.deepEqual(await codes("no address", PASSWORD), [400, "INVALID_EMAIL"]);
  assert.deepEqual(await codes("a@b", PASSWORD), [400, "INVALID_EMAIL"]);
  assert.deepEqual(await codes(7, PASSWORD), [400, "invalid_request"]);
  assert.deepEqual(await codes(EMAIL, undefined), [400, "invalid_request"]);
  assert.deepEqual(await fixture.rows("SELECT * FROM users"), []);
  await fixture.browser().post("/dashboard/auth/sign-up/email", {
    ...{ email: EMAIL, password: PASSWORD, name: "Ann".repeat(900), image: "https://x.test/i" },
    ...{ emailVerified: true, account: "acc_123456789012", callbackURL: "https://evil.test/" },
  });
  const [user] = await fixture.rows("SELECT * FROM users");
  assert.deepEqual(
    [user?.["name"], user?.["image"], Number(user?.["emailVerified"]), user?.["account"]],
    ["", null, 0, null],
  );
  const [message] = await fixture.emailsTo(EMAIL);
  assert.ok(message);
  assert.ok(linkIn(message).startsWith(fixture.publicUrl));
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

/** Weak passwords, by the reason for which they are rejected. */
const weakPasswords = (email: string): [string, string][] => [
  ["password123", "PASSWORD_TOO_COMMON"],
  [" ".repeat(10), "PASSWORD_REPEATS"],
  [email, "PASSWORD_IS_ADDRESS"],
];

test("wherever a password is chosen, a weak one is rejected with its reason; nothing is changed or used up", async () => {
  const fixture = openFixture();
  const { browser, email, password } = await openMember(fixture);
  for (const [weak, code] of weakPasswords(EMAIL)) {
    const signedUp = await fixture.signUp(fixture.browser(), EMAIL, weak);
    assert.deepEqual([signedUp.status, signedUp.code], [400, code]);
    assert.match((signedUp.body as { detail: string }).detail, /^This password .* Choose another/);
  }
  assert.equal((await fixture.rows("SELECT id FROM users")).length, 1);
  await browser.post("/dashboard/auth/request-password-reset", { email });
  const link = new URL(await fixture.lastLink(email, "reset_password"));
  const token = link.searchParams.get("token");
  const reset = (newPassword: string) =>
    browser.post("/dashboard/auth/reset-password", { token, newPassword });
  for (const [weak, code] of weakPasswords(email)) {
    const order = { currentPassword: password, newPassword: weak };
    const changed = await browser.post("/dashboard/auth/change-password", order);
    assert.deepEqual([changed.status, changed.code], [400, code]);
    assert.equal((await reset(weak)).code, code);
  }
  assert.equal((await fixture.signIn(browser, email, password)).status, 200);
  assert.equal((await reset("a fresh passphrase")).status, 200);
});

test("while the common passwords cannot be read, no password is set; the link stays valid, and sign-up works again", async () => {
  let isBroken = true;
  const fixture = openFixture({
    async readCommonPasswords() {
      if (isBroken) throw new Error("the file is missing");
      return readCommonPasswords();
    },
  });
  const signUp = (password: string) => fixture.signUp(fixture.browser(), EMAIL, password);
  for (const password of ["password123", PASSWORD]) {
    const { status, code, headers } = await signUp(password);
    assert.deepEqual([status, code, headers.get("retry-after")], [503, "unavailable", "2"]);
  }
  assert.equal((await fixture.rows("SELECT id FROM users")).length, 0);
  assert.equal(fixture.loggedErrors.length, 2);
  assert.match(fixture.loggedErrors[0] ?? "", /common passwords could not be read: the file is/);
  isBroken = false;
  assert.equal((await signUp("password123")).code, "PASSWORD_TOO_COMMON");
  const { browser, email } = await openMember(fixture);
  await browser.post("/dashboard/auth/request-password-reset", { email });
  const token = new URL(await fixture.lastLink(email, "reset_password")).searchParams.get("token");
  const order = { token, newPassword: "a fresh passphrase" };
  assert.equal((await browser.post("/dashboard/auth/reset-password", order)).status, 200);
});
