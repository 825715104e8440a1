import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../http/test-api.ts";
import { type Browser, newAddress } from "./browser.ts";
import { type Fixture, openFixture, openMember } from "./dashboard-fixture.ts";

const guess = (fixture: Fixture, email: string, body: object = {}, who = fixture.browser()) =>
  who.send("POST", "/dashboard/auth/sign-in/email", { email, password: "a wrong guess", ...body });

test("strangers' guesses from everywhere neither refuse nor slow the user's own browser", async () => {
  const fixture = openFixture();
  const { browser, email, password } = await openMember(fixture);
  await browser.post("/dashboard/auth/sign-out");
  const responses = await Promise.all(Array.from({ length: 25 }, () => guess(fixture, email)));
  const codes = new Set(responses.map(({ code }) => code));
  assert.deepEqual(codes, new Set(["INVALID_EMAIL_OR_PASSWORD", "too_many_requests"]));
  assert.ok(fixture.waits.length >= 4 && Math.max(...fixture.waits) <= 20_000);
  fixture.waits.length = 0;
  assert.equal((await fixture.signIn(browser, email, password)).status, 200);
  assert.deepEqual(fixture.waits, []);
});

test("one network runs out of tries and learns when to try again; other networks do not", async () => {
  const fixture = openFixture();
  const { email } = await openMember(fixture);
  const crowd = fixture.browser();
  const responses = [];
  for (let times = 0; times < 11; times += 1) {
    responses.push(await fixture.signIn(crowd, email, `guess number ${times}`));
  }
  const last = responses.at(-1);
  assert.deepEqual([last?.status, last?.code], [429, "too_many_requests"]);
  assert.ok(Number(last?.headers.get("retry-after")) >= 1);
  assert.equal((await guess(fixture, email)).status, 401);
});

/** Ways in which a guesser might make the throttle look elsewhere. */
const EVASIONS: [string, (who: Browser, email: string) => Promise<unknown>][] = [
  [
    "a foreign callbackURL",
    (who, email) =>
      who.send("POST", "/dashboard/auth/sign-in/email", {
        ...{ email, password: "a wrong guess", callbackURL: "https://evil.test/" },
      }),
  ],
  [
    "a form's body",
    (who, email) =>
      who.send(
        "POST",
        "/dashboard/auth/sign-in/email",
        new URLSearchParams({ email, password: "a wrong guess" }).toString(),
        { "content-type": "application/x-www-form-urlencoded" },
      ),
  ],
  [
    "capitals and blanks",
    (who, email) =>
      who.send("POST", "/dashboard/auth/sign-in/email", {
        ...{ email: ` ${email.toUpperCase()} `, password: "a wrong guess" },
      }),
  ],
  [
    "an invented mark of a known browser",
    (who, email) => {
      who.cookies.set("toolbooth.known", `${"a".repeat(32)}.${"0".repeat(32)}`);
      return who.send("POST", "/dashboard/auth/sign-in/email", {
        email,
        password: "a wrong guess",
      });
    },
  ],
];
for (const [name, evade] of EVASIONS) {
  test(`${name} does not get a guess past the throttle`, async () => {
    const fixture = openFixture();
    const { email } = await openMember(fixture);
    for (let times = 0; times < 6; times += 1) await guess(fixture, email);
    fixture.waits.length = 0;
    await evade(fixture.browser(), email);
    await guess(fixture, email);
    assert.ok((fixture.waits.at(-1) ?? 0) >= 3_500, `waited ${fixture.waits}`);
  });
}

test("the mark of a browser is of a user: it does not carry over to another one", async () => {
  const fixture = openFixture();
  const [ann, bea] = [await openMember(fixture), await openMember(fixture)];
  for (let times = 0; times < 6; times += 1) await guess(fixture, bea.email);
  fixture.waits.length = 0;
  await guess(fixture, bea.email, {}, ann.browser);
  assert.ok((fixture.waits.at(-1) ?? 0) > 0);
});

test("no more than 100 tries wait at once in all; one more is refused, a known browser never", async () => {
  const fixture = openFixture();
  const { email, browser, password } = await openMember(fixture);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let waiting = 0;
  let refusals = 0;
  fixture.deps.wait = async () => {
    waiting += 1;
    await released;
  };
  // So many tries need proofs of work, which these strangers have.
  let proofs = 0;
  fixture.deps.proofs = { ...fixture.deps.proofs, check: async () => String(++proofs) };
  const guessWithProof = async (name: string) => {
    const response = await guess(fixture, name, { proof: "a good one" });
    if (response.status === 429) refusals += 1;
    return response;
  };
  const crowds = Array.from({ length: 15 }, (_, turn) => `crowd${turn}@example.com`);
  const tries = crowds.map(async (name) => {
    const codes = [];
    for (let times = 0; times < 4; times += 1) codes.push((await guessWithProof(name)).code);
    return [
      ...codes,
      ...(await Promise.all(Array.from({ length: 8 }, () => guessWithProof(name)))),
    ];
  });
  // Of the 120 tries at once, 20 are refused before the others go on.
  await eventually("100 tries wait", async () => waiting === 100 && refusals === 20);
  for (let times = 0; times < 4; times += 1) await guessWithProof(email);
  const refused = await guessWithProof(email);
  assert.deepEqual([refused.status, refused.code], [429, "too_many_requests"]);
  assert.equal((await fixture.signIn(browser, email, password)).status, 200);
  assert.equal(waiting, 100);
  release();
  await Promise.all(tries);
  for (let times = 0; times < 5; times += 1) await guessWithProof("later@example.com");
  assert.equal(waiting, 101);
});

test("a browser without a known address is one client, and signs in like any other", async () => {
  const fixture = openFixture();
  const { email, password } = await openMember(fixture);
  const unknown = fixture.browser(null);
  assert.equal((await fixture.signIn(unknown, email, password)).status, 200);
});

test("headers with an address from the client are ignored", async () => {
  const fixture = openFixture();
  const { email, password } = await openMember(fixture);
  const peer = newAddress();
  const browser = fixture.browser(peer);
  const claims = { "x-toolbooth-peer": "6.6.6.6", "x-forwarded-for": "6.6.6.6" };
  await browser.send("POST", "/dashboard/auth/sign-in/email", { email, password }, claims);
  const kept = (await fixture.rows('SELECT "ipAddress" FROM user_session')).map(
    (row) => row["ipAddress"],
  );
  assert.ok(kept.includes(peer));
  assert.ok(!kept.includes("6.6.6.6"));
});
