import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventsView, SessionView, Visitor } from "#api/dashboard/shapes.ts";
import type { Browser } from "./browser.ts";
import { type Member, openMember, openScene, PASSWORD, type Scene } from "./dashboard-fixture.ts";

/** What the links of letters open, how long, and what they make known. */
const NEW = "another password";

async function askReset(scene: Scene, email: string): Promise<string> {
  const asker = scene.browser();
  const answer = await asker.post("/people/auth/request-password-reset", { email });
  assert.equal(answer.status, 200);
  const link = await scene.lastLink(email, "reset_password");
  return new URL(link).searchParams.get("token") ?? "";
}
const reset = (who: Browser, token: string, newPassword = NEW) =>
  who.post("/people/auth/reset-password", { token, newPassword });

async function move(scene: Scene, { browser, email }: Member, to: string) {
  await browser.post("/people/auth/change-email", { newEmail: to });
  await scene.open(browser, await scene.lastLink(email, "confirm_address_change"));
  return scene.open(browser, await scene.lastLink(to, "verify_new_address"));
}

const ENDINGS: [string, (scene: Scene, member: Member) => Promise<{ status: number }>][] = [
  [
    "another reset",
    async (scene, { email }) => reset(scene.browser(), await askReset(scene, email)),
  ],
  [
    "a change of the password",
    (_, { browser, password }) =>
      browser.post("/people/auth/change-password", {
        ...{ currentPassword: password, newPassword: NEW },
      }),
  ],
  ["a move to another address", (scene, member) => move(scene, member, `to-${member.email}`)],
];
for (const [name, end] of ENDINGS) {
  test(`a link to a new password does not outlive ${name}; other people's do`, async () => {
    const scene = openScene();
    const [ann, bea] = [await openMember(scene), await openMember(scene)];
    const [anns, beas] = [await askReset(scene, ann.email), await askReset(scene, bea.email)];
    assert.equal((await end(scene, ann)).status, 200);
    const refused = await reset(scene.browser(), anns, "a third password");
    assert.deepEqual([refused.status, refused.code], [400, "INVALID_TOKEN"]);
    assert.equal((await reset(scene.browser(), beas)).status, 200);
  });
}

test("a wrong password or a password too short ends no link", async () => {
  const scene = openScene();
  const { email, browser } = await openMember(scene);
  const token = await askReset(scene, email);
  const order = { currentPassword: "a wrong one", newPassword: NEW };
  await browser.post("/people/auth/change-password", order);
  assert.equal((await reset(scene.browser(), token, "short")).code, "PASSWORD_TOO_SHORT");
  assert.equal((await reset(scene.browser(), token)).status, 200);
});

test("verification ends earlier links to a new password, but not the one that it brings", async () => {
  const scene = openScene();
  const [stranger, owner] = [scene.browser(), scene.browser()];
  const email = "ann@example.com";
  await scene.signUp(stranger, email, PASSWORD);
  const early = await askReset(scene, email);
  await owner.post("/people/auth/send-verification-email", { email });
  const opened = await scene.open(owner, await scene.lastLink(email, "verify_address"));
  const { resetToken } = opened.body as { resetToken: string };
  assert.equal((await reset(stranger, early)).code, "INVALID_TOKEN");
  assert.equal((await reset(owner, resetToken)).status, 200);
  assert.equal((await scene.signIn(owner, email, NEW)).status, 200);
});

/** So many wrong passwords for somebody that the next try in a browser nobody knows is refused. */
async function crowdOut(scene: Scene, email: string): Promise<void> {
  const tries = Array.from({ length: 25 }, () =>
    scene
      .browser()
      .send("POST", "/people/auth/sign-in/email", { email, password: "a guess of it" }),
  );
  assert.equal((await Promise.all(tries)).at(-1)?.status, 429);
}

test("whom strangers keep out in a new browser comes in by a link to a new password, and stays let in", async () => {
  const scene = openScene();
  const { email, password } = await openMember(scene);
  const abroad = scene.browser();
  await crowdOut(scene, email);
  assert.equal((await scene.signIn(abroad, email, password)).status, 429);
  assert.equal((await reset(abroad, await askReset(scene, email))).status, 200);
  await crowdOut(scene, email);
  scene.waits.length = 0;
  assert.equal((await scene.signIn(abroad, email, NEW)).status, 200);
  assert.deepEqual(scene.waits, []);
});

test("a link that confirms an address makes its browser a known one, and the count starts anew", async () => {
  const scene = openScene();
  const [browser, other] = [scene.browser(), scene.browser()];
  const email = "ann@example.com";
  await scene.signUp(browser, email, PASSWORD);
  await crowdOut(scene, email);
  await scene.open(browser, await scene.lastLink(email, "verify_address"));
  scene.waits.length = 0;
  assert.equal((await scene.signIn(other, email, PASSWORD)).status, 200);
  await crowdOut(scene, email);
  assert.equal((await scene.signIn(browser, email, PASSWORD)).status, 200);
});

test("a link that works no more makes no browser known", async () => {
  const browser = openScene().browser();
  await reset(browser, "invented");
  await browser.post("/people/auth/verify-email", { token: "invented" });
  assert.deepEqual([...browser.cookies], []);
});

test("asking for a new password takes the same time for every address, as far as we make it", async () => {
  const scene = openScene();
  const { email } = await openMember(scene);
  for (const each of [email, "nobody@example.com"]) {
    await scene.browser().post("/people/auth/request-password-reset", { email: each });
  }
  assert.deepEqual(scene.waits, [500, 500]);
});

const PEERS: [string, string][] = [
  ["2001:0DB8:0001:0002:0003:0000:0000:0006", "2001:db8:1:2:3::6"],
  ["2001:db8:1:2:3::6", "2001:db8:1:2:3::6"],
  ["fe80::1%eth0", "fe80::1%eth0"],
  ["::ffff:10.9.8.7", "10.9.8.7"],
  ["10.9.8.7", "10.9.8.7"],
];
for (const [peer, spelled] of PEERS) {
  test(`a person at ${peer} reads ${spelled} in every list`, async () => {
    const scene = openScene();
    const browser = scene.browser(peer);
    await scene.signUp(browser, "ann@example.com", PASSWORD);
    await scene.open(browser, await scene.lastLink("ann@example.com", "verify_address"));
    await scene.signIn(browser, "ann@example.com", PASSWORD);
    const { sessions } = (await browser.get("/people/sessions")).body as {
      sessions: SessionView[];
    };
    const { events } = (await browser.get("/people/events")).body as EventsView;
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
  const scene = openScene();
  const { browser, email, password } = await openMember(scene);
  const headers = { "user-agent": "Mozilla ".repeat(4_000) };
  const order = { email, password };
  await browser.send("POST", "/people/auth/sign-in/email", order, headers);
  const { person } = (await browser.get("/people/visitor")).body as Visitor;
  assert.equal(person?.email, email);
  const kept = await scene.rows('SELECT "userAgent" FROM person_session');
  assert.equal(Math.max(...kept.map(({ userAgent }) => String(userAgent).length)), 300);
});
