/** Floods of requests for emails: bounds for an address, a network, the service and the day, and what still works beyond them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StartedView } from "#api/dashboard/shapes.ts";
import type { Browser } from "./browser.ts";
import { clock, DAY, HOUR } from "./clock.ts";
import { enter, type Fixture, openFixture, openMember, start } from "./dashboard-fixture.ts";
import { addPasskey, openSecureFixture, usePasskey } from "./passkeys-fixture.ts";
import { comeBackFrom, PROVIDERS, standIn } from "./providers.ts";

let networks = 0;
/** A browser in a network of its own. */
function elsewhere(fixture: Fixture): Browser {
  networks += 1;
  return fixture.browser(`100.64.${networks}.1`);
}

/** The codes of the requests for one address, each from a network of its own; `sent` where there is no error. */
async function ask(fixture: Fixture, email: string, times: number): Promise<string[]> {
  const codes: string[] = [];
  for (let each = 0; each < times; each += 1)
    codes.push((await start(elsewhere(fixture), email)).code ?? "sent");
  return codes;
}

test("an address gets four codes an hour and twelve a day from strangers, and its owner's browser has its own count", async () => {
  const fixture = openFixture();
  const { browser, email } = await openMember(fixture);
  clock.advance(DAY);
  fixture.emails.length = 0;
  assert.deepEqual(await ask(fixture, email, 5), [...Array(4).fill("sent"), "too_many_emails"]);
  assert.equal((await fixture.signIn(browser, email)).status, 200);
  clock.advance(HOUR);
  assert.deepEqual(await ask(fixture, email, 5), [...Array(4).fill("sent"), "too_many_emails"]);
  clock.advance(HOUR);
  assert.deepEqual(await ask(fixture, email, 5), [...Array(4).fill("sent"), "too_many_emails"]);
  clock.advance(HOUR);
  assert.deepEqual(await ask(fixture, email, 2), ["too_many_emails", "too_many_emails"]);
  const refused = await start(elsewhere(fixture), email);
  assert.equal(refused.status, 429);
  const { detail } = refused.body as { detail: string };
  assert.match(detail, /or try again after \d\d:\d\d UTC tomorrow\.$/);
  assert.ok(Number(refused.headers.get("retry-after")) > HOUR / 1_000);
  assert.equal((await fixture.emailsTo(email, "sign_in_code")).length, 12);
  assert.equal((await fixture.emailsTo(email, "known_sign_in_code")).length, 1);
  clock.advance(DAY);
  assert.deepEqual(await ask(fixture, email, 1), ["sent"]);
});

test("a user who repeatedly asks to change to someone's address uses up nothing of its owner", async () => {
  const fixture = openFixture();
  const [owner, other] = [await openMember(fixture), await openMember(fixture)];
  clock.advance(HOUR);
  await fixture.signIn(other.browser, other.email);
  const codes = [];
  for (let each = 0; each < 5; each += 1) {
    const { code = "sent" } = await other.browser.post("/dashboard/account/email", {
      email: owner.email,
    });
    codes.push(code);
  }
  assert.deepEqual(codes, [...Array(4).fill("sent"), "too_many_emails"]);
  assert.equal((await fixture.signIn(owner.browser, owner.email)).status, 200);
  assert.equal((await fixture.signIn(elsewhere(fixture), owner.email)).status, 200);
});

test("aliases of a mailbox share its limit", async () => {
  const fixture = openFixture();
  const codes = [];
  for (const email of [
    "a.nn@gmail.com",
    "ann+1@gmail.com",
    "ann+2@gmail.com",
    "ann@googlemail.com",
    "ann@gmail.com",
  ])
    codes.push((await start(elsewhere(fixture), email)).code ?? "sent");
  assert.deepEqual(codes, [...Array(4).fill("sent"), "too_many_emails"]);
});

test("an error about too many emails leaves the browser its attempt", async () => {
  const fixture = openFixture();
  const { email } = await openMember(fixture);
  clock.advance(HOUR);
  const browser = fixture.browser();
  await start(browser, email);
  const code = await fixture.lastCode(email);
  await ask(fixture, email, 4);
  assert.equal((await start(browser, email)).code, "too_many_emails");
  assert.equal((await enter(browser, code)).status, 200);
});

test("one network asks for six codes a minute, others meanwhile too", async () => {
  const fixture = openFixture();
  const codes = [];
  for (let each = 0; each < 8; each += 1) {
    const { code = "sent" } = await start(fixture.browser("203.0.113.7"), `a${each}@example.com`);
    codes.push(code);
  }
  assert.deepEqual(codes, [...Array(6).fill("sent"), "too_many_requests", "too_many_requests"]);
  assert.equal((await start(fixture.browser(), "b@example.com")).status, 200);
});

test("a flood of unknown addresses uses nothing of existing accounts", async () => {
  const fixture = openFixture({ requestedEmails: { perHour: 8, perDay: 0 } });
  const owner = await openMember(fixture);
  clock.advance(HOUR - (clock.now() % HOUR));
  for (let each = 0; each < 20; each += 1)
    await start(elsewhere(fixture), `crowd${each}@example.net`);
  const late = (await start(elsewhere(fixture), "new@example.net")).body as StartedView;
  assert.ok(late.signUpsFrom !== null && late.signUpsFrom - clock.now() <= HOUR);
  assert.deepEqual(await fixture.emailsTo("new@example.net"), []);
  assert.equal((await fixture.emailsTo("crowd7@example.net")).length, 1);
  assert.equal((await fixture.emailsTo("crowd8@example.net")).length, 0);
  for (const browser of [elsewhere(fixture), owner.browser])
    assert.equal((await fixture.signIn(browser, owner.email)).status, 200);
  clock.advance(HOUR);
  assert.equal((await fixture.signIn(elsewhere(fixture), "new@example.net")).status, 200);
});

test("a flood of known addresses stops only the emails of strangers: owners' browsers, passkeys and providers sign in", async () => {
  const publicUrl = "http://localhost:8787";
  const requestedEmails = { perHour: 3, perDay: 0 };
  const fixture = openSecureFixture({ requestedEmails, providers: PROVIDERS, publicUrl });
  const members = [];
  for (let each = 0; each < 4; each += 1) {
    members.push(await openMember(fixture));
    clock.advance(HOUR);
  }
  const [owner, ...others] = members;
  assert.ok(owner);
  await fixture.signIn(owner.browser, owner.email);
  const { device } = await addPasskey(owner.browser, "Laptop", publicUrl);
  clock.advance(HOUR - (clock.now() % HOUR));
  for (const { email } of others) await start(elsewhere(fixture), email);
  await fixture.settle();
  const told = (await start(elsewhere(fixture), owner.email)).body as StartedView;
  assert.ok(told.signInsFrom !== null && told.signUpsFrom === null);
  // With sign-ups exhausted too, there is nothing to send to anyone.
  for (let each = 0; each < 3; each += 1)
    await start(elsewhere(fixture), `crowd${each}@example.net`);
  await fixture.settle();
  for (const email of [owner.email, "new@example.net"]) {
    const refused = await start(elsewhere(fixture), email);
    assert.deepEqual([refused.status, refused.code], [503, "emails_exhausted"], email);
    assert.ok(Number(refused.headers.get("retry-after")) <= 3_600);
  }
  assert.equal((await fixture.signIn(owner.browser, owner.email)).status, 200);
  assert.equal((await usePasskey(elsewhere(fixture), device)).status, 200);
  using _world = standIn({ email: "octo@example.com", verified: true });
  const byGoogle = fixture.browser();
  assert.match(await comeBackFrom("google", byGoogle, publicUrl), /\/home$/);
});

test("a day has its limit, too", async () => {
  const fixture = openFixture({ requestedEmails: { perHour: 0, perDay: 4 } });
  clock.advance(DAY - (clock.now() % DAY));
  for (let each = 0; each < 4; each += 1) {
    await start(elsewhere(fixture), `crowd${each}@example.net`);
    clock.advance(HOUR);
  }
  const late = (await start(elsewhere(fixture), "new@example.net")).body as StartedView;
  assert.equal(late.signUpsFrom, clock.now() - (clock.now() % DAY) + DAY);
  clock.advance(DAY);
  const next = (await start(elsewhere(fixture), "new@example.net")).body as StartedView;
  assert.equal(next.signUpsFrom, null);
});

test("rejections are counted and never logged as errors; a flood is one line a minute", async () => {
  const fixture = openFixture({ requestedEmails: { perHour: 1, perDay: 0 } });
  const { email } = await openMember(fixture);
  clock.advance(HOUR - (clock.now() % HOUR));
  await start(elsewhere(fixture), "crowd@example.net");
  await start(elsewhere(fixture), email);
  await fixture.settle();
  for (let minute = 0; minute < 2; minute += 1) {
    for (let each = 0; each < 10; each += 1)
      await start(elsewhere(fixture), `crowd${minute}-${each}@example.net`);
    clock.advance(61_000);
  }
  const guesser = fixture.browser();
  clock.advance(HOUR);
  await start(guesser, email);
  await enter(guesser, "0");
  assert.deepEqual(fixture.loggedErrors, []);
  assert.equal(fixture.warnings.length, 2);
  assert.match(fixture.warnings[1] as string, /emails_exhausted 10$/);
  const { rejections } = fixture;
  assert.equal(rejections.filter((reason) => reason === "emails_exhausted").length, 20);
  assert.equal(rejections.at(-1), "wrong_code");
});
