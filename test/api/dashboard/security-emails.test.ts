import assert from "node:assert/strict";
import { test } from "node:test";
import { SECURITY_EMAILS_OF_A_KIND_MAX } from "#limits.ts";
import type { Browser } from "./browser.ts";
import {
  eventsOf,
  type Fixture,
  makeKey,
  move,
  openFixture,
  openMember,
  start,
} from "./dashboard-fixture.ts";

/** Emails about security events, and the activity list beside them. */
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
async function signInAs(fixture: Fixture, who: Browser, email: string) {
  await start(who, email);
  const code = await fixture.lastCode(email);
  const sent = who.send(
    "POST",
    "/dashboard/auth/sign-in/code",
    { code },
    { "user-agent": FIREFOX },
  );
  return sent.finally(fixture.settle);
}
const saysNetwork = (text = "", peer: string | null = null) =>
  text.split("\n").includes(`IP address: ${peer}`);

test("signing in with a browser that was never seen sends an email with its network and name; a known one sends none", async () => {
  const fixture = openFixture();
  const { browser, email } = await openMember(fixture);
  assert.deepEqual(await fixture.emailsTo(email, "new_sign_in"), [], "the browser that signed up");
  const thief = fixture.browser();
  assert.equal((await signInAs(fixture, thief, email)).status, 200);
  const [sent, ...more] = await fixture.emailsTo(email, "new_sign_in");
  assert.equal(more.length, 0);
  assert.ok(saysNetwork(sent?.text, thief.peer));
  assert.match(sent?.text ?? "", /^Browser: Firefox on Linux$/m);
  assert.match(sent?.text ?? "", /\/settings\/account$/m);
  for (const who of [thief, browser]) {
    await who.post("/dashboard/auth/sign-out");
    assert.equal((await signInAs(fixture, who, email)).status, 200);
  }
  assert.equal((await fixture.emailsTo(email, "new_sign_in")).length, 1);
  const [again, , first] = await eventsOf(browser);
  assert.deepEqual([again?.kind, again?.browser], ["signed_in", "Firefox on Linux"]);
  assert.deepEqual([first?.kind, first?.address], ["signed_in_new_browser", thief.peer]);
});

test("a thief who creates keys does not use up the email about the changed address", async () => {
  const fixture = openFixture();
  const { browser, email } = await openMember(fixture);
  for (let turn = 0; turn < 20; turn += 1) await makeKey(browser, `key ${turn}`);
  const about = async (kind: "key_created" | "security_summary" | "address_changed") =>
    (await fixture.emailsTo(email, kind)).length;
  const counts = [await about("key_created"), await about("security_summary")];
  assert.deepEqual(counts, [SECURITY_EMAILS_OF_A_KIND_MAX, 1]);
  await move(fixture, browser, "moved@example.com");
  assert.equal(await about("address_changed"), 1);
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
  await move(fixture, browser, to);
  const [old] = await fixture.emailsTo(email, "address_changed");
  assert.ok(saysNetwork(old?.text, browser.peer));
  assert.equal((await fixture.emailsTo(to, "email_changed")).length, 1);
});
