import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { isWellFormedKey } from "#accounts/key-format.ts";
import type { EventsView, KeyView, UsageView } from "#api/dashboard/shapes.ts";
import { clock, DAY, SECOND } from "./clock.ts";
import { type Fixture, type Member, openFixture, openMember } from "./dashboard-fixture.ts";

type Made = { key: KeyView; secret: string };

const keysOf = async ({ browser }: Member) =>
  ((await browser.get("/dashboard/keys")).body as { keys: KeyView[] }).keys;

async function makeKey({ browser }: Member, label: string): Promise<Made> {
  const response = await browser.post("/dashboard/keys", { label });
  assert.equal(response.status, 201, response.text);
  return response.body as Made;
}

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
  const { key, secret } = await makeKey(member, "  production ");
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
  assert.deepEqual((await keysOf(member)).length, 1);
  const kinds = (await fixture.emailsTo(email)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["verify_address", "key_created", "key_revoked"]);
  const { events } = (await browser.get("/dashboard/events")).body as EventsView;
  assert.deepEqual(
    events.slice(0, 3).map(({ kind, detail, address }) => [kind, detail, address]),
    [
      ["key_revoked", "prod 2", browser.peer],
      ["key_renamed", "prod 2", browser.peer],
      ["key_created", "production", browser.peer],
    ],
  );
});

test("the secret of a key is in the one answer and nowhere else", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const { key, secret } = await makeKey(member, "production");
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
  const made = await browser.post("/dashboard/keys", { label: "limited", limits });
  assert.equal(made.status, 201, made.text);
  const { key, secret } = made.body as Made;
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
  assert.deepEqual([changed.label, changed.limits?.networks], ["renamed", null]);
  assert.deepEqual(changed.limits?.budgets, {
    ...{ day: null, month: null, total: { ...budget(20), resetsAt: null } },
  });

  const rotated = await browser.post(`${path}/rotate`, { keepHours: 48 });
  assert.equal(rotated.status, 200, rotated.text);
  const fresh = rotated.body as Made;
  assert.ok(fresh.secret.startsWith(fresh.key.start) && fresh.secret !== secret);
  assert.equal((fresh.key.previousUntil ?? 0) > Date.now() + DAY, true);
  for (const each of [secret, fresh.secret])
    assert.equal((await accountState(fixture, account, each)).outcome, "good");
  assert.deepEqual(await fixture.traces(fresh.secret), []);
  assert.equal((await change({ limits: null })).limits, null);
  const now = await browser.post(`${path}/rotate`, { keepHours: 0 });
  const { secret: last } = now.body as Made;
  assert.equal((await accountState(fixture, account, fresh.secret)).outcome, "key_expired");
  assert.equal((await accountState(fixture, account, last)).outcome, "good");

  const { events } = (await browser.get("/dashboard/events")).body as EventsView;
  assert.deepEqual(
    events.slice(0, 6).map(({ kind }) => kind),
    ["key_rotated", "key_limited", "key_rotated", "key_limited", "key_renamed", "key_created"],
  );
  await browser.delete(path);
  assert.equal((await browser.post(`${path}/rotate`, { keepHours: 0 })).status, 404);
  assert.equal((await browser.patch(path, { limits: null })).status, 404);
});

const BAD_LIMITS: [limits: unknown, why: RegExp][] = [
  ["none", /an object of known limits/],
  [[], /an object of known limits/],
  [{ colour: "red" }, /an object of known limits/],
  [{ tools: "hash" }, /list of names/],
  [{ tools: ["hsah"] }, /no tool "hsah"/],
  [{ tools: [] }, /at least one tool/],
  [{ networks: ["203.0.113.0/33"] }, /"203\.0\.113\.0\/33" is not a network/],
  [{ networks: ["example.org"] }, /is not a network/],
  [{ networks: [] }, /at least one network/],
  [{ networks: Array.from({ length: 33 }, (_, no) => `10.0.0.${no}`) }, /at most 32 networks/],
  [{ budgets: { day: 0 } }, /whole number of credits/],
  [{ budgets: { day: 1.5 } }, /whole number of credits/],
  [{ budgets: { week: 5 } }, /whole number of credits/],
  [{ budgets: { total: 1e13 } }, /whole number of credits/],
  [{ rate: 0 }, /whole number of calls/],
  [{ rate: 100 }, /below the account's limit of 100/],
  [{ rate: "5" }, /whole number of calls/],
  [{ expiresAt: "2099-01-01" }, /a time before/],
  [{ expiresAt: 1 }, /in the future/],
  [{ expiresAt: 1e18 }, /a time before/],
];

test("limits that mean nothing are refused in plain words, and create no key", async () => {
  const member = await openMember(openFixture());
  const { browser } = member;
  const { key } = await makeKey(member, "unlimited");
  for (const [limits, why] of BAD_LIMITS) {
    clock.advance(SECOND);
    const made = await browser.post("/dashboard/keys", { label: "l", limits });
    assert.match((made.body as { detail: string }).detail, why, JSON.stringify(limits));
    assert.equal(made.status, 400, JSON.stringify(limits));
  }
  for (const keepHours of [-1, 721, 0.0000001, "1e999", null, undefined, {}]) {
    clock.advance(SECOND);
    const response = await browser.post(`/dashboard/keys/${key.id}/rotate`, { keepHours });
    assert.equal(response.status, 400, `${keepHours}`);
  }
  assert.deepEqual(
    (await keysOf(member)).map(({ label, limits }) => [label, limits]),
    [["unlimited", null]],
  );
});

const BAD_LABELS: [string, unknown][] = [
  ["none", undefined],
  ["null", null],
  ["a number", 7],
  ["a list", ["x"]],
  ["empty", ""],
  ["blanks", "   "],
  ["a no-break space", "\u00a0"],
  ["a zero-width space", "\u200b"],
  ["nothing but a joiner", "\u200d"],
  ["101 characters", "x".repeat(101)],
  ["a line feed", "a\nb"],
  ["a carriage return", "a\rb"],
  ["a tabulator", "a\tb"],
  ["NUL", "a\0b"],
  ["a line separator", "a\u2028b"],
  ["a paragraph separator", "a\u2029b"],
  ["next line", "a\u0085b"],
  ["an escape sequence", "\u001b[31mred"],
  ["a right-to-left override", "a\u202eb"],
  ["an isolate", "a\u2066b"],
  ["half a character", "a\ud83d"],
];
const GOOD_LABELS = [
  "x",
  "x".repeat(100),
  "Zoë's laptop",
  "日本",
  "👩‍💻 dev",
  "<b>&\"'",
  "../..",
  "null",
];

test("labels are one line that can be seen, in whatever script; others are refused in plain words", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const { key } = await makeKey(member, "first");
  for (const [name, label] of BAD_LABELS) {
    for (const response of [
      await member.browser.post("/dashboard/keys", { label }),
      await member.browser.patch(`/dashboard/keys/${key.id}`, { label }),
    ]) {
      assert.deepEqual([response.status, response.code], [400, "invalid_request"], name);
      const { detail } = response.body as { detail: string };
      assert.equal(detail, "Enter a label of 1 to 100 characters on one line.", name);
    }
  }
  for (const label of GOOD_LABELS) {
    const { key: made } = await makeKey(member, label);
    assert.equal(made.label, label);
  }
  assert.deepEqual(
    (await keysOf(member)).map(({ label }) => label).toSorted(),
    ["first", ...GOOD_LABELS].toSorted(),
  );
});

test("an account has at most 25 keys, however many are asked for at once; a revoked one makes room", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const cookies = [...member.browser.cookies];
  fixture.slow.add("listKeys");
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, turn) => {
      const elsewhere = fixture.browser();
      for (const [name, value] of cookies) elsewhere.cookies.set(name, value);
      return elsewhere.send("POST", "/dashboard/keys", { label: `key ${turn}` });
    }),
  );
  const made = responses.filter(({ status }) => status === 201);
  assert.equal(made.length, 25);
  for (const { status, code, body } of responses.filter((response) => response.status !== 201)) {
    assert.deepEqual([status, code], [400, "invalid_request"]);
    assert.match((body as { detail: string }).detail, /at most 25 keys/);
  }
  const [first] = await keysOf(member);
  await member.browser.delete(`/dashboard/keys/${first?.id}`);
  await makeKey(member, "one more");
  assert.equal((await member.browser.post("/dashboard/keys", { label: "x" })).status, 400);
});

test("an account makes at most 100 keys within 24 hours, however soon they are revoked", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  for (let turn = 0; turn < 100; turn += 1) {
    const { key } = await makeKey(member, `key ${turn}`);
    assert.equal((await member.browser.delete(`/dashboard/keys/${key.id}`)).status, 200);
  }
  const refused = await member.browser.post("/dashboard/keys", { label: "one more" });
  assert.deepEqual([refused.status, refused.code], [429, "too_many_requests"]);
  assert.match((refused.body as { detail: string }).detail, /at most 100 keys within 24 hours/);
  clock.advance(Number(refused.headers.get("retry-after")) * SECOND);
  await fixture.signIn(member.browser, member.email, member.password);
  await makeKey(member, "one more");
});

test("of the keys revoked more than 90 days ago the newest 100 are listed, and usage still names the others", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const { account } = member;
  const ids = Array.from({ length: 103 }, (_, turn) => `key_${turn}`);
  for (const [turn, id] of ids.entries()) {
    const sha256 = createHash("sha256").update(id).digest("hex");
    const now = Date.now() + turn;
    await fixture.accountDeps.ledger.createKey({
      account,
      id,
      sha256,
      start: "tb_x",
      label: id,
      now,
    });
    if (turn < 102) await fixture.accountDeps.ledger.revokeKey({ account, id, now });
  }
  const shown = async () => (await keysOf(member)).map(({ id }) => id).toSorted();
  assert.deepEqual(await shown(), ids.toSorted());
  clock.advance(91 * DAY);
  await fixture.signIn(member.browser, member.email, member.password);
  assert.deepEqual(await shown(), ids.slice(2).toSorted());
  const day = new Date().toISOString().slice(0, 10);
  const usage = await member.browser.get(`/dashboard/usage?from=${day}&to=${day}`);
  assert.equal((usage.body as UsageView).keys.length, 103);
});

test("another account's keys, and ids that are none, are not found", async () => {
  const fixture = openFixture();
  const [ann, bea] = [await openMember(fixture), await openMember(fixture)];
  const { key } = await makeKey(bea, "Bea's");
  for (const id of [key.id, "key_1", "x".repeat(80), "others"]) {
    const renamed = await ann.browser.patch(`/dashboard/keys/${id}`, { label: "mine" });
    const revoked = await ann.browser.delete(`/dashboard/keys/${id}`);
    assert.deepEqual([renamed.status, revoked.status], [404, 404], id);
  }
  for (const id of ["", "%00", "a%20b", "..", "x".repeat(81), "key_1/x"]) {
    assert.equal((await ann.browser.delete(`/dashboard/keys/${id}`)).status, 404, id);
  }
  const [untouched] = await keysOf(bea);
  assert.deepEqual([untouched?.label, untouched?.revokedAt], ["Bea's", null]);
});

test("a suspended account sees and revokes its keys, and makes none", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const { key } = await makeKey(member, "old");
  await fixture.accountDeps.ledger.suspendAccount({ account: member.account, now: Date.now() });
  const refused = await member.browser.post("/dashboard/keys", { label: "new" });
  assert.deepEqual([refused.status, refused.code], [403, "account_suspended"]);
  assert.equal((await keysOf(member)).length, 1);
  assert.equal((await member.browser.delete(`/dashboard/keys/${key.id}`)).status, 200);
  await fixture.accountDeps.ledger.resumeAccount({ account: member.account, now: Date.now() });
  await makeKey(member, "new");
});

test("a new key is shown even if its activity entry or its email fails", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  fixture.failing.set("recordEvent", 1);
  const { secret } = await makeKey(member, "production");
  assert.equal((await accountState(fixture, member.account, secret)).outcome, "good");
  assert.match(fixture.loggedErrors.join(), /was not recorded/);
});
