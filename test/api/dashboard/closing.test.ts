import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { openAccount } from "#accounts/accounts.ts";
import { clock, HOUR } from "./clock.ts";
import {
  type Fixture,
  type Member,
  makeKey,
  openFixture,
  openMember,
  start,
  userOf,
} from "./dashboard-fixture.ts";
import { comeBackFrom, PROVIDERS, standIn } from "./providers.ts";
import { openSales } from "./purchases-fixture.ts";

const close = ({ browser }: Member, email: unknown) =>
  browser.post("/dashboard/account/close", { email });

async function openUsed(fixture: Fixture) {
  const member = await openMember(fixture);
  const { secret } = await makeKey(member.browser, "key of mine");
  const keySha256 = createHash("sha256").update(secret).digest("hex");
  const debit = (callId: string) =>
    fixture.accountDeps.ledger.debit({
      ...{ account: member.account, keySha256, callId, tool: "hash", now: Date.now() },
      credits: 1,
      freeCallCredits: 1,
      idempotency: null,
    });
  for (const id of ["call_1", "call_2", "call_3"]) {
    assert.equal((await debit(id)).outcome, "debited");
  }
  return { ...member, debit };
}

test("closing an account revokes its keys and deletes personal data; usage stays and the ledger balances", async () => {
  const fixture = openFixture();
  const member = await openUsed(fixture);
  const { email, account, browser } = member;
  const other = fixture.browser();
  await fixture.signIn(other, email);
  await start(other, email);
  const id = (await fixture.rows("SELECT id FROM users WHERE email = ?", email))[0]?.[
    "id"
  ] as string;
  await fixture.rows(
    `INSERT INTO job (id, queue, kind, target, label, payload, created_at, died_at, erase_at)
     VALUES ('dead', 'email', 'key_created', ?, '', 'sealed', 1, 2, 9e15)`,
    email,
  );
  // One that waits for its next attempt, and one whose attempt is under way.
  for (const [job, leasedUntil] of [
    ["waiting", 0],
    ["sending", 9e15],
  ] as const)
    await fixture.rows(
      `INSERT INTO job (id, queue, kind, target, label, payload, created_at, due_at, leased_until)
       VALUES (?, 'email', 'credits_low', ?, '', 'sealed', 1, 9e15, ?)`,
      ...[job, email, leasedUntil],
    );
  const personal = [email, id, browser.peer as string];
  for (const text of personal) assert.notDeepEqual(await fixture.traces(text), [], text);

  assert.equal((await close(member, email.toUpperCase())).status, 200);
  assert.deepEqual(await member.debit("call_4"), { outcome: "invalid_key" });
  for (const text of personal) assert.deepEqual(await fixture.traces(text), [], text);
  for (const who of [browser, other]) {
    assert.equal(await userOf(who), null);
    assert.equal((await who.get("/dashboard/home")).code, "signed_out");
  }
  assert.deepEqual((await start(browser, email)).body, (await start(browser, "x@y.test")).body);
  const now = Date.now();
  const used = await fixture.accountDeps.ledger.usage({ account, from: 0, to: now + 3_600_000 });
  assert.deepEqual(
    used.map(({ calls, credits }) => [calls, credits]),
    [[3, 2]],
  );
  const { ok, totals } = await fixture.accountDeps.ledger.audit({ now });
  assert.deepEqual([ok, totals.granted, totals.debited, totals.voided], [true, 100, 2, 98]);
  assert.equal((await fixture.emailsTo(email, "account_closed")).length, 1);
});

test("closing requires the address and a sign-in of the last minutes", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const { email } = member;
  for (const wrong of ["", "other@example.com", null, 7, { email }, [email]]) {
    const response = await close(member, wrong);
    assert.deepEqual([response.status, response.code], [400, "invalid_request"]);
  }
  clock.advance(HOUR);
  assert.equal((await close(member, email)).code, "fresh_proof_required");
  assert.equal((await userOf(member.browser))?.email, email);
  assert.deepEqual(await fixture.emailsTo(email, "account_closed"), []);
});

test("a user of a provider closes by the address, too", async () => {
  const fixture = openFixture({ providers: PROVIDERS });
  const browser = fixture.browser();
  const email = "octo@example.com";
  using _world = standIn({ email, verified: true });
  await comeBackFrom("github", browser);
  const user = await userOf(browser);
  assert.deepEqual(user?.providers, ["github"]);
  const response = await browser.post("/dashboard/account/close", { email });
  assert.equal(response.status, 200, response.text);
  assert.deepEqual(await fixture.traces(email), []);
});

for (const path of [
  "/dashboard/visitor",
  "/dashboard/home",
  "/dashboard/keys",
  "/dashboard/sessions",
]) {
  test(`a closing that was interrupted after the ledger is completed by the next request to ${path}`, async () => {
    const fixture = openFixture();
    const member = await openMember(fixture);
    fixture.failing.set("forget", 1);
    assert.equal((await close(member, member.email)).status, 500);
    assert.notDeepEqual(await fixture.traces(member.email), []);
    const again = openFixture({ beside: fixture });
    const browser = again.browser();
    for (const [name, value] of member.browser.cookies) browser.cookies.set(name, value);
    const response = await browser.get(path);
    assert.ok(
      path === "/dashboard/visitor" ? response.status === 200 : response.code === "signed_out",
    );
    assert.deepEqual(await fixture.traces(member.email), []);
    assert.equal((await again.emailsTo(member.email, "account_closed")).length, 1);
    const address = { email: member.email };
    await assert.rejects(
      openAccount(fixture.accountDeps, "", 0),
      /not an email address/,
      "the ledger still works",
    );
    assert.equal(await fixture.accountDeps.directory.findByEmail(address), null);
  });
}

test("concurrent requests to close an account close it once, with one email and without an error", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const order = { email: member.email };
  const responses = await Promise.all(
    [1, 2, 3].map(() => member.browser.send("POST", "/dashboard/account/close", order)),
  );
  for (const { status, code } of responses) {
    assert.ok(status === 200 || code === "signed_out", `${status} ${code}`);
  }
  assert.deepEqual(await fixture.traces(member.email), []);
  assert.equal((await fixture.emailsTo(member.email, "account_closed")).length, 1);
  const { ok } = await fixture.accountDeps.ledger.audit({ now: Date.now() });
  assert.ok(ok);
});

test("a user whose account the operator closed cannot sign in", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  await fixture.accountDeps.ledger.changeAccount({
    account: member.account,
    now: Date.now(),
    state: "closed",
  });
  assert.equal((await member.browser.post("/dashboard/keys", { label: "x" })).code, "signed_out");
  assert.deepEqual(await fixture.traces(member.email), []);
  // Who reads the emails of the address can sign up again.
  const again = await fixture.signIn(fixture.browser(), member.email);
  assert.deepEqual(again.body, { signedUp: true });
});

test("closing an account deletes its links to receipts and invoices, and settling does not restore them", async (t) => {
  const { fixture, fake, buyer, buy, receiveAll } = await openSales(t);
  const [paid, open] = [await buy(), await buy("large")];
  fake.pay(paid.session);
  await receiveAll();
  const links = async () => {
    const asked = "SELECT pay_url, receipt_url, invoice_url FROM purchase ORDER BY price";
    return (await fixture.rows(asked)).map((row) => Object.values(row));
  };
  const [[pay, receipt, invoice] = [], [payOther] = []] = await links();
  assert.deepEqual([pay, typeof receipt, typeof invoice], [null, "string", "string"]);
  assert.equal(typeof payOther, "string");
  assert.equal((await close(buyer, buyer.email)).status, 200);
  const none = [null, null, null];
  assert.deepEqual(await links(), [none, none]);
  fake.refund(paid.session, 100);
  fake.pay(open.session);
  const told = await receiveAll();
  assert.deepEqual([...new Set(told)], [200]);
  assert.deepEqual(await links(), [none, none]);
  const rows = await fixture.rows("SELECT refunded, trouble FROM purchase ORDER BY price");
  assert.deepEqual(
    rows.map(({ refunded, trouble }) => [Number(refunded), trouble]),
    [
      [100, null],
      [0, "account_closed"],
    ],
  );
});
