import assert from "node:assert/strict";
import { test } from "node:test";
import { solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/web/pbkdf2";
import { TooManyPasswords } from "#accounts/auth-options.ts";
import { createProofsOfWork } from "#api/dashboard/proof-of-work.ts";
import type { Browser } from "./browser.ts";
import { clock } from "./clock.ts";
import { type Fixture, openFixture, openMember, PASSWORD } from "./dashboard-fixture.ts";

const AUTH = "/dashboard/auth";

/** The /64s of one /48, of many of them, and IPv4 addresses of many networks. */
const FLOODS: [string, number, (turn: number) => string][] = [
  ["the /64s of one /48", 20, (turn) => `2001:db9:5:${(turn * 257).toString(16)}::1`],
  ["the /64s of one /56", 12, (turn) => `2001:db9:5:${(0x4400 + turn).toString(16)}::1`],
  ["the addresses of one /24", 12, (turn) => `203.0.113.${turn}`],
  ["the addresses of one /16", 20, (turn) => `203.0.${turn}.9`],
  ["a /48 each", 30, (turn) => `2001:${(0x1000 + turn).toString(16)}:1::1`],
];

for (const [name, free, addressOf] of FLOODS) {
  test(`${free} sign-ups from ${name} need no proof, further ones do; the owner signs in meanwhile`, async () => {
    const fixture = openFixture();
    const owner = await openMember(fixture);
    clock.advance(60_000);
    const before = fixture.lanes.length;
    const codes = [];
    for (let turn = 0; turn < free + 3; turn += 1) {
      const stranger = fixture.browser(addressOf(turn));
      const body = { email: `stranger${turn}@example.org`, password: PASSWORD };
      codes.push((await stranger.send("POST", `${AUTH}/sign-up/email`, body)).code ?? "signed up");
    }
    assert.deepEqual(codes, [...Array(free).fill("signed up"), ...Array(3).fill("proof_required")]);
    assert.deepEqual(fixture.lanes.slice(before), Array(free).fill("sign-up"), "hashed no more");
    const elsewhere = fixture.browser("198.51.100.1");
    assert.equal((await fixture.signIn(elsewhere, owner.email, owner.password)).status, 200);
    assert.equal((await fixture.signIn(owner.browser, owner.email, owner.password)).status, 200);
    assert.deepEqual(fixture.lanes.slice(before + free), ["sign-in", "known"]);
  });
}

/** Exhausts what needs no proof, from networks that are not those of other browsers. */
async function flood(fixture: Fixture, path = `${AUTH}/sign-up/email`, count = 31) {
  for (let turn = 0; turn < count; turn += 1) {
    const stranger = fixture.browser(`2001:${(0x1000 + turn).toString(16)}:1::1`);
    await stranger.send("POST", path, { email: `x${turn}@example.org`, password: PASSWORD });
  }
  await fixture.settle();
}

/** What a stranger's browser sends. */
const REQUESTS: [string, string, object, number?][] = [
  ["a sign-up", `${AUTH}/sign-up/email`, { email: "new@example.com", password: PASSWORD }],
  ["a resent email", `${AUTH}/send-verification-email`, { email: "new@example.com" }],
  ["a request for a reset", `${AUTH}/request-password-reset`, { email: "new@example.com" }],
];

for (const [name, path, body] of REQUESTS) {
  test(`under pressure ${name} needs a proof of work, which is good once`, async () => {
    const fixture = openFixture();
    await flood(fixture);
    const ask = (who: Browser, proof?: string) => who.send("POST", path, { ...body, proof });
    const refused = await ask(fixture.browser());
    assert.deepEqual([refused.status, refused.code], [429, "proof_required"]);
    const proof = await fixture.prove();
    assert.equal((await ask(fixture.browser(), proof)).status, 200);
    assert.equal((await ask(fixture.browser(), proof)).code, "proof_required");
    clock.advance(60_000);
    assert.equal((await ask(fixture.browser())).status, 200, "a minute later no proof is needed");
  });
}

test("under pressure a sign-in from an unknown browser needs a proof, from a known one none", async () => {
  const fixture = openFixture();
  const { browser, email, password } = await openMember(fixture);
  await flood(fixture, `${AUTH}/sign-in/email`, 61);
  const signIn = (who: Browser, proof?: string) =>
    who.send("POST", `${AUTH}/sign-in/email`, { email, password, proof });
  assert.equal((await signIn(fixture.browser())).code, "proof_required");
  assert.equal((await signIn(browser)).status, 200);
  assert.equal((await signIn(fixture.browser(), await fixture.prove())).status, 200);
});

test("accounts of an attacker do not fill the queue of known browsers", async () => {
  const fixture = openFixture();
  const owner = await openMember(fixture);
  const attackers = [];
  for (let each = 0; each < 8; each += 1) {
    attackers.push(await openMember(fixture));
    clock.advance(60_000);
  }
  fixture.lanes.length = 0;
  for (let turn = 0; turn < 35; turn += 1) {
    const { browser, email } = attackers[turn % attackers.length] ?? owner;
    const elsewhere = fixture.browser();
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);
    const order = { email, password: "not the password" };
    await elsewhere.send("POST", `${AUTH}/sign-in/email`, order);
  }
  assert.equal(fixture.lanes.length, 30, "hashed no more");
  const { browser, email, password } = owner;
  const signIn = (proof?: string) =>
    browser.send("POST", `${AUTH}/sign-in/email`, { email, password, proof });
  assert.equal((await signIn()).code, "proof_required");
  assert.equal((await signIn(await fixture.prove())).status, 200);
  assert.equal(fixture.lanes.at(-1), "known");
});

test("a flood from one network does not make others solve challenges", async () => {
  const fixture = openFixture();
  for (let turn = 0; turn < 40; turn += 1) {
    const stranger = fixture.browser(`203.0.113.${turn}`);
    const body = { email: `x${turn}@example.org`, password: PASSWORD };
    await stranger.send("POST", `${AUTH}/sign-up/email`, body);
  }
  const { status } = await fixture.signUp(fixture.browser(), "new@example.com", PASSWORD);
  assert.equal(status, 200);
});

test("only a right, current and own solution is a proof", async () => {
  const fixture = openFixture();
  const { proofs } = fixture.deps;
  const other = createProofsOfWork({ secret: "another secret", now: Date.now, cost: 1 });
  const solve = async (challenge: Awaited<ReturnType<typeof proofs.issue>>) => ({
    challenge,
    solution: await solveChallenge({ challenge, deriveKey }),
  });
  const good = await solve(await proofs.issue());
  assert.ok(await proofs.check(JSON.stringify(good)));
  const { challenge, solution } = good;
  const parameters = { ...challenge.parameters, keyPrefix: "" };
  const wrong: unknown[] = [
    await solve(await other.issue()),
    { challenge, solution: { ...solution, counter: (solution?.counter ?? 0) + 1 } },
    { challenge, solution: { ...solution, derivedKey: `00${"ab".repeat(31)}` } },
    { challenge: { ...challenge, parameters }, solution },
    { challenge: { parameters: challenge.parameters }, solution },
    ...[{ challenge }, { solution }, {}, [], null, 7, "", "{"],
  ];
  for (const proof of wrong) assert.equal(await proofs.check(JSON.stringify(proof)), null);
  assert.equal(await proofs.check("not JSON"), null);
  clock.advance(11 * 60_000);
  assert.equal(await proofs.check(JSON.stringify(good)), null, "expired");
});

test("rejections are counted and never logged as errors; a flood is one line a minute", async () => {
  const fixture = openFixture();
  const { email } = await openMember(fixture);
  await flood(fixture, `${AUTH}/sign-up/email`, 40);
  clock.advance(61_000);
  await flood(fixture, `${AUTH}/sign-up/email`, 40);
  await fixture.signIn(fixture.browser(), email, "a wrong password");
  fixture.deps.inPasswordLane = () => Promise.reject(new TooManyPasswords("Too many"));
  const busy = await fixture.signIn(fixture.browser(), email, PASSWORD);
  assert.deepEqual([busy.status, busy.code], [503, "unavailable"]);
  assert.deepEqual(fixture.loggedErrors, []);
  assert.equal(fixture.warnings.length, 2);
  assert.match(fixture.warnings[1] as string, /proof_required 11$/);
  const { rejections } = fixture;
  assert.equal(rejections.filter((reason) => reason === "proof_required").length, 11 + 10);
  assert.deepEqual(rejections.slice(-2), ["wrong_password", "passwords_busy"]);
});

test("a reset link stays good where too many passwords wait", async () => {
  const fixture = openFixture();
  const { email } = await openMember(fixture);
  const browser = fixture.browser();
  await browser.post(`${AUTH}/request-password-reset`, { email });
  const token = new URL(await fixture.lastLink(email, "reset_password")).searchParams.get("token");
  const reset = () =>
    browser.post(`${AUTH}/reset-password`, { token, newPassword: "a fresh passphrase" });
  const { inPasswordLane } = fixture.deps;
  fixture.deps.inPasswordLane = async (_, act) => {
    await act();
    throw new TooManyPasswords("Too many");
  };
  assert.equal((await reset()).status, 503);
  fixture.deps.inPasswordLane = inPasswordLane;
  assert.equal((await reset()).status, 200);
  assert.equal((await fixture.signIn(browser, email, "a fresh passphrase")).status, 200);
});
