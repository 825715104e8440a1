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
