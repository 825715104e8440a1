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

test("a user whom strangers keep out of a new browser gets in by a link to a new password, and stays known there", async () => {
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

test("a link that confirms an address marks its browser as known, and resets the count", async () => {
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

test("an invalid link does not mark a browser as known", async () => {
  const browser = openFixture().browser();
  await reset(browser, "invented");
  await browser.post("/dashboard/auth/verify-email", { token: "invented" });
  assert.deepEqual([...browser.cookies], []);
});

test("requesting a new password waits equally long for every address", async () => {
  const fixture = openFixture();
  const { email } = await openMember(fixture);
  for (const each of [email, "nobody@example.com"]) {
    await fixture.browser().post("/dashboard/auth/request-password-reset", { email: each });
  }
  assert.deepEqual(fixture.waits, [500, 500]);
});

const PEERS: [string, string][] = [
  ["2001:0DB8:0001:0002:0003:0000:0000:0006", "2001:db8:1:2:3::6"],
  ["fe80::1%eth0", "fe80::1%eth0"],
  ["::ffff:10.9.8.7", "10.9.8.7"],
];
test("an IP address is shown in one spelling in every list", async () => {
  for (const [index, [peer, spelled]] of PEERS.entries()) {
    const fixture = openFixture();
    const browser = fixture.browser(peer);
    const email = `ann${index}@example.com`;
    await fixture.signUp(browser, email, PASSWORD);
    await fixture.open(browser, await fixture.lastLink(email, "verify_address"));
    const { sessions } = (await browser.get("/dashboard/sessions")).body as {
      sessions: SessionView[];
    };
    const { events } = (await browser.get("/dashboard/events")).body as EventsView;
    const addresses = [...sessions, ...events].map(({ address }) => address);
    assert.deepEqual(addresses, Array(4).fill(spelled), peer);
  }
});

test("300 characters of a browser's name are stored", async () => {
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
