/** How many keys an account has, creates and sees, and how it may name them. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { UsageView } from "#api/dashboard/shapes.ts";
import { clock, DAY, SECOND } from "./clock.ts";
import { type Fixture, keysOf, makeKey, openFixture, openMember } from "./dashboard-fixture.ts";

/** Adds a key and, unless told otherwise, revokes it. */
async function addKey(
  { accountDeps }: Fixture,
  account: string,
  id: string,
  now: number,
  isRevoked = true,
) {
  const sha256 = createHash("sha256").update(id).digest("hex");
  await accountDeps.ledger.createKey({ account, id, sha256, start: "tb_x", label: id, now });
  if (isRevoked) await accountDeps.ledger.revokeKey({ account, id, now });
}

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

test("a label is a line of 1 to 100 characters in any script", async () => {
  const member = await openMember(openFixture());
  for (const label of GOOD_LABELS)
    assert.equal((await makeKey(member.browser, label)).key.label, label);
  const labels = (await keysOf(member.browser)).map(({ label }) => label);
  assert.deepEqual(labels.toSorted(), GOOD_LABELS.toSorted());
});

test("an account has at most 25 keys, however many are requested at once; a revoked one makes room", async () => {
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
  const [first] = await keysOf(member.browser);
  await member.browser.delete(`/dashboard/keys/${first?.id}`);
  await makeKey(member.browser, "one more");
  assert.equal((await member.browser.post("/dashboard/keys", { label: "x" })).status, 400);
});

test("an account makes at most 100 keys within 24 hours, however soon they are revoked", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  for (let turn = 0; turn < 99; turn += 1)
    await addKey(fixture, member.account, `key_${turn}`, Date.now());
  const { key } = await makeKey(member.browser, "the last one");
  assert.equal((await member.browser.delete(`/dashboard/keys/${key.id}`)).status, 200);
  const refused = await member.browser.post("/dashboard/keys", { label: "one more" });
  assert.deepEqual([refused.status, refused.code], [429, "too_many_requests"]);
  assert.match((refused.body as { detail: string }).detail, /at most 100 keys within 24 hours/);
  clock.advance(Number(refused.headers.get("retry-after")) * SECOND);
  await fixture.signIn(member.browser, member.email);
  await makeKey(member.browser, "one more");
});

test("of the keys revoked more than 90 days ago the newest 100 are listed, and usage still names the others", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const ids = Array.from({ length: 103 }, (_, turn) => `key_${turn}`);
  for (const [turn, id] of ids.entries())
    await addKey(fixture, member.account, id, Date.now() + turn, turn < 102);
  const shown = async () => (await keysOf(member.browser)).map(({ id }) => id).toSorted();
  assert.deepEqual(await shown(), ids.toSorted());
  clock.advance(91 * DAY);
  await fixture.signIn(member.browser, member.email);
  assert.deepEqual(await shown(), ids.slice(2).toSorted());
  const day = new Date().toISOString().slice(0, 10);
  const usage = await member.browser.get(`/dashboard/usage?from=${day}&to=${day}`);
  assert.equal((usage.body as UsageView).keys.length, 103);
});
