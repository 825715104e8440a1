import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventsView } from "#api/dashboard/shapes.ts";
import type { Browser } from "./browser.ts";
import { clock, DAY } from "./clock.ts";
import {
  eventsOf,
  type Fixture,
  openFixture,
  openMember,
  sessionsOf,
  userOf,
} from "./dashboard-fixture.ts";

const isIn = async (who: Browser) => (await userOf(who)) !== null;

async function openElsewhere(fixture: Fixture, count: number) {
  const member = await openMember(fixture);
  const others = Array.from({ length: count }, () => fixture.browser());
  for (const other of others) await fixture.signIn(other, member.email);
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
  const ended = (await eventsOf(browser)).filter(({ kind }) => kind === "session_ended");
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
  await fixture.activityLog.forgetStale({ now: Date.now(), max: 100 });
  assert.deepEqual(await fixture.rows("SELECT * FROM user_session"), []);
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
