/** Changing the address of an account, and taking the change back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NotCarriedOut } from "#ledger/port.ts";
import type { Browser } from "./browser.ts";
import { clock, DAY, HOUR } from "./clock.ts";
import {
  eventsOf,
  type Fixture,
  openFixture,
  openMember,
  secretIn,
  sessionsOf,
  userOf,
} from "./dashboard-fixture.ts";
import {
  addPasskey,
  openSecureFixture,
  passkeysOf,
  requirePasskey,
  usePasskey,
} from "./passkeys-fixture.ts";

const TO = "moved@example.com";
const ATTEMPT = "toolbooth.attempt";

const isInAs = async (who: Browser) => (await userOf(who))?.email ?? null;
const begin = (who: Browser, email = TO) => who.post("/dashboard/account/email", { email });
const confirm = (who: Browser, code: string) => who.post("/dashboard/account/email/code", { code });

async function move(fixture: Fixture, who: Browser, to = TO) {
  assert.equal((await begin(who, to)).status, 200);
  return confirm(who, await fixture.lastCode(to));
}

const undo = (who: Browser, link: string) =>
  who.post("/dashboard/auth/undo-email-change", { secret: secretIn(link) });

test("a code to the new address changes it; sign-in and account follow, and the old address is notified", async () => {
  const fixture = openFixture();
  const { browser, email, account } = await openMember(fixture);
  assert.deepEqual((await begin(browser, "Moved@Example.com")).body, { sent: true });
  assert.equal(await isInAs(browser), email, "not before the code");
  assert.equal((await confirm(browser, "00000000")).code, "wrong_code");
  const changed = await confirm(browser, await fixture.lastCode(TO));
  assert.deepEqual([changed.status, changed.body], [200, { email: TO }]);
  const user = await userOf(browser);
  assert.deepEqual([user?.email, user?.account.id], [TO, account]);
  const { directory } = fixture.accountDeps;
  assert.equal((await directory.findByEmail({ email: TO }))?.account, account);
  assert.equal(await directory.findByEmail({ email }), null);
  const [told] = await fixture.emailsTo(email, "address_changed");
  assert.match(told?.text ?? "", /\/undo-email-change#\w+/);
  assert.match(told?.text ?? "", /expires in 3 days/);
  assert.equal((await fixture.emailsTo(TO, "email_changed")).length, 1);
  const events = await eventsOf(browser);
  assert.deepEqual([events[0]?.kind, events[0]?.detail], ["email_changed", TO]);
  assert.deepEqual((await fixture.signIn(fixture.browser(), TO)).body, { signedUp: false });
  const again = await confirm(browser, await fixture.lastCode(TO));
  assert.equal(again.code, "attempt_ended");
  assert.deepEqual(fixture.loggedErrors, []);
});

test("a change needs a sign-in of the last minutes, and ends the sessions in all other browsers", async () => {
  const fixture = openFixture();
  const { browser, email } = await openMember(fixture);
  const other = fixture.browser();
  await fixture.signIn(other, email);
  clock.advance(HOUR);
  assert.equal((await begin(browser)).code, "fresh_proof_required");
  await fixture.signIn(browser, email);
  assert.equal((await move(fixture, browser)).status, 200);
  assert.equal(await isInAs(other), null);
  const sessions = await sessionsOf(browser);
  assert.equal(sessions.length, 1);
});

test("the code works for the user who asked, in the browser that asked", async () => {
  const fixture = openFixture();
  const [ann, bea] = [await openMember(fixture), await openMember(fixture)];
  await begin(ann.browser);
  const code = await fixture.lastCode(TO);
  assert.equal((await confirm(bea.browser, code)).code, "attempt_ended");
  // Nor in the same browser, once somebody else is signed in there. A passkey leaves the cookie of the attempt.
  bea.browser.cookies.set(ATTEMPT, ann.browser.cookies.get(ATTEMPT) ?? "");
  assert.equal((await confirm(bea.browser, code)).code, "attempt_ended");
  assert.equal(await isInAs(bea.browser), bea.email);
  await begin(ann.browser);
  await fixture.signIn(ann.browser, bea.email);
  await begin(ann.browser, "beas@example.com");
  assert.equal((await confirm(ann.browser, await fixture.lastCode(TO))).code, "wrong_code");
  assert.equal(await isInAs(bea.browser), bea.email);
  // A code for a new address signs nobody in, and a code for a sign-in moves nothing.
  const other = await openMember(fixture);
  await begin(other.browser, "new@example.com");
  const theirs = await fixture.lastCode("new@example.com");
  const signIn = (who: Browser, code: string) => who.post("/dashboard/auth/sign-in/code", { code });
  assert.equal((await signIn(other.browser, theirs)).code, "attempt_ended");
});

test("while the address that it leaves cannot be recorded, an account does not move", async () => {
  const fixture = openFixture();
  const { browser, email } = await openMember(fixture);
  const { directory } = fixture.accountDeps;
  const { recordClosed } = directory;
  directory.recordClosed = async () => {
    directory.recordClosed = recordClosed;
    throw new NotCarriedOut("The store is away");
  };
  assert.equal((await move(fixture, browser)).status, 503);
  assert.equal(await isInAs(browser), email);
  assert.deepEqual((await move(fixture, browser)).body, { email: TO });
});

test("an account does not move to an address that was taken meanwhile", async () => {
  const fixture = openFixture();
  const ann = await openMember(fixture);
  await begin(ann.browser);
  const code = await fixture.lastCode(TO);
  const bea = fixture.browser();
  await fixture.signIn(bea, TO);
  const response = await confirm(ann.browser, code);
  assert.deepEqual([response.status, response.code], [409, "ADDRESS_TAKEN"]);
  assert.equal(await isInAs(ann.browser), ann.email);
  assert.equal(await isInAs(bea), TO);
});

test("the link in the old mailbox takes the change back for 72 hours, once, and signs everyone out", async () => {
  const fixture = openFixture();
  const { browser, email, account } = await openMember(fixture);
  await move(fixture, browser);
  const link = await fixture.lastLink(email, "address_changed");
  clock.advance(3 * DAY - HOUR);
  const anywhere = fixture.browser();
  const undone = await undo(anywhere, link);
  assert.deepEqual([undone.status, undone.body], [200, { email }]);
  assert.equal(await isInAs(anywhere), null, "it signs nobody in");
  assert.equal(await isInAs(browser), null);
  assert.equal((await undo(anywhere, link)).code, "link_expired");
  const { directory } = fixture.accountDeps;
  assert.equal((await directory.findByEmail({ email }))?.account, account);
  assert.equal((await fixture.emailsTo(email, "email_change_undone")).length, 1);
  assert.equal((await fixture.emailsTo(TO, "address_changed")).length, 1);
  await fixture.signIn(browser, email);
  const events = await eventsOf(browser);
  assert.ok(events.some(({ kind }) => kind === "email_change_undone"));
  assert.deepEqual(fixture.loggedErrors, []);
});

test("an account cannot be closed while its old address can undo a change, and can be afterwards", async () => {
  const fixture = openFixture();
  const { browser, email } = await openMember(fixture);
  const close = (address: string) => browser.post("/dashboard/account/close", { email: address });
  await move(fixture, browser);
  const link = await fixture.lastLink(email, "address_changed");
  const refused = await close(TO);
  assert.deepEqual([refused.status, refused.code], [403, "address_changed"]);
  assert.match(refused.text, /can undo that until \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
  assert.equal(await isInAs(browser), TO);
  // The owner of the old address gets everything back, and can close the account at once.
  assert.equal((await undo(browser, link)).status, 200);
  await fixture.signIn(browser, email);
  assert.equal((await close(email)).status, 200);

  const other = await openMember(fixture);
  await move(fixture, other.browser, "later@example.com");
  clock.advance(3 * DAY);
  await fixture.signIn(other.browser, "later@example.com");
  const order = { email: "later@example.com" };
  assert.equal((await other.browser.post("/dashboard/account/close", order)).status, 200);
  assert.deepEqual(fixture.loggedErrors, []);
});

test("after 72 hours, and with an invented secret, the link changes nothing", async () => {
  const fixture = openFixture();
  const { browser, email } = await openMember(fixture);
  await move(fixture, browser);
  const link = await fixture.lastLink(email, "address_changed");
  assert.equal((await undo(browser, "https://x.test/#invented")).code, "link_expired");
  assert.equal((await browser.get("/dashboard/auth/undo-email-change")).status, 405);
  clock.advance(3 * DAY);
  const late = await undo(browser, link);
  assert.deepEqual([late.status, late.code], [400, "link_expired"]);
  assert.equal(await isInAs(browser), TO);
});

test("undoing the change removes what a thief added since the day before, and the owner gets in with a code again", async () => {
  const fixture = openSecureFixture();
  const { browser: desk, email } = await openMember(fixture);
  clock.advance(DAY);
  await fixture.signIn(desk, email);
  const { device } = await addPasskey(desk, "the thief's");
  await move(fixture, desk);
  await requirePasskey(desk);
  const owner = fixture.browser();
  assert.equal((await fixture.signIn(owner, TO)).code, "passkey_required");
  assert.equal((await undo(owner, await fixture.lastLink(email, "address_changed"))).status, 200);
  assert.equal((await usePasskey(fixture.browser(), device)).status, 400);
  assert.equal((await fixture.signIn(owner, email)).status, 200);
  assert.deepEqual(await passkeysOf(owner), {
    ...{ passkeys: [], passkeysMax: 20, requiresPasskey: false },
  });
});

test("a passkey that the owner had before stays, and is still required", async () => {
  const fixture = openSecureFixture();
  const { browser, email } = await openMember(fixture);
  const { device } = await addPasskey(browser);
  await requirePasskey(browser);
  clock.advance(2 * DAY);
  await usePasskey(browser, device);
  await move(fixture, browser);
  assert.equal((await undo(browser, await fixture.lastLink(email, "address_changed"))).status, 200);
  assert.equal((await fixture.signIn(browser, email)).code, "passkey_required");
  assert.equal((await usePasskey(browser, device)).status, 200);
  assert.equal(await isInAs(browser), email);
});

test("an address that has signed up anew in the meantime is not taken from its account, and gets the old one back once that is closed", async () => {
  const fixture = openFixture();
  const { browser, email, account } = await openMember(fixture);
  await move(fixture, browser);
  const link = await fixture.lastLink(email, "address_changed");
  const other = fixture.browser();
  clock.advance(HOUR);
  await fixture.signIn(other, email);
  const refused = await undo(other, link);
  assert.deepEqual([refused.status, refused.code], [409, "ADDRESS_TAKEN"]);
  assert.deepEqual([await isInAs(browser), await isInAs(other)], [TO, email]);
  assert.match(refused.text, /close it under Settings, Account, and open this link again/);
  assert.equal((await other.post("/dashboard/account/close", { email })).status, 200);
  assert.equal((await undo(other, link)).status, 200);
  await fixture.signIn(other, email);
  assert.equal((await userOf(other))?.account.id, account);
});

test("someone else's undo does not change an owner's own account", async () => {
  const fixture = openFixture();
  const [ann, bea] = [await openMember(fixture), await openMember(fixture)];
  await move(fixture, ann.browser);
  await undo(bea.browser, await fixture.lastLink(ann.email, "address_changed"));
  assert.equal(await isInAs(bea.browser), bea.email);
});
