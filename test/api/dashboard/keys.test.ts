import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { isWellFormedKey } from "#accounts/key-format.ts";
import type { KeyView } from "#api/dashboard/shapes.ts";
import { clock, DAY, HOUR } from "./clock.ts";
import {
  eventsOf,
  type Fixture,
  keysOf,
  type MadeKey,
  makeKey,
  openFixture,
  openMember,
} from "./dashboard-fixture.ts";

const accountState = (fixture: Fixture, account: string, secret: string) =>
  fixture.accountDeps.ledger.keyStatus({
    account,
    keySha256: createHash("sha256").update(secret).digest("hex"),
    now: Date.now(),
  });

test("a key is created, used, renamed and revoked, with emails and activity entries", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const { browser, account, email } = member;
  const { key, secret } = await makeKey(member.browser, "  production ");
  assert.ok(isWellFormedKey(secret));
  assert.ok(secret.startsWith(key.start));
  assert.deepEqual([key.label, key.revokedAt, key.callsLastDay], ["production", null, 0]);
  assert.equal((await accountState(fixture, account, secret)).outcome, "good");
  const renamed = await browser.patch(`/dashboard/keys/${key.id}`, { label: "prod 2" });
  assert.equal((renamed.body as { key: KeyView }).key.label, "prod 2");
  for (let times = 0; times < 2; times += 1) {
    const revoked = await browser.delete(`/dashboard/keys/${key.id}`);
    assert.equal(revoked.status, 200);
    assert.ok((revoked.body as { key: KeyView }).key.revokedAt);
  }
  assert.equal((await accountState(fixture, account, secret)).outcome, "invalid_key");
  assert.deepEqual((await keysOf(member.browser)).length, 1);
  const kinds = (await fixture.emailsTo(email)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["sign_up_code", "key_created", "key_revoked"]);
  const events = await eventsOf(browser);
  assert.deepEqual(
    events.slice(0, 3).map(({ kind, detail, address }) => [kind, detail, address]),
    [
      ["key_revoked", "prod 2", browser.peer],
      ["key_renamed", "prod 2", browser.peer],
      ["key_created", "production", browser.peer],
    ],
  );
});

test("the secret of a key is in one response and nowhere else", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const { key, secret } = await makeKey(member.browser, "production");
  await member.browser.delete(`/dashboard/keys/${key.id}`);
  assert.deepEqual(await fixture.traces(secret), []);
  assert.deepEqual(await fixture.traces(secret.slice(key.start.length)), []);
  const said = JSON.stringify([fixture.emails, fixture.loggedErrors]);
  assert.ok(said.includes(key.start));
  assert.ok(!said.includes(secret.slice(key.start.length, key.start.length + 12)));
  const reads = ["keys", "events", "home", "visitor", "usage?from=2026-11-20&to=2026-11-30"];
  for (const path of reads) {
    assert.ok(!(await member.browser.get(`/dashboard/${path}`)).text.includes(secret));
  }
});

test("a key is created with limits, limited anew and rotated, with activity entries", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const { browser, account } = member;
  const limits = {
    ...{ tools: ["qr-code", "hash", "hash"], networks: ["203.0.113.9/24", "2001:DB8::1"] },
    ...{ rate: 5, budgets: { day: 9 } },
  };
  const { key, secret } = await makeKey(browser, "limited", limits);
  const budget = (credits: number) => ({ credits, spent: 0, remaining: credits });
  assert.deepEqual(key.limits?.tools, ["hash", "qr-code"]);
  assert.deepEqual(key.limits?.networks, ["203.0.113.0/24", "2001:db8::1/128"]);
  const { resetsAt, ...day } = key.limits?.budgets.day ?? {};
  assert.deepEqual([day, (resetsAt ?? 0) % DAY, key.isUnused], [budget(9), 0, false]);
  assert.equal((await accountState(fixture, account, secret)).outcome, "key_not_allowed");

  const path = `/dashboard/keys/${key.id}`;
  const change = async (body: object) => {
    const response = await browser.patch(path, body);
    assert.equal(response.status, 200, response.text);
    return (response.body as { key: KeyView }).key;
  };
  assert.deepEqual((await change({ label: "renamed" })).limits, key.limits, "they stay");
  const changed = await change({ limits: { budgets: { total: 20 } } });
  // What a page sends again, because it got no response, is no other change.
  assert.deepEqual(await change({ limits: { budgets: { total: 20 } } }), changed);
  assert.deepEqual([changed.label, changed.limits?.networks], ["renamed", null]);
  assert.deepEqual(changed.limits?.budgets, {
    ...{ day: null, month: null, total: { ...budget(20), resetsAt: null } },
  });

  const rotated = await browser.post(`${path}/rotate`, { keepHours: 48 });
  assert.equal(rotated.status, 200, rotated.text);
  const fresh = rotated.body as MadeKey;
  assert.ok(fresh.secret.startsWith(fresh.key.start) && fresh.secret !== secret);
  assert.equal((fresh.key.previousUntil ?? 0) > Date.now() + DAY, true);
  for (const each of [secret, fresh.secret])
    assert.equal((await accountState(fixture, account, each)).outcome, "good");
  assert.deepEqual(await fixture.traces(fresh.secret), []);
  assert.equal((await change({ limits: null })).limits, null);
  const now = await browser.post(`${path}/rotate`, { keepHours: 0 });
  const { secret: last } = now.body as MadeKey;
  assert.equal((await accountState(fixture, account, fresh.secret)).outcome, "key_expired");
  assert.equal((await accountState(fixture, account, last)).outcome, "good");

  const events = await eventsOf(browser);
  assert.deepEqual(
    events.slice(0, 6).map(({ kind }) => kind),
    ["key_rotated", "key_limited", "key_rotated", "key_limited", "key_renamed", "key_created"],
  );
  await browser.delete(path);
  assert.equal((await browser.post(`${path}/rotate`, { keepHours: 0 })).status, 404);
  assert.equal((await browser.patch(path, { limits: null })).status, 404);
});

test("a rotation whose secret was lost is repeated: the old secret keeps its end, also where that has passed", async () => {
  const fixture = openFixture();
  const { browser, account, email } = await openMember(fixture);
  const { key, secret: first } = await makeKey(browser, "mine");
  const rotate = async (order: object) => {
    const response = await browser.post(`/dashboard/keys/${key.id}/rotate`, order);
    assert.equal(response.status, 200, response.text);
    return response.body as MadeKey;
  };
  const stateOf = async (secret: string) => (await accountState(fixture, account, secret)).outcome;
  const lost = await rotate({ keepHours: 1 });
  const again = lost.key.previousUntil;
  const seen = await rotate({ again });
  assert.equal(seen.key.previousUntil, again);
  assert.deepEqual(
    [await stateOf(first), await stateOf(seen.secret)],
    ["good", "good"],
    "the old secret and the one that was seen",
  );
  clock.advance(2 * HOUR);
  await fixture.signIn(browser, email);
  const late = await rotate({ again });
  assert.deepEqual(
    [await stateOf(first), await stateOf(seen.secret), await stateOf(late.secret)],
    ["invalid_key", "key_expired", "good"],
  );
  const other = await browser.post(`/dashboard/keys/${key.id}/rotate`, { again });
  assert.deepEqual([other.status, other.code], [400, "invalid_request"]);
});

test("a new key is shown even if its activity entry or its email fails", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  fixture.failing.set("recordEvent", 1);
  const { secret } = await makeKey(member.browser, "production");
  assert.equal((await accountState(fixture, member.account, secret)).outcome, "good");
  assert.match(fixture.loggedErrors.join(), /was not recorded/);
});
