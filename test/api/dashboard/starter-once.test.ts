/** Starter credits come once a person and within budgets. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Visitor } from "#api/dashboard/shapes.ts";
import { readDisposableDomains } from "../../../src/apps/node/sign-up-lists.ts";
import type { Browser } from "./browser.ts";
import { clock, DAY } from "./clock.ts";
import { type Fixture, homeOf, openFixture, STARTER } from "./dashboard-fixture.ts";

async function join(fixture: Fixture, email: string, browser = fixture.browser()) {
  assert.equal((await fixture.signIn(browser, email)).status, 200);
  return { browser, ...(await creditsOf(browser)) };
}

async function creditsOf(browser: Browser) {
  const { balance, freeCall, noStarter } = await homeOf(browser);
  return { balance, freeCall, noStarter };
}

const WITH = { balance: STARTER.credits, freeCall: true, noStarter: null };

async function joinAll(fixture: Fixture, emails: string[]) {
  const homes = [];
  for (const email of emails) {
    const { browser: _, ...home } = await join(fixture, email);
    homes.push(home);
  }
  return homes;
}

test("aliases of an address sign up, but only the first gets starter credits and a free call", async () => {
  const fixture = openFixture();
  const without = { balance: 0, freeCall: false, noStarter: "address_used" };
  const emails = ["b.o.b@gmail.com", "bob+1@gmail.com", "bob@googlemail.com", "carol@gmail.com"];
  assert.deepEqual(await joinAll(fixture, emails), [WITH, without, without, WITH]);
  assert.equal((await fixture.rows("SELECT * FROM users")).length, 4);
});

test("closing an account and signing up with an alias brings nothing, nor does changing the address", async () => {
  const fixture = openFixture();
  const { browser } = await join(fixture, "bob+first@example.org");
  const order = { email: "bob+first@example.org" };
  assert.equal((await browser.post("/dashboard/account/close", order)).status, 200);
  const moved = await join(fixture, "ann@example.org");
  await moved.browser.post("/dashboard/account/email", { email: "ann@example.net" });
  const code = await fixture.lastCode("ann@example.net");
  await moved.browser.post("/dashboard/account/email/code", { code });
  const without = { balance: 0, freeCall: false, noStarter: "address_used" };
  const again = await joinAll(fixture, ["bob@example.org", "ann+2@example.org"]);
  assert.deepEqual(again, [without, without]);
  assert.deepEqual(await fixture.traces("bob+first"), []);
});

test("the budget of a network is counted by /24 and /56, from the address that verifies", async () => {
  const fixture = openFixture({ starterBudgets: { perNetwork: 1, perDay: 0 } });
  const from = async (peer: string, email: string) =>
    (await join(fixture, email, fixture.browser(peer))).noStarter;
  assert.equal(await from("203.0.113.1", "a@example.com"), null);
  assert.equal(await from("203.0.113.254", "b@example.com"), "network_full");
  assert.equal(await from("203.0.114.1", "c@example.com"), null);
  assert.equal(await from("2001:db8:1:2::1", "d@example.com"), null);
  assert.equal(await from("2001:db8:1:2:ffff::1", "e@example.com"), "network_full");
  assert.equal(await from("2001:db8:1:3::1", "f@example.com"), "network_full");
  assert.equal(await from("2001:db8:1:102::1", "i@example.com"), null);
  for (const email of ["g@example.com", "h@example.com"])
    assert.equal(await from("127.0.0.1", email), null, "behind a proxy that is not trusted");
  assert.deepEqual(fixture.warnings, ["network_full"], "once a day");
});

test("an exhausted day's budget leaves the free call, and the next day grants again", async () => {
  const fixture = openFixture({ starterBudgets: { perNetwork: 0, perDay: 1 } });
  const [first, second] = await joinAll(fixture, ["a@example.com", "b@example.com"]);
  assert.deepEqual([first, second], [WITH, { balance: 0, freeCall: true, noStarter: "day_full" }]);
  clock.advance(DAY);
  assert.deepEqual(await joinAll(fixture, ["c@example.com"]), [WITH]);
});

test("where no first call is free, no page says so, and an account without credits can make no calls", async () => {
  const fixture = openFixture({
    hasFreeCall: false,
    starterBudgets: { perNetwork: 0, perDay: 1 },
  });
  assert.deepEqual((await join(fixture, "a@example.com")).freeCall, false);
  const { browser, balance, freeCall } = await join(fixture, "b@example.com");
  assert.deepEqual([balance, freeCall], [0, false]);
  const visitor = (await browser.get("/dashboard/visitor")).body as Visitor;
  assert.deepEqual([visitor.hasFreeCall, visitor.user?.account.level], [false, "gone"]);
});

const DISPOSABLE = "someone@box.mailinator.com";

test("a disposable address gets neither starter credits nor a free call", async () => {
  const without = { balance: 0, freeCall: false, noStarter: "disposable" };
  assert.deepEqual(await joinAll(openFixture(), [DISPOSABLE, "a@example.com"]), [without, WITH]);
});

test("while the list of disposable domains cannot be read, no one gets starter credits", async () => {
  let isBroken = true;
  const fixture = openFixture({
    async readDisposableDomains() {
      if (isBroken) throw new Error("the file is missing");
      return readDisposableDomains();
    },
  });
  const browser = fixture.browser();
  await fixture.signIn(browser, "ann@example.com");
  const { status, code } = await browser.get("/dashboard/home");
  assert.deepEqual([status, code], [503, "unavailable"]);
  assert.deepEqual(await fixture.rows("SELECT * FROM starter_claim"), []);
  assert.match(fixture.loggedErrors.join(), /disposable domains could not be read: the file/);
  isBroken = false;
  assert.deepEqual(await creditsOf(browser), WITH);
  assert.deepEqual(await joinAll(fixture, ["bob@example.com"]), [WITH]);
});

test("starter credits that reach the ledger before their account are granted once it is there", async () => {
  const fixture = openFixture();
  const { ledger } = fixture.accountDeps;
  const { grant, openAccount } = ledger;
  const asked = Promise.withResolvers<void>();
  ledger.grant = async (order) => {
    const outcome = await grant(order);
    asked.resolve();
    return outcome;
  };
  ledger.openAccount = async (order) => {
    await asked.promise;
    return openAccount(order);
  };
  assert.deepEqual(await joinAll(fixture, ["ann@example.com"]), [WITH]);
});
