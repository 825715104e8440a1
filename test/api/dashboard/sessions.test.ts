import assert from "node:assert/strict";
import { test } from "node:test";
import { createEmailVerificationToken } from "better-auth/api";
import type { EventsView, SessionView, Visitor } from "#api/dashboard/shapes.ts";
import type { Browser } from "./browser.ts";
import { clock, DAY, HOUR } from "./clock.ts";
import { type Fixture, openFixture, openMember, PASSWORD } from "./dashboard-fixture.ts";

const isIn = async (who: Browser) =>
  ((await who.get("/dashboard/visitor")).body as Visitor).user !== null;
const sessionsOf = async (who: Browser) =>
  ((await who.get("/dashboard/sessions")).body as { sessions: SessionView[] }).sessions;
const eventsOf = async (who: Browser) =>
  ((await who.get("/dashboard/events")).body as EventsView).events.map(({ kind }) => kind);
const move = (who: Browser, newEmail: string) =>
  who.post("/dashboard/auth/change-email", { newEmail, callbackURL: "/settings/account" });

async function openElsewhere(fixture: Fixture, count: number) {
  const member = await openMember(fixture);
  const others = Array.from({ length: count }, () => fixture.browser());
  for (const other of others) await fixture.signIn(other, member.email, member.password);
  return { ...member, others };
}

test("sessions are listed and ended one by one or all at once, except the current one", async () => {
  const fixture = openFixture();
  const { browser, others } = await openElsewhere(fixture, 3);
  const sessions = await sessionsOf(browser);
  assert.equal(sessions.length, 4);
  assert.deepEqual(
    sessions.map(({ current }) => current),
    [true, false, false, false],
  );
  assert.equal(sessions[0]?.address, browser.peer);
  const [first] = sessions.slice(1);
  assert.equal((await browser.delete(`/dashboard/sessions/${first?.id}`)).status, 200);
  assert.equal((await browser.delete(`/dashboard/sessions/${first?.id}`)).code, "not_found");
  assert.equal((await Promise.all(others.map(isIn))).filter(Boolean).length, 2);
  assert.equal((await browser.delete("/dashboard/sessions/others")).status, 200);
  assert.deepEqual(await Promise.all(others.map(isIn)), [false, false, false]);
  assert.ok(await isIn(browser));
  assert.equal((await browser.delete("/dashboard/sessions/others")).status, 200);
  const ended = (await eventsOf(browser)).filter((kind) => kind === "session_ended");
  assert.equal(ended.length, 2);
});

test("signing out ends the session, not only the cookie", async () => {
  const fixture = openFixture();
  const { browser } = await openMember(fixture);
  const kept = new Map(browser.cookies);
  assert.equal((await browser.post("/dashboard/auth/sign-out")).status, 200);
  for (const [name, value] of kept) browser.cookies.set(name, value);
  assert.equal(await isIn(browser), false);
  assert.equal((await browser.get("/dashboard/home")).code, "signed_out");
});

test("a session ends 30 days after its last use, and is then removed", async () => {
  const fixture = openFixture();
  const { browser, others } = await openElsewhere(fixture, 1);
  clock.advance(20 * DAY);
  const used = await browser.get("/dashboard/visitor");
  assert.ok(used.headers.getSetCookie().some((cookie) => /session/.test(cookie)));
  clock.advance(11 * DAY);
  assert.ok(await isIn(browser));
  assert.deepEqual(await Promise.all(others.map(isIn)), [false]);
  clock.advance(31 * DAY);
  assert.equal((await browser.get("/dashboard/keys")).code, "signed_out");
  await fixture.activityLog.forgetStale({ unverifiedBefore: 0, now: Date.now(), max: 100 });
  assert.deepEqual(await fixture.rows("SELECT * FROM user_session"), []);
});

test("a changed password ends the other sessions, and the old password no longer works", async () => {
  const fixture = openFixture();
  const { browser, others, email, password } = await openElsewhere(fixture, 2);
  const change = (currentPassword: string, newPassword: string) =>
    browser.post("/dashboard/auth/change-password", { currentPassword, newPassword });
  assert.equal((await change("a wrong password", "another one 2")).code, "INVALID_PASSWORD");
  assert.equal((await change(password, "short")).code, "PASSWORD_TOO_SHORT");
  assert.deepEqual((await change(password, "another one 2")).body, {});
  assert.ok(await isIn(browser));
  assert.deepEqual(await Promise.all(others.map(isIn)), [false, false]);
  assert.equal((await fixture.signIn(fixture.browser(), email, password)).status, 401);
  assert.equal((await fixture.signIn(fixture.browser(), email, "another one 2")).status, 200);
  assert.equal((await fixture.emailsTo(email, "password_changed")).length, 1);
  assert.ok((await eventsOf(browser)).includes("password_changed"));
});

test("a reset link works once and within an hour, and ends every session", async () => {
  const fixture = openFixture();
  const { browser, others, email, password } = await openElsewhere(fixture, 1);
  const somebody = fixture.browser();
  const ask = async () => {
    await fixture.browser().post("/dashboard/auth/request-password-reset", { email });
    return new URL(await fixture.lastLink(email, "reset_password")).searchParams.get("token");
  };
  const reset = (token: string | null, newPassword: string) =>
    somebody.post("/dashboard/auth/reset-password", { token, newPassword });
  const late = await ask();
  clock.advance(HOUR + 1);
  assert.deepEqual((await reset(late, "another one 2")).code, "INVALID_TOKEN");
  const token = await ask();
  assert.equal((await reset(token, "short")).code, "PASSWORD_TOO_SHORT");
  assert.equal((await reset(token, "another one 2")).status, 200);
  const again = await reset(token, "another one 3");
  assert.deepEqual([again.status, again.code], [400, "INVALID_TOKEN"]);
  assert.equal((await reset(null, "another one 3")).status, 400);
  assert.equal((await reset("invented", "another one 3")).code, "INVALID_TOKEN");
  assert.deepEqual(await Promise.all([browser, ...others].map(isIn)), [false, false]);
  assert.equal((await fixture.signIn(somebody, email, password)).status, 401);
  assert.equal((await fixture.signIn(somebody, email, "another one 2")).status, 200);
  assert.equal((await fixture.emailsTo(email, "password_changed")).length, 1);
  assert.ok((await eventsOf(somebody)).includes("password_reset"));
});

test("an address is changed through two emails, to the old and to the new address; sign-in and account follow", async () => {
  const fixture = openFixture();
  const { browser, email, account } = await openMember(fixture);
  const to = "moved@example.com";
  assert.deepEqual((await move(browser, "Moved@Example.com")).body, { status: true });
  const first = await fixture.lastLink(email, "confirm_address_change");
  assert.deepEqual((await fixture.open(browser, first)).body, { status: true, emailTo: to });
  assert.equal(((await browser.get("/dashboard/visitor")).body as Visitor).user?.email, email);
  const second = await fixture.lastLink(to, "verify_new_address");
  assert.deepEqual((await fixture.open(browser, second)).body, { status: true, moved: true });
  const { user } = (await browser.get("/dashboard/visitor")).body as Visitor;
  assert.deepEqual([user?.email, user?.account?.id], [to, account]);
  assert.deepEqual(
    (await fixture.accountDeps.directory.findByEmail({ email: to }))?.account,
    account,
  );
  assert.equal(await fixture.accountDeps.directory.findByEmail({ email }), null);
  assert.equal((await fixture.emailsTo(email, "address_changed")).length, 1);
  assert.equal((await fixture.signIn(fixture.browser(), email, PASSWORD)).status, 401);
  assert.equal((await fixture.signIn(fixture.browser(), to, PASSWORD)).status, 200);
  const used = await fixture.open(browser, second);
  assert.equal(used.status, 401);
  const [event] = ((await browser.get("/dashboard/events")).body as EventsView).events.filter(
    ({ kind }) => kind === "email_changed",
  );
  assert.equal(event?.detail, to);
});

test("a link to change an address does nothing in a browser that is signed out or belongs to another user", async () => {
  const fixture = openFixture();
  const [ann, bea] = [await openMember(fixture), await openMember(fixture)];
  await move(ann.browser, "new-of-ann@example.com");
  const first = await fixture.lastLink(ann.email, "confirm_address_change");
  const nobody = fixture.browser();
  for (const who of [nobody, bea.browser]) {
    assert.deepEqual((await fixture.open(who, first)).code, "SIGN_IN_FIRST");
  }
  assert.deepEqual(await fixture.emailsTo("new-of-ann@example.com"), []);
  await fixture.open(ann.browser, first);
  const second = await fixture.lastLink("new-of-ann@example.com", "verify_new_address");
  for (const who of [nobody, bea.browser]) {
    const response = await fixture.open(who, second);
    assert.deepEqual([response.status, response.code], [401, "SIGN_IN_FIRST"]);
  }
  assert.equal(await isIn(nobody), false);
  assert.equal((await fixture.signIn(nobody, ann.email, PASSWORD)).status, 200);
});

test("an account does not move to an address that was taken meanwhile", async () => {
  const fixture = openFixture();
  const ann = await openMember(fixture);
  const to = "wanted@example.com";
  await move(ann.browser, to);
  await fixture.open(ann.browser, await fixture.lastLink(ann.email, "confirm_address_change"));
  const second = await fixture.lastLink(to, "verify_new_address");
  const bea = fixture.browser();
  await fixture.signUp(bea, to, PASSWORD);
  await fixture.open(bea, await fixture.lastLink(to, "verify_address"));
  const response = await fixture.open(ann.browser, second);
  assert.deepEqual([response.status, response.code], [409, "ADDRESS_TAKEN"]);
  const { user } = (await ann.browser.get("/dashboard/visitor")).body as Visitor;
  assert.equal(user?.email, ann.email);
  assert.equal((await fixture.signIn(bea, to, PASSWORD)).status, 200);
});

test("a sign-up with the new address does not block the user who reads its email", async () => {
  const fixture = openFixture();
  const ann = await openMember(fixture);
  const to = "squatted@example.com";
  await move(ann.browser, to);
  await fixture.open(ann.browser, await fixture.lastLink(ann.email, "confirm_address_change"));
  const second = await fixture.lastLink(to, "verify_new_address");
  const squatter = fixture.browser();
  await fixture.signUp(squatter, to, "a squatter's word");
  const response = await fixture.open(ann.browser, second);
  assert.deepEqual(response.body, { status: true, moved: true });
  assert.equal((await fixture.signIn(squatter, to, "a squatter's word")).status, 401);
  assert.equal((await fixture.signIn(fixture.browser(), to, PASSWORD)).status, 200);
});

test("moving between two addresses brings no further starter credits", async () => {
  const fixture = openFixture();
  const ann = await openMember(fixture);
  const [first, second] = [ann.email, "second@example.com"];
  await move(ann.browser, second);
  await fixture.open(ann.browser, await fixture.lastLink(first, "confirm_address_change"));
  await fixture.open(ann.browser, await fixture.lastLink(second, "verify_new_address"));
  const again = fixture.browser();
  await fixture.signUp(again, first, PASSWORD);
  await fixture.open(again, await fixture.lastLink(first, "verify_address"));
  await fixture.signIn(again, first, PASSWORD);
  assert.equal(((await again.get("/dashboard/home")).body as { balance: number }).balance, 0);
  assert.equal((await fixture.ledgerRows("SELECT * FROM credit_grant")).length, 1);
});

test("expired and forged links have error codes and change nothing", async () => {
  const fixture = openFixture();
  const { secret } = await fixture.auth.context();
  const ann = await openMember(fixture);
  await fixture.signUp(fixture.browser(), "late@example.com", PASSWORD);
  const link = await fixture.lastLink("late@example.com", "verify_address");
  const code = async (token: string, who = fixture.browser()) =>
    (await who.send("POST", "/dashboard/auth/verify-email", { token })).code;
  const forged = await createEmailVerificationToken("another secret", "late@example.com");
  assert.equal(await code(forged), "INVALID_TOKEN");
  assert.equal(await code("invented"), "INVALID_TOKEN");
  assert.equal(await code("a.b.c"), "INVALID_TOKEN");
  assert.equal(await code(""), "INVALID_TOKEN");
  const none = await fixture.browser().post("/dashboard/auth/verify-email", {});
  assert.deepEqual([none.status, none.code], [401, "INVALID_TOKEN"]);
  const unknown = await createEmailVerificationToken(secret, "nobody@example.com");
  assert.equal(await code(unknown), "INVALID_TOKEN");
  const type = { requestType: "change-email-verification" };
  const moved = await createEmailVerificationToken(
    "another secret",
    ann.email,
    "x@y.test",
    9,
    type,
  );
  assert.equal(await code(moved, ann.browser), "INVALID_TOKEN");
  const old = await createEmailVerificationToken(secret, ann.email, "x@y.test", -1, type);
  assert.equal(await code(old, ann.browser), "TOKEN_EXPIRED");
  assert.equal(await code(old), "TOKEN_EXPIRED");
  clock.advance(DAY + 1_000);
  const late = await fixture.open(fixture.browser(), link);
  assert.deepEqual([late.status, late.code], [401, "TOKEN_EXPIRED"]);
  assert.equal(
    (await fixture.rows(`SELECT * FROM users WHERE CAST("emailVerified" AS integer) = 1`)).length,
    1,
  );
});

test("a change of address ends the sessions in all other browsers", async () => {
  const fixture = openFixture();
  const { browser, email, others } = await openElsewhere(fixture, 2);
  await move(browser, "elsewhere@example.com");
  await fixture.open(browser, await fixture.lastLink(email, "confirm_address_change"));
  assert.ok(await isIn(others[0] as Browser), "not before the change is complete");
  const second = await fixture.lastLink("elsewhere@example.com", "verify_new_address");
  assert.deepEqual((await fixture.open(browser, second)).body, { status: true, moved: true });
  assert.ok(await isIn(browser));
  for (const other of others) assert.equal(await isIn(other), false);
  assert.equal((await sessionsOf(browser)).length, 1);
});

test("the activity list has pages in order, and its ids reveal nothing about other users", async () => {
  const fixture = openFixture();
  const [ann, bea] = [await openMember(fixture), await openMember(fixture)];
  for (const { email } of Array.from({ length: 20 }, () => [ann, ann, bea]).flat()) {
    const [{ id } = {}] = await fixture.rows("SELECT id FROM users WHERE email = ?", email);
    const event = { kind: "signed_in", detail: null, address: null } as const;
    await fixture.activityLog.recordEvent({ user: String(id), at: Date.now(), ...event });
    clock.advance(1);
  }
  const read = async (after: string) =>
    (await ann.browser.get(`/dashboard/events?after=${after}`)).body as EventsView;
  const first = await read("");
  assert.equal(first.events.length, 30);
  const second = await read(first.next ?? "");
  const all = [...first.events, ...second.events];
  const ids = all.map(({ id }) => id);
  assert.equal(new Set(ids).size, all.length);
  for (const id of ids) assert.match(id, /^[\w-]{22}$/);
  assert.notDeepEqual(ids.toSorted(), ids);
  assert.deepEqual(
    all.map(({ at }) => at).toSorted((a, b) => b - a),
    all.map(({ at }) => at),
  );
  assert.deepEqual(await read("30"), first, "a number is no place in the list");
  const repeated = await read(first.next ?? "");
  assert.deepEqual(repeated, second);
});
