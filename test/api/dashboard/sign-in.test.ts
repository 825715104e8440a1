/** Signing in by email: codes, links, and what a guesser can do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LinkView } from "#api/dashboard/shapes.ts";
import { type ApiResponse, type Browser, newAddress } from "./browser.ts";
import { clock, DAY, HOUR, SECOND } from "./clock.ts";
import {
  enter,
  eventsOf,
  type Fixture,
  open,
  openFixture,
  openMember,
  sessionsOf,
  start,
  userOf,
} from "./dashboard-fixture.ts";
import { AUTH, addPasskey, openSecureFixture, usePasskey } from "./passkeys-fixture.ts";

const EMAIL = "ann@example.com";
const MINUTE = 60 * SECOND;

const isIn = async (who: Browser) => (await userOf(who)) !== null;

/** A code that is not this one. */
const otherThan = (code: string, by = 1) =>
  String((Number(code) + by) % 100_000_000).padStart(8, "0");

/** Begins a sign-in in a new browser, and returns it with its code. */
async function begin(fixture: Fixture, email = EMAIL, who = fixture.browser()) {
  assert.equal((await start(who, email)).status, 200);
  const code = await fixture.lastCode(email);
  const link = await fixture.lastLink(
    email,
    (await fixture.emailsTo(email)).at(-1)?.kind ?? "other",
  );
  return { who, code, link };
}

type Scene = Awaited<ReturnType<typeof begin>> & { fixture: Fixture };

/** What may be tried with an attempt; the response to the last request, and whether the browser is signed in then. */
const SCENARIOS: {
  name: string;
  tries(scene: Scene): Promise<ApiResponse>;
  expected: [status: number, code: string | undefined, isIn: boolean];
}[] = [
  {
    name: "the code of the email",
    tries: ({ who, code }) => enter(who, code),
    expected: [200, undefined, true],
  },
  {
    name: "the code with a space and hyphens, as people copy it",
    tries: ({ who, code }) => enter(who, ` ${code.slice(0, 4)}-${code.slice(4)} `),
    expected: [200, undefined, true],
  },
  {
    name: "the code after four wrong ones",
    async tries({ who, code }) {
      for (let by = 1; by <= 4; by += 1) await enter(who, otherThan(code, by));
      return enter(who, code);
    },
    expected: [200, undefined, true],
  },
  {
    name: "the code after five wrong ones",
    async tries({ who, code }) {
      for (let by = 1; by <= 5; by += 1) {
        assert.equal((await enter(who, otherThan(code, by))).code, "wrong_code");
      }
      return enter(who, code);
    },
    expected: [400, "attempt_ended", false],
  },
  {
    name: "the code a second before it expires",
    tries({ who, code }) {
      clock.advance(10 * MINUTE - SECOND);
      return enter(who, code);
    },
    expected: [200, undefined, true],
  },
  {
    name: "the code after ten minutes",
    tries({ who, code }) {
      clock.advance(10 * MINUTE);
      return enter(who, code);
    },
    expected: [400, "attempt_ended", false],
  },
  {
    name: "the code a second time",
    async tries({ who, code, fixture }) {
      const cookie = [...who.cookies];
      assert.equal((await enter(who, code)).status, 200);
      const again = fixture.browser();
      for (const [name, value] of cookie) again.cookies.set(name, value);
      return enter(again, code);
    },
    expected: [400, "attempt_ended", true],
  },
  {
    name: "the code of an attempt that the same browser has replaced",
    async tries({ who, code, fixture }) {
      await begin(fixture, EMAIL, who);
      return enter(who, code);
    },
    expected: [400, "wrong_code", false],
  },
  {
    name: "the code after somebody else has asked for one for the same address",
    async tries({ who, code, fixture }) {
      for (let times = 0; times < 3; times += 1) await start(fixture.browser(), EMAIL);
      return enter(who, code);
    },
    expected: [200, undefined, true],
  },
  {
    name: "no code",
    tries: ({ who }) => enter(who, ""),
    expected: [400, "wrong_code", false],
  },
  {
    name: "a code without an attempt",
    tries: ({ who, code }) => {
      who.cookies.clear();
      return enter(who, code);
    },
    expected: [400, "attempt_ended", false],
  },
  {
    name: "the link in the browser of the attempt",
    tries: ({ who, link }) => open(who, link),
    expected: [200, undefined, true],
  },
  {
    name: "the link after five wrong codes",
    async tries({ who, code, link }) {
      for (let by = 1; by <= 5; by += 1) await enter(who, otherThan(code, by));
      return open(who, link);
    },
    expected: [200, undefined, true],
  },
  {
    name: "the link after ten minutes",
    tries({ who, link }) {
      clock.advance(10 * MINUTE);
      return open(who, link);
    },
    expected: [400, "attempt_ended", false],
  },
  {
    name: "the link after the code",
    async tries({ who, code, link }) {
      await enter(who, code);
      return open(who, link);
    },
    expected: [400, "attempt_ended", true],
  },
  {
    name: "an invented link",
    tries: ({ who }) => open(who, "https://x.test/sign-in/link#invented"),
    expected: [400, "attempt_ended", false],
  },
];

for (const { name, tries, expected } of SCENARIOS) {
  const [status, code, signsIn] = expected;
  test(`${name}: ${code ?? "signs in"}`, async () => {
    const fixture = openFixture();
    const scene = { fixture, ...(await begin(fixture)) };
    const response = await tries(scene);
    // The view of a link has a code, too, which is null here.
    assert.deepEqual([response.status, response.code ?? undefined], [status, code], response.text);
    assert.equal(await isIn(scene.who), signsIn);
    assert.deepEqual(fixture.loggedErrors, []);
  });
}

test("a link in another browser shows the code to type, signs no one in, and uses nothing up", async () => {
  const fixture = openFixture();
  const { who, code, link } = await begin(fixture);
  const phone = fixture.browser();
  for (let times = 0; times < 3; times += 1) {
    const shown = await open(phone, link);
    assert.deepEqual(shown.body, { code, signedUp: false } satisfies LinkView);
  }
  assert.equal(await isIn(phone), false);
  assert.equal((await enter(who, code)).status, 200);
  assert.equal((await open(phone, link)).code, "attempt_ended");
});

test("a scanner that opens the link of an email, and presses its button, locks no one out", async () => {
  const fixture = openFixture();
  const { who, code, link } = await begin(fixture);
  const scanner = fixture.browser();
  const { hash, pathname } = new URL(link);
  assert.equal(pathname, "/sign-in/link");
  assert.ok(hash.length > 20, "the secret is in the fragment, which is not sent");
  assert.equal((await scanner.get("/dashboard/auth/sign-in/link")).status, 405);
  assert.equal(
    (await scanner.get(`/dashboard/auth/sign-in/link?secret=${hash.slice(1)}`)).status,
    405,
  );
  assert.equal((await open(scanner, link)).status, 200);
  assert.equal(await isIn(scanner), false);
  assert.equal((await enter(who, code)).status, 200);
});

test("another site can neither begin a sign-in nor finish one with the attacker's code", async () => {
  const fixture = openFixture();
  const { code, link } = await begin(fixture);
  const victim = fixture.browser();
  const foreign = { origin: "https://evil.test", "sec-fetch-site": "cross-site" };
  const bodies = { start: { email: EMAIL }, code: { code }, link: { secret: link } };
  for (const [path, body] of Object.entries(bodies)) {
    const response = await victim.send("POST", `${AUTH}/sign-in/${path}`, body, foreign);
    assert.deepEqual([response.status, response.code], [403, "cross_site"], path);
  }
  assert.deepEqual([...victim.cookies], []);
});

test("with HTTPS the attempt is in a cookie that no neighboring host can set", async () => {
  const fixture = openFixture({ publicUrl: "https://toolbooth.example" });
  const who = fixture.browser();
  const { headers } = await start(who, EMAIL);
  const [cookie = "", ...others] = headers.getSetCookie();
  assert.deepEqual(others, []);
  assert.match(
    cookie,
    /^__Host-tb\.attempt=[0-9A-Za-z]{24}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
  );
  assert.equal((await enter(who, await fixture.lastCode(EMAIL))).status, 200);
  assert.ok(!who.cookies.has("__Host-tb.attempt"), "it is dropped with the sign-in");
});

test("a sign-in replaces the session that the browser had, even another user's", async () => {
  const fixture = openFixture();
  const ann = await openMember(fixture);
  await fixture.signIn(ann.browser, ann.email);
  assert.equal((await fixture.rows("SELECT id FROM user_session")).length, 1);
  await fixture.signIn(ann.browser, "bea@example.com");
  const user = await userOf(ann.browser);
  assert.equal(user?.email, "bea@example.com");
  assert.equal((await fixture.rows("SELECT id FROM user_session")).length, 1);
});

test("of 30 codes tried at once five are compared, whichever is right", async () => {
  const fixture = openFixture();
  const { who, code } = await begin(fixture);
  const tries = Array.from({ length: 30 }, (_, turn) => {
    // The same attempt from many networks, so that no bound of a network is what holds.
    const copy = fixture.browser();
    for (const [name, value] of who.cookies) copy.cookies.set(name, value);
    return copy.send("POST", `${AUTH}/sign-in/code`, { code: otherThan(code, turn + 1) });
  });
  const codes = (await Promise.all(tries)).map((response) => response.code);
  assert.equal(codes.filter((each) => each === "wrong_code").length, 5);
  assert.equal(codes.filter((each) => each === "attempt_ended").length, 25);
});

test("of ten requests with the right code at once one signs in", async () => {
  const fixture = openFixture();
  const { who, code } = await begin(fixture);
  const copies = Array.from({ length: 10 }, () => {
    const copy = fixture.browser();
    for (const [name, value] of who.cookies) copy.cookies.set(name, value);
    return copy.send("POST", `${AUTH}/sign-in/code`, { code });
  });
  const statuses = (await Promise.all(copies)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 1, `${statuses}`);
  assert.equal((await fixture.rows("SELECT id FROM user_session")).length, 1);
});

/** Enters wrong codes for an address, in as many attempts as it takes and from as many networks. */
async function guess(fixture: Fixture, email: string, times: number): Promise<ApiResponse[]> {
  const responses: ApiResponse[] = [];
  while (responses.length < times) {
    const { who, code } = await begin(fixture, email);
    for (let by = 1; by <= 5 && responses.length < times; by += 1)
      responses.push(await enter(who, otherThan(code, by)));
  }
  return responses;
}

test("after ten wrong codes for an address in a day, its link, its passkey and a browser of its owner still sign in", async () => {
  const fixture = openSecureFixture();
  const { browser, email } = await openMember(fixture);
  const { device } = await addPasskey(browser);
  clock.advance(HOUR);
  const codes = (await guess(fixture, email, 10)).map((response) => response.code);
  assert.deepEqual(codes, Array(10).fill("wrong_code"));
  const elsewhere = await begin(fixture, email);
  const barred = await enter(elsewhere.who, elsewhere.code);
  assert.deepEqual([barred.status, barred.code], [429, "too_many_codes"]);
  assert.equal(barred.headers.get("retry-after"), "86400");
  assert.equal((await open(elsewhere.who, elsewhere.link)).status, 200);
  assert.equal((await usePasskey(fixture.browser(), device)).status, 200);
  await browser.post(`${AUTH}/sign-out`);
  assert.equal((await fixture.signIn(browser, email)).status, 200);
  // Others are not concerned, and the next day brings new tries.
  assert.equal((await fixture.signIn(fixture.browser(), "other@example.com")).status, 200);
  clock.advance(DAY);
  assert.equal((await fixture.signIn(fixture.browser(), email)).status, 200);
});

test("right codes do not count: an owner signs in on eleven new browsers a day", async () => {
  const fixture = openFixture();
  const { email } = await openMember(fixture);
  for (let times = 0; times < 11; times += 1) {
    clock.advance(HOUR);
    assert.equal((await fixture.signIn(fixture.browser(), email)).status, 200, `${times}`);
  }
});

test("the mark of a known browser is for one address and does not apply to another", async () => {
  const fixture = openFixture();
  const [ann, bea] = [await openMember(fixture), await openMember(fixture)];
  clock.advance(HOUR);
  await guess(fixture, bea.email, 10);
  const inAnns = await begin(fixture, bea.email, ann.browser);
  assert.equal((await enter(inAnns.who, inAnns.code)).code, "too_many_codes");
  const invented = fixture.browser();
  invented.cookies.set("tb.known", `${"a".repeat(32)}.${"0".repeat(32)}`);
  clock.advance(HOUR);
  const { who, code } = await begin(fixture, bea.email, invented);
  assert.equal((await enter(who, code)).code, "too_many_codes");
});

test("one network runs out of tries and learns when to try again; other networks do not", async () => {
  const fixture = openFixture();
  const crowd = fixture.browser("203.0.113.9");
  const codes: (string | undefined)[] = [];
  for (let times = 0; times < 21; times += 1) codes.push((await enter(crowd, "12345678")).code);
  assert.deepEqual(codes, [...Array(20).fill("attempt_ended"), "too_many_requests"]);
  const last = await enter(fixture.browser("203.0.113.9"), "12345678");
  assert.ok(Number(last.headers.get("retry-after")) >= 1);
  assert.equal((await enter(fixture.browser(), "12345678")).code, "attempt_ended");
  assert.deepEqual(fixture.rejections.at(-1), "too_many_requests");
});

test("wrong codes are one entry an hour in the activity list of the owner, and unknown addresses leave no trace there", async () => {
  const fixture = openFixture();
  const { browser, email } = await openMember(fixture);
  const { who, code } = await begin(fixture, email);
  for (let by = 1; by <= 4; by += 1) await enter(who, otherThan(code, by));
  await guess(fixture, "unknown@example.com", 2);
  await fixture.settle();
  const events = await eventsOf(browser);
  const failed = events.filter(({ kind }) => kind === "sign_in_failed");
  assert.deepEqual(
    failed.map(({ times, address }) => [times, address]),
    [[4, who.peer]],
  );
  clock.advance(HOUR);
  await fixture.activityLog.forgetStale({ now: Date.now(), max: 100 });
  assert.deepEqual(await fixture.traces("unknown@example.com"), []);
});

test("the activity list says how a session was opened", async () => {
  const fixture = openSecureFixture();
  const { browser, email } = await openMember(fixture);
  const { device } = await addPasskey(browser);
  await usePasskey(browser, device);
  const { who, link } = await begin(fixture, email);
  await open(who, link);
  const events = await eventsOf(browser);
  const opened = events.filter(({ kind }) => kind.startsWith("signed_in"));
  assert.deepEqual(
    opened.map(({ kind, detail }) => [kind, detail]),
    [
      ["signed_in_new_browser", "link"],
      ["signed_in", "passkey"],
      ["signed_in", "code"],
    ],
  );
});

test("a browser without a known address is one client, and signs in like any other", async () => {
  const fixture = openFixture();
  assert.equal((await fixture.signIn(fixture.browser(null), EMAIL)).status, 200);
});

test("headers with an address from the client are ignored", async () => {
  const fixture = openFixture();
  const peer = newAddress();
  const { who, code } = await begin(fixture, EMAIL, fixture.browser(peer));
  const claims = { "x-toolbooth-peer": "6.6.6.6", "x-forwarded-for": "6.6.6.6" };
  await who.send("POST", `${AUTH}/sign-in/code`, { code }, claims);
  const kept = await fixture.rows('SELECT "ipAddress" FROM user_session');
  assert.deepEqual(
    kept.map((row) => row["ipAddress"]),
    [peer],
  );
});

const PEERS: [string, string][] = [
  ["2001:0DB8:0001:0002:0003:0000:0000:0006", "2001:db8:1:2:3::6"],
  ["fe80::1%eth0", "fe80::1%eth0"],
  ["::ffff:10.9.8.7", "10.9.8.7"],
];
test("an IP address is shown in one spelling in every list", async () => {
  for (const [peer, spelled] of PEERS) {
    const fixture = openFixture();
    const browser = fixture.browser(peer);
    await fixture.signIn(browser, EMAIL);
    const lists = [...(await sessionsOf(browser)), ...(await eventsOf(browser))];
    const addresses = lists.map(({ address }) => address);
    assert.deepEqual(addresses, Array(3).fill(spelled), peer);
  }
});

test("300 characters of a browser's name are stored", async () => {
  const fixture = openFixture();
  const { who, code } = await begin(fixture);
  const headers = { "user-agent": "Mozilla ".repeat(4_000) };
  await who.send("POST", `${AUTH}/sign-in/code`, { code }, headers);
  const kept = await fixture.rows('SELECT "userAgent" FROM user_session');
  assert.deepEqual(
    kept.map(({ userAgent }) => String(userAgent).length),
    [300],
  );
});

test("codes and attempts still work after SECRET was rotated, as long as the old one is listed", async () => {
  const fixture = openFixture();
  const first = await begin(fixture);
  const beside = { kept: fixture.kept, emails: fixture.emails };
  const rotated = openFixture({
    beside,
    authSecrets: ["the-next-secret", "a-secret-for-sessions-of-the-test"],
  });
  const elsewhere = rotated.browser();
  assert.equal(((await open(elsewhere, first.link)).body as LinkView).code, first.code);
  const browser = rotated.browser();
  for (const [name, value] of first.who.cookies) browser.cookies.set(name, value);
  assert.equal((await enter(browser, first.code)).status, 200);
});

test("the email of a code names the browser that asked for it, but never repeats a text that a stranger sent as its name", async () => {
  const fixture = openFixture();
  const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  for (const [agent, browser] of [
    [FIREFOX, "Firefox on Linux"],
    ["Win a prize at evil.example", "Unknown"],
  ] as const) {
    const who = fixture.browser();
    const order = { email: EMAIL };
    await who.send("POST", `${AUTH}/sign-in/start`, order, { "user-agent": agent });
    await fixture.settle();
    const { text = "" } = (await fixture.emailsTo(EMAIL)).at(-1) ?? {};
    assert.match(
      text,
      new RegExp(`^Date: .+ UTC\\.?\nIP address: ${who.peer}\nBrowser: ${browser}$`, "m"),
    );
    assert.doesNotMatch(text, /evil/);
  }
  const [one, other] = [await begin(fixture), await begin(fixture)];
  const wrong = await enter(one.who, other.code);
  assert.match(wrong.text, /Enter the code from the email that this browser requested/);
});
