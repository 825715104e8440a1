import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventsView } from "#api/dashboard/shapes.ts";
import { SECURITY_EMAILS_OF_A_KIND_MAX } from "#limits.ts";
import type { Browser } from "./browser.ts";
import { clock, DAY } from "./clock.ts";
import { openFixture, openMember, PASSWORD } from "./dashboard-fixture.ts";

/** Emails about security events, and the activity list beside them. */
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const eventsOf = async (who: Browser) =>
  ((await who.get("/dashboard/events")).body as EventsView).events;
const signInAs = (who: Browser, email: string, password: string) =>
  who.send("POST", "/dashboard/auth/sign-in/email", { email, password }, { "user-agent": FIREFOX });
const saysNetwork = (text = "", peer: string | null = null) =>
  text.split("\n").includes(`IP address: ${peer}`);

test("signing in with a browser that was never seen sends an email with its network and name; a known one sends none", async () => {
  const fixture = openFixture();
  const { browser, email } = await openMember(fixture);
  assert.deepEqual(await fixture.emailsTo(email, "new_sign_in"), [], "the browser that signed up");
  const thief = fixture.browser();
  assert.equal((await signInAs(thief, email, PASSWORD)).status, 200);
  const [sent, ...more] = await fixture.emailsTo(email, "new_sign_in");
  assert.equal(more.length, 0);
  assert.ok(saysNetwork(sent?.text, thief.peer));
  assert.match(sent?.text ?? "", /^Browser: Firefox on Linux$/m);
  assert.match(sent?.text ?? "", /\/forgot-password$/m);
  for (const who of [thief, browser]) {
    await who.post("/dashboard/auth/sign-out");
    assert.equal((await signInAs(who, email, PASSWORD)).status, 200);
  }
  assert.equal((await fixture.emailsTo(email, "new_sign_in")).length, 1);
  const [again, , first] = await eventsOf(browser);
  assert.deepEqual([again?.kind, again?.browser], ["signed_in", "Firefox on Linux"]);
  assert.deepEqual([first?.kind, first?.address], ["signed_in_new_browser", thief.peer]);
});

test("the browser that signed up is known although the link was opened elsewhere, but only while the user is new", async () => {
  const fixture = openFixture();
  const [laptop, phone] = [fixture.browser(), fixture.browser()];
  const email = "split@example.com";
  await fixture.signUp(laptop, email, PASSWORD);
  const opened = await fixture.open(phone, await fixture.lastLink(email, "verify_address"));
  const { resetToken } = opened.body as { resetToken: string };
  const chosen = { token: resetToken, newPassword: PASSWORD };
  assert.equal((await phone.post("/dashboard/auth/reset-password", chosen)).status, 200);
  const cookies = new Map(laptop.cookies);
  assert.equal((await fixture.signIn(laptop, email, PASSWORD)).status, 200);
  assert.deepEqual(await fixture.emailsTo(email, "new_sign_in"), []);
  clock.advance(8 * DAY);
  const later = fixture.browser();
  for (const [name, value] of cookies) later.cookies.set(name, value);
  assert.equal((await fixture.signIn(later, email, PASSWORD)).status, 200);
  assert.equal((await fixture.emailsTo(email, "new_sign_in")).length, 1);
});

test("wrong passwords are one entry an hour with their number, and unknown addresses leave no trace", async () => {
  const fixture = openFixture();
  const { browser, email } = await openMember(fixture);
  const guesser = fixture.browser();
  for (let turn = 0; turn < 4; turn += 1) await signInAs(guesser, email, `guess number ${turn}`);
  await signInAs(guesser, "unknown@example.com", "guess number 5");
  await fixture.settle();
  const failed = (await eventsOf(browser)).filter(({ kind }) => kind === "sign_in_failed");
  assert.deepEqual(
    failed.map(({ times, address, browser: name }) => [times, address, name]),
    [[4, guesser.peer, "Firefox on Linux"]],
  );
  assert.deepEqual(await fixture.traces("unknown@example.com"), []);
});

test("a thief who creates keys does not use up the email about the changed password", async () => {
  const fixture = openFixture();
  const { browser, email, password } = await openMember(fixture);
  for (let turn = 0; turn < 20; turn += 1) {
    const { status } = await browser.post("/dashboard/keys", { label: `key ${turn}` });
    assert.equal(status, 201);
  }
  const about = async (kind: "key_created" | "security_summary" | "password_changed") =>
    (await fixture.emailsTo(email, kind)).length;
  const counts = [await about("key_created"), await about("security_summary")];
  assert.deepEqual(counts, [SECURITY_EMAILS_OF_A_KIND_MAX, 1]);
  const order = { currentPassword: password, newPassword: "another one 2" };
  await browser.post("/dashboard/auth/change-password", order);
  assert.equal(await about("password_changed"), 1);
});

test("a webhook endpoint is announced by its host, and a moved address at the old and the new one", async () => {
  const fixture = openFixture();
  const { browser, email } = await openMember(fixture);
  const endpoint = { url: "https://thief.example/token", kinds: ["credits.low"], paused: false };
  assert.equal((await browser.post("/dashboard/webhooks", endpoint)).status, 201);
  const [sent] = await fixture.emailsTo(email, "endpoint_added");
  assert.match(sent?.text ?? "", /^Host: thief\.example$/m);
  assert.doesNotMatch(sent?.text ?? "", /token/);
  const to = "moved-away@example.com";
  await browser.post("/dashboard/auth/change-email", { newEmail: to });
  await fixture.open(browser, await fixture.lastLink(email, "confirm_address_change"));
  await fixture.open(browser, await fixture.lastLink(to, "verify_new_address"));
  const [old] = await fixture.emailsTo(email, "address_changed");
  assert.ok(saysNetwork(old?.text, browser.peer));
  assert.equal((await fixture.emailsTo(to, "email_changed")).length, 1);
});
