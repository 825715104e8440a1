import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventsView, SessionView, Visitor } from "#api/dashboard/shapes.ts";
import type { Browser } from "./browser.ts";
import {
  type Fixture,
  type Member,
  openFixture,
  openMember,
  PASSWORD,
} from "./dashboard-fixture.ts";

/** What the links in emails open, for how long, and what they reveal. */
const NEW = "another password";

async function askReset(fixture: Fixture, email: string): Promise<string> {
  const asker = fixture.browser();
  const response = await asker.post("/dashboard/auth/request-password-reset", { email });
  assert.equal(response.status, 200);
  const link = await fixture.lastLink(email, "reset_password");
  return new URL(link).searchParams.get("token") ?? "";
}
const reset = (who: Browser, token: string, newPassword = NEW) =>
  who.post("/dashboard/auth/reset-password", { token, newPassword });

async function move(fixture: Fixture, { browser, email }: Member, to: string) {
  await browser.post("/dashboard/auth/change-email", { newEmail: to });
  await fixture.open(browser, await fixture.lastLink(email, "confirm_address_change"));
  return fixture.open(browser, await fixture.lastLink(to, "verify_new_address"));
}

const ENDINGS: [string, (fixture: Fixture, member: Member) => Promise<{ status: number }>][] = [
  [
    "another reset",
    async (fixture, { email }) => reset(fixture.browser(), await askReset(fixture, email)),
  ],
  [
    "a change of the password",
    (_, { browser, password }) =>
      browser.post("/dashboard/auth/change-password", {
        ...{ currentPassword: password, newPassword: NEW },
      }),
  ],
  ["a move to another address", (fixture, member) => move(fixture, member, `to-${member.email}`)],
];
for (const [name, end] of ENDINGS) {
  test(`a link to a new password does not outlive ${name}; other users' do`, async () => {
    const fixture = openFixture();
    const [ann, bea] = [await openMember(fixture), await openMember(fixture)];
    const [anns, beas] = [await askReset(fixture, ann.email), await askReset(fixture, bea.email)];
    assert.equal((await end(fixture, ann)).status, 200);
    const refused = await reset(fixture.browser(), anns, "a third password");
    assert.deepEqual([refused.status, refused.code], [400, "INVALID_TOKEN"]);
    assert.equal((await reset(fixture.browser(), beas)).status, 200);
  });
}

test("a wrong password or a password too short ends no link", async () => {
  const fixture = openFixture();
  const { email, browser } = await openMember(fixture);
  const token = await askReset(fixture, email);
  const order = { currentPassword: "a wrong one", newPassword: NEW };
  await browser.post("/dashboard/auth/change-password", order);
  assert.equal((await reset(fixture.browser(), token, "short")).code, "PASSWORD_TOO_SHORT");
  assert.equal((await reset(fixture.browser(), token)).status, 200);
});

test("verification ends earlier links to a new password, but not the one that it brings", async () => {
  const fixture = openFixture();
  const [outsider, owner] = [fixture.browser(), fixture.browser()];
  const email = "ann@example.com";
  await fixture.signUp(outsider, email, PASSWORD);
  const early = await askReset(fixture, email);
  await owner.post("/dashboard/auth/send-verification-email", { email });
  const opened = await fixture.open(owner, await fixture.lastLink(email, "verify_address"));
  const { resetToken } = opened.body as { resetToken: string };
  assert.equal((await reset(outsider, early)).code, "INVALID_TOKEN");
  assert.equal((await reset(owner, resetToken)).status, 200);
  assert.equal((await fixture.signIn(owner, email, NEW)).status, 200);
});

/** So many wrong passwords for somebody that the next try in a browser nobody knows is refused. */
async function crowdOut(fixture: Fixture, email: string): Promise<void> {
  const tries = Array.from({ length: 25 }, () =>
    fixture
      .browser()
      .send("POST", "/dashboard/auth/sign-in/email", { email, password: "a guess of it" }),
  );
  assert.equal((await Promise.all(tries)).at(-1)?.status, 429);
}

test("whom strangers keep out in a new browser comes in by a link to a new password, and stays let in", async () => {
  const fixture = openFixture();
  const { email, password } = await openMember(fixture);
  const abroad = fixture.browser();
  await crowdOut(fixture, email);
  assert.equal((await fixture.signIn(abroad, email, password)).status, 429);
  assert.equal((await reset(abroad, await askReset(fixture, email))).status, 200);
  await crowdOut(fixture, email);
  fixture.waits.length = 0;
  assert.equal((await fixture.signIn(abroad, email, NEW)).status, 200);
  assert.deepEqual(fixture.waits, []);
});

test("a link that confirms an address makes its browser a known one, and the count starts anew", async () => {
  const fixture = openFixture();
  const [browser, other] = [fixture.browser(), fixture.browser()];
  const email = "ann@example.com";
  await fixture.signUp(browser, email, PASSWORD);
  await crowdOut(fixture, email);
  await fixture.open(browser, await fixture.lastLink(email, "verify_address"));
  fixture.waits.length = 0;
  assert.equal((await fixture.signIn(other, email, PASSWORD)).status, 200);
  await crowdOut(fixture, email);
  assert.equal((await fixture.signIn(browser, email, PASSWORD)).status, 200);
});

test("a link that works no more makes no browser known", async () => {
  const browser = openFixture().browser();
  await reset(browser, "invented");
  await browser.post("/dashboard/auth/verify-email", { token: "invented" });
  assert.deepEqual([...browser.cookies], []);
});

test("asking for a new password takes the same time for every address, as far as we make it", async () => {
  const fixture = openFixture();
  const { email } = await openMember(fixture);
  for (const each of [email, "nobody@example.com"]) {
    await fixture.browser().post("/dashboard/auth/request-password-reset", { email: each });
  }
  assert.deepEqual(fixture.waits, [500, 500]);
});

const PEERS: [string, string][] = [
  ["2001:0DB8:0001:0002:0003:0000:0000:0006", "2001:db8:1:2:3::6"],
  ["2001:db8:1:2:3::6", "2001:db8:1:2:3::6"],
  ["fe80::1%eth0", "fe80::1%eth0"],
  ["::ffff:10.9.8.7", "10.9.8.7"],
  ["10.9.8.7", "10.9.8.7"],
];
for (const [peer, spelled] of PEERS) {
  test(`a user at ${peer} reads ${spelled} in every list`, async () => {
    const fixture = openFixture();
    const browser = fixture.browser(peer);
    await fixture.signUp(browser, "ann@example.com", PASSWORD);
    await fixture.open(browser, await fixture.lastLink("ann@example.com", "verify_address"));
    const { sessions } = (await browser.get("/dashboard/sessions")).body as {
      sessions: SessionView[];
    };
    const { events } = (await browser.get("/dashboard/events")).body as EventsView;
    assert.deepEqual(
      sessions.map(({ address }) => address),
      [spelled],
    );
    assert.deepEqual(
      events.map(({ kind, address }) => [kind, address]),
      [
        ["signed_in", spelled],
        ["email_verified", spelled],
        ["signed_up", spelled],
      ],
    );
  });
}

test("of a browser's name 300 characters are kept", async () => {
  const fixture = openFixture();
  const { browser, email, password } = await openMember(fixture);
  const headers = { "user-agent": "Mozilla ".repeat(4_000) };
  const order = { email, password };
  await browser.send("POST", "/dashboard/auth/sign-in/email", order, headers);
  const { user } = (await browser.get("/dashboard/visitor")).body as Visitor;
  assert.equal(user?.email, email);
  const kept = await fixture.rows('SELECT "userAgent" FROM user_session');
  assert.equal(Math.max(...kept.map(({ userAgent }) => String(userAgent).length)), 300);
});
