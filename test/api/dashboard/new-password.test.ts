/** Which passwords may be chosen, and what a sign-up stores. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCommonPasswords } from "../../../src/apps/node/sign-up-lists.ts";
import { linkIn, openFixture, openMember, PASSWORD } from "./dashboard-fixture.ts";

const EMAIL = "ann@example.com";

/** Weak passwords, by the reason for which they are rejected. */
const weakPasswords = (email: string): [string, string][] => [
  ["password123", "PASSWORD_TOO_COMMON"],
  [" ".repeat(10), "PASSWORD_REPEATS"],
  [email, "PASSWORD_IS_ADDRESS"],
];

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
