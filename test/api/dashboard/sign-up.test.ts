import assert from "node:assert/strict";
import { test } from "node:test";
import { openAccount } from "#accounts/accounts.ts";
import type { CreditsView } from "#api/dashboard/shapes.ts";
import { DAY } from "./clock.ts";
import {
  accountOf,
  enter,
  homeOf,
  open,
  openFixture,
  openMember,
  STARTER,
  start,
  userOf,
} from "./dashboard-fixture.ts";

const EMAIL = "ann@example.com";

test("after the first code there is an account, starter credits once and a free call", async () => {
  const fixture = openFixture();
  const browser = fixture.browser();
  assert.equal((await start(browser, "Ann@Example.COM")).status, 200);
  const [email, ...others] = await fixture.emailsTo(EMAIL);
  assert.deepEqual([email?.kind, others.length], ["sign_up_code", 0]);
  assert.deepEqual(await fixture.rows("SELECT id FROM users"), [], "nobody is stored before that");
  assert.equal((await browser.post("/dashboard/keys", { label: "x" })).code, "signed_out");
  const signedUp = await enter(browser, await fixture.lastCode(EMAIL));
  assert.deepEqual(signedUp.body, { signedUp: true });
  const at = Date.now();
  const user = await userOf(browser);
  assert.deepEqual([user?.email, user?.requiresPasskey, user?.providers], [EMAIL, false, []]);
  assert.deepEqual((await fixture.signIn(browser, EMAIL)).body, { signedUp: false });
  const { grants, balance } = (await browser.get("/dashboard/credits")).body as CreditsView;
  assert.equal(balance, STARTER.credits);
  assert.deepEqual(
    grants.map(({ kind, amount, expiresAt }) => [kind, amount, expiresAt]),
    [["starter", STARTER.credits, at + STARTER.days * DAY]],
  );
  assert.equal((await homeOf(browser)).freeCall, true);
  assert.deepEqual(await fixture.emailsTo(EMAIL, "new_sign_in"), []);
  assert.deepEqual(fixture.loggedErrors, []);
});

test("the link of the email signs up, too", async () => {
  const fixture = openFixture();
  const browser = fixture.browser();
  await start(browser, EMAIL);
  const opened = await open(browser, await fixture.lastLink(EMAIL, "sign_up_code"));
  assert.deepEqual(opened.body, { code: null, signedUp: true });
  await accountOf(browser);
});

test("ten first codes at once, of as many browsers on two nodes, give one account and one grant", async () => {
  const fixture = openFixture();
  const other = openFixture({ beside: fixture });
  const nodes = [fixture, other];
  const attempts = [];
  for (let turn = 0; turn < 10; turn += 1) {
    const node = nodes[turn % 2] ?? fixture;
    // As if each had asked before the others: the bound on emails of an address is not what is tested.
    const { browser: secret, code } = await node.auth.attempts.begin("sign-in", EMAIL);
    const browser = node.browser();
    browser.cookies.set("tb.attempt", secret);
    attempts.push({ browser, code });
  }
  const responses = await Promise.all(
    attempts.map(({ browser, code }) =>
      browser.send("POST", "/dashboard/auth/sign-in/code", { code }),
    ),
  );
  for (const { status, text } of responses) assert.equal(status, 200, text);
  const accounts = await Promise.all(attempts.map(({ browser }) => accountOf(browser)));
  assert.equal(new Set(accounts).size, 1);
  assert.equal((await fixture.rows("SELECT id FROM users")).length, 1);
  assert.equal((await fixture.ledgerRows("SELECT * FROM account")).length, 1);
  assert.equal((await fixture.ledgerRows("SELECT * FROM credit_grant")).length, 1);
});

for (const step of ["claimStarter", "openAccount", "grant", "recordEvent"]) {
  test(`an account whose creation was interrupted at ${step} is completed, with one grant`, async () => {
    const fixture = openFixture();
    const browser = fixture.browser();
    fixture.failing.set(step, 1);
    assert.equal((await fixture.signIn(browser, EMAIL)).status, 200);
    assert.equal(fixture.failing.get(step), 0, "the step was not reached");
    // A new process: nothing is remembered but what the database holds.
    const again = openFixture({ beside: fixture });
    const later = again.browser();
    for (const [name, value] of browser.cookies) later.cookies.set(name, value);
    await accountOf(later);
    const { balance, grants } = (await later.get("/dashboard/credits")).body as CreditsView;
    assert.deepEqual([balance, grants.length], [STARTER.credits, 1]);
    assert.equal((await fixture.ledgerRows("SELECT * FROM account")).length, 1);
  });
}

test("the owner of an address takes over the account that the operator made, without starter credits", async () => {
  const fixture = openFixture();
  const { account } = await openAccount(fixture.accountDeps, "user@operated.example", Date.now());
  const browser = fixture.browser();
  await fixture.signIn(browser, "user@operated.example");
  assert.equal(await accountOf(browser), account);
  const { balance, grants } = (await browser.get("/dashboard/credits")).body as CreditsView;
  assert.deepEqual([balance, grants], [0, []]);
});

test("closed sign-up responds the same to everyone, and only addresses that the operator added can sign in", async () => {
  const fixture = openFixture({ signUp: "closed" });
  await openAccount(fixture.accountDeps, "known@example.com", Date.now());
  const unknown = await start(fixture.browser(), "unknown@example.com");
  const known = await start(fixture.browser(), "known@example.com");
  assert.deepEqual([unknown.status, unknown.body], [known.status, known.body]);
  assert.deepEqual(await fixture.emailsTo("unknown@example.com"), []);
  const browser = fixture.browser();
  assert.equal((await fixture.signIn(browser, "known@example.com")).status, 200);
  await accountOf(browser);
  // Not even with the right code, which nobody was sent.
  const { browser: secret, code } = await fixture.auth.attempts.begin(
    "sign-in",
    "unknown@example.com",
  );
  const guesser = fixture.browser();
  guesser.cookies.set("tb.attempt", secret);
  const refused = await enter(guesser, code);
  assert.deepEqual([refused.status, refused.code], [403, "sign_up_closed"]);
  assert.deepEqual(
    (await fixture.rows("SELECT email FROM users")).map(({ email }) => email),
    ["known@example.com"],
  );
});

test("an address that never used its code is forgotten with the attempt, a user's is not", async () => {
  const fixture = openFixture();
  const { email } = await openMember(fixture);
  await start(fixture.browser(), "never@example.com");
  assert.notDeepEqual(await fixture.traces("never@example.com"), []);
  const now = Date.now() + 600_001;
  assert.deepEqual(await fixture.activityLog.forgetStale({ now, max: 100 }), { forgotten: 1 });
  assert.deepEqual(await fixture.traces("never@example.com"), []);
  assert.notDeepEqual(await fixture.traces(email), []);
});

const WRONG_ADDRESSES: unknown[] = [
  ...[
    "",
    "ann",
    "@example.com",
    "ann@",
    "ann@example",
    "a b@example.com",
    "ann@example.com, bea@x.test",
  ],
  ...["a\r\nb@example.com", `${"x".repeat(400)}@example.com`, null, undefined],
];
test("an invalid address gets an error, and no email", async () => {
  const fixture = openFixture();
  for (const email of WRONG_ADDRESSES) {
    const { status, code } = await fixture
      .browser()
      .post("/dashboard/auth/sign-in/start", { email });
    assert.deepEqual([status, code], [400, "INVALID_EMAIL"], String(email));
  }
  await fixture.settle();
  assert.deepEqual(fixture.emails, []);
});
