import assert from "node:assert/strict";
import { test } from "node:test";
import { passkeyPlaceOf } from "#accounts/passkeys.ts";
import type { EndpointSecretView, ProofView } from "#api/dashboard/shapes.ts";
import type { Browser } from "./browser.ts";
import { clock, DAY } from "./clock.ts";
import {
  enter,
  eventsOf,
  makeKey,
  open,
  openFixture,
  start,
  userOf,
  visitorOf,
} from "./dashboard-fixture.ts";
import { openDevice } from "./passkey-device.ts";
import {
  AUTH,
  addPasskey,
  isSignedIn,
  ORIGIN,
  openMember,
  openSecureFixture,
  passkeysOf,
  requirePasskey,
  TEN_MINUTES,
  usePasskey,
} from "./passkeys-fixture.ts";
import { comeBackFrom, PROVIDERS, standIn } from "./providers.ts";

/** Passkeys, accounts that require theirs, and proofs of who is signed in. */
test("a passkey alone signs in, and needs its user, our origin, its challenge and its own key", async () => {
  const fixture = openSecureFixture();
  const { browser, email } = await openMember(fixture);
  const { device } = await addPasskey(browser);
  const stranger = await openMember(fixture);
  const other = fixture.browser();
  const cases: [string, Awaited<ReturnType<typeof usePasskey>>][] = [
    ["not verified", await usePasskey(other, device, { userVerified: false })],
    ["another origin", await usePasskey(other, device, { origin: "https://evil.example" })],
    ["another domain", await usePasskey(other, device, { rpId: "evil.example" })],
    ["unknown", await usePasskey(other, openDevice(ORIGIN))],
  ];
  for (const [name, { status }] of cases) assert.equal(status, 400, name);
  assert.equal(await isSignedIn(other), false);
  assert.equal((await usePasskey(other, device)).status, 200);
  const user = await userOf(other);
  assert.equal(user?.email, email);
  // A copy of the passkey has a counter that goes back.
  await usePasskey(other, device, { counter: 40 });
  assert.equal((await usePasskey(fixture.browser(), device, { counter: 7 })).status, 400);
  // A challenge counts once.
  const options = await other.post(`${AUTH}/passkey/generate-authenticate-options`);
  const response = device.get(options.body as { challenge: string }, { counter: 41 });
  const verify = () => other.post(`${AUTH}/passkey/verify-authentication`, { response });
  assert.deepEqual([(await verify()).status, (await verify()).status], [200, 400]);
  for (const response of [null, 1, "x", {}, { id: "x" }, { id: {} }, []]) {
    const { status } = await other.post(`${AUTH}/passkey/verify-authentication`, { response });
    assert.equal(status, 400);
  }
  // Nor can a stranger register the owner's passkey, or touch it.
  const begun = await stranger.browser.post(`${AUTH}/passkey/generate-register-options`);
  const taken = await stranger.browser.post(`${AUTH}/passkey/verify-registration`, {
    response: device.create(begun.body as { challenge: string }),
    name: "Mine",
  });
  assert.deepEqual([taken.status, taken.code], [400, "PASSKEY_TAKEN"]);
  const [passkey] = (await passkeysOf(browser)).passkeys;
  const path = `/dashboard/passkeys/${passkey?.id}`;
  assert.equal((await stranger.browser.patch(path, { name: "Mine" })).status, 404);
  assert.equal((await stranger.browser.delete(path)).status, 404);
  assert.deepEqual(fixture.loggedErrors, []);
});

test("a registration that is not ours, or not of a verified user, adds nothing", async () => {
  const fixture = openSecureFixture();
  const { browser } = await openMember(fixture);
  const register = async (given: Parameters<ReturnType<typeof openDevice>["create"]>[1]) => {
    const options = await browser.post(`${AUTH}/passkey/generate-register-options`);
    const response = openDevice(ORIGIN).create(options.body as { challenge: string }, given);
    return browser.post(`${AUTH}/passkey/verify-registration`, { response, name: "Key" });
  };
  assert.equal((await register({ origin: "https://evil.example" })).status, 400);
  assert.equal((await register({ userVerified: false })).status, 400);
  for (const response of [undefined, null, {}, { id: "x", response: {} }]) {
    await browser.post(`${AUTH}/passkey/generate-register-options`);
    const body = { response, name: "Key" };
    const { status } = await browser.post(`${AUTH}/passkey/verify-registration`, body);
    assert.equal(status, 400);
    clock.advance(5_000);
  }
  assert.deepEqual((await passkeysOf(browser)).passkeys, []);
  assert.deepEqual(fixture.loggedErrors, []);
});

/** An owner who requires a passkey, and the browser in which they are signed in. */
async function openRequiring(given: Parameters<typeof openSecureFixture>[0] = {}) {
  const fixture = openSecureFixture(given);
  const member = await openMember(fixture);
  const { device, id } = await addPasskey(member.browser);
  await requirePasskey(member.browser);
  return { fixture, ...member, device, id };
}

test("an account requires a passkey: the right code, the link and a provider neither sign in nor prove, nor are linked", async () => {
  const service = "http://localhost:8787";
  const fixture = openFixture({ publicUrl: service, providers: PROVIDERS });
  const { browser, email } = await openMember(fixture);
  const { device } = await addPasskey(browser, "Key", service);
  await requirePasskey(browser);
  // A thief reads the owner's emails, and has the owner's session.
  for (const thief of [fixture.browser(), browser]) {
    const before = await isSignedIn(thief);
    await start(thief, email);
    const byCode = await enter(thief, await fixture.lastCode(email));
    assert.deepEqual([byCode.status, byCode.code], [403, "passkey_required"]);
    await start(thief, email);
    const kind = thief === browser ? "known_sign_in_code" : "sign_in_code";
    const byLink = await open(thief, await fixture.lastLink(email, kind));
    assert.deepEqual([byLink.status, byLink.code], [403, "passkey_required"]);
    using _ = standIn({ email, verified: true });
    const page = new URL(await comeBackFrom("google", thief, service));
    assert.deepEqual([page.pathname, page.search], ["/sign-in", "?error=passkey_required"]);
    assert.equal(await isSignedIn(thief), before);
  }
  assert.deepEqual(await fixture.rows("SELECT * FROM user_login"), []);
  assert.equal((await fixture.rows("SELECT * FROM user_session")).length, 1);
  clock.advance(TEN_MINUTES);
  const { methods } = (await browser.get("/dashboard/proof")).body as ProofView;
  assert.deepEqual(methods, ["passkey"]);
  assert.equal(
    (await browser.post("/dashboard/keys", { label: "CI" })).code,
    "fresh_proof_required",
  );
  const known = fixture.browser();
  assert.equal((await usePasskey(known, device)).status, 200);
  assert.equal((await known.post("/dashboard/keys", { label: "CI" })).status, 201);
  assert.deepEqual(fixture.loggedErrors, []);
});

test("a linked provider does not sign in either, and does again once the requirement is removed", async () => {
  const service = "http://localhost:8787";
  const fixture = openFixture({ publicUrl: service, providers: PROVIDERS });
  const email = "octo@example.com";
  const browser = fixture.browser();
  using _ = standIn({ email, verified: true });
  await comeBackFrom("github", browser, service);
  await addPasskey(browser, "Key", service);
  await requirePasskey(browser);
  const thief = fixture.browser();
  assert.match(await comeBackFrom("github", thief, service), /error=passkey_required$/);
  assert.equal(await isSignedIn(thief), false);
  await requirePasskey(browser, false);
  assert.match(await comeBackFrom("github", thief, service), /\/home$/);
  assert.equal(await isSignedIn(thief), true);
});

test("only a user with a passkey can require one, and every change of the requirement sends an email", async () => {
  const fixture = openSecureFixture();
  const { browser, email } = await openMember(fixture);
  const setRequired = (requiresPasskey: unknown) =>
    browser.put("/dashboard/passkeys/required", { requiresPasskey });
  assert.equal((await setRequired(true)).code, "invalid_request");
  assert.equal((await setRequired("yes")).code, "invalid_request");
  await addPasskey(browser);
  await requirePasskey(browser);
  await requirePasskey(browser);
  assert.equal((await fixture.emailsTo(email, "passkey_required")).length, 1);
  assert.equal((await passkeysOf(browser)).requiresPasskey, true);
  await requirePasskey(browser, false);
  assert.equal((await fixture.emailsTo(email, "passkey_not_required")).length, 1);
  assert.equal((await fixture.signIn(fixture.browser(), email)).status, 200);
});

test("without its last passkey an account no longer requires one, and its owner is notified", async () => {
  const { fixture, browser, email, id } = await openRequiring();
  const other = await addPasskey(browser, "Phone");
  const remove = (passkey: string) => browser.delete(`/dashboard/passkeys/${passkey}`);
  assert.equal((await remove(id)).status, 200);
  assert.equal((await fixture.signIn(fixture.browser(), email)).code, "passkey_required");
  const told = () => fixture.emailsTo(email, "passkey_not_required");
  assert.equal((await told()).length, 0);
  assert.equal((await remove(other.id)).status, 200);
  assert.equal((await told()).length, 1);
  const events = await eventsOf(browser);
  const newest = events.slice(0, 2).map(({ kind }) => kind);
  assert.deepEqual(newest, ["passkey_not_required", "passkey_removed"]);
  assert.deepEqual(await passkeysOf(browser), {
    ...{ passkeys: [], passkeysMax: 20, requiresPasskey: false },
  });
  assert.equal((await fixture.signIn(fixture.browser(), email)).status, 200);
});

test("a lost passkey: the operator resets it, which ends the sessions, and a code signs in again", async () => {
  const { fixture, account, browser, email, device } = await openRequiring();
  const { resetPasskeys } = fixture.activityLog;
  assert.deepEqual(await resetPasskeys({ account }), { found: true, passkeys: 1 });
  assert.equal(await isSignedIn(browser), false);
  assert.equal((await usePasskey(fixture.browser(), device)).status, 400);
  assert.equal((await fixture.signIn(browser, email)).status, 200);
});

/** Every action that needs a fresh proof. */
const ENDPOINT = { url: "https://one.example/", kinds: ["credits.low"], paused: false };
const GUARDED: [string, string, unknown?][] = [
  ["POST", "/dashboard/keys", { label: "CI" }],
  ["PATCH", "/dashboard/keys/:key", { limits: null }],
  ["POST", "/dashboard/keys/:key/rotate", { keepHours: 1 }],
  ["POST", "/dashboard/webhooks", ENDPOINT],
  ["PATCH", "/dashboard/webhooks/:endpoint", { url: "https://two.example/" }],
  ["POST", "/dashboard/webhooks/:endpoint/secret"],
  ["GET", "/dashboard/account/export"],
  ["GET", "/dashboard/account/export/entries"],
  ["POST", "/dashboard/account/email", { email: "new@example.com" }],
  ["PUT", "/dashboard/passkeys/required", { requiresPasskey: true }],
  ["DELETE", "/dashboard/passkeys/x"],
  ["POST", `${AUTH}/passkey/generate-register-options`],
  ["POST", `${AUTH}/passkey/verify-registration`, { response: {}, name: "x" }],
];

/** Adds a key and an endpoint, and returns a function that puts their ids into a path. */
async function addGuarded(browser: Browser): Promise<(pattern: string) => string> {
  const { key } = await makeKey(browser, "in time");
  const added = await browser.post("/dashboard/webhooks", ENDPOINT);
  const { endpoint } = added.body as EndpointSecretView;
  return (pattern) => pattern.replace(":key", key.id).replace(":endpoint", endpoint.id);
}

test("ten minutes after the sign-in, changes that protect the account need a fresh proof", async () => {
  const fixture = openSecureFixture();
  const { browser, email } = await openMember(fixture);
  clock.advance(TEN_MINUTES - 1_000);
  const pathOf = await addGuarded(browser);
  clock.advance(DAY);
  for (const [method, pattern, body] of GUARDED) {
    clock.advance(1_000);
    const path = pathOf(pattern);
    const { status, code } = await browser.send(method, path, body);
    assert.deepEqual([status, code], [403, "fresh_proof_required"], `${method} ${path}`);
  }
  // A URL that is not allowed is named before anybody proves who they are.
  for (const [method, path] of [
    ["POST", "/dashboard/webhooks"],
    ["PATCH", pathOf("/dashboard/webhooks/:endpoint")],
  ] as const) {
    const order = { ...ENDPOINT, url: "http://example.com/hooks" };
    assert.equal((await browser.send(method, path, order)).code, "invalid_url", path);
  }
  const close = () => browser.post("/dashboard/account/close", { email });
  assert.equal((await close()).code, "fresh_proof_required");
  const proof = (await browser.get("/dashboard/proof")).body as ProofView;
  assert.deepEqual(proof, { email, methods: ["code"] });
  const asksForKey = async () => (await browser.post("/dashboard/keys", { label: "CI" })).status;
  await start(browser, email);
  assert.equal((await enter(browser, "0")).code, "wrong_code");
  assert.equal(await asksForKey(), 403);
  const sessions = async () => (await fixture.rows("SELECT id FROM user_session")).length;
  assert.equal(await sessions(), 1);
  assert.equal((await enter(browser, await fixture.lastCode(email))).status, 200);
  assert.equal(await asksForKey(), 201);
  assert.equal(await sessions(), 1, "the session was replaced");
  clock.advance(TEN_MINUTES);
  assert.equal(await asksForKey(), 403);
  clock.advance(TEN_MINUTES);
  await fixture.signIn(browser, email);
  assert.equal((await close()).status, 200);
});

test("using the session is not a proof, and a passkey is one", async () => {
  const fixture = openSecureFixture();
  const { browser, email } = await openMember(fixture);
  const { device } = await addPasskey(browser);
  const asksForKey = async () => (await browser.post("/dashboard/keys", { label: "CI" })).status;
  // The session is extended after a day.
  clock.advance(2 * DAY);
  await browser.get("/dashboard/visitor");
  assert.equal(await asksForKey(), 403);
  const proof = (await browser.get("/dashboard/proof")).body as ProofView;
  assert.deepEqual(proof, { email, methods: ["passkey", "code"] });
  assert.equal((await usePasskey(browser, device)).status, 200);
  assert.equal(await asksForKey(), 201);
});

test("someone else's passkey is not a proof for this account", async () => {
  const fixture = openSecureFixture();
  const owner = await openMember(fixture);
  await addPasskey(owner.browser);
  const thief = await openMember(fixture);
  const { device } = await addPasskey(thief.browser);
  clock.advance(TEN_MINUTES);
  // It signs in to the thief's own account, in place of the owner's.
  await usePasskey(owner.browser, device);
  const user = await userOf(owner.browser);
  assert.equal(user?.email, thief.email);
});

test("passkeys work under a domain name with HTTPS or on localhost, not under an IP address", async () => {
  const places: [string[], string | null][] = [
    [["https://api.example.com"], "https://api.example.com"],
    [["https://api.example.com:8443"], "https://api.example.com:8443"],
    [["http://api.example.com"], null],
    [["https://192.0.2.7"], null],
    [["https://[2001:db8::1]"], null],
    [["http://127.0.0.1:8787", "http://localhost:8787"], "http://localhost:8787"],
  ];
  for (const [origins, expected] of places) {
    assert.equal(passkeyPlaceOf(origins)?.origin ?? null, expected, origins[0]);
  }
  const fixture = openFixture();
  const { browser } = await openMember(fixture);
  assert.equal((await visitorOf(browser)).passkeyOrigin, null);
  for (const path of ["generate-register-options", "generate-authenticate-options"]) {
    const { status, text } = await browser.post(`${AUTH}/passkey/${path}`);
    assert.equal(status, 400);
    assert.match(text, /domain name/);
  }
});

test("closing the account deletes its passkeys", async () => {
  const { fixture, browser, email, device } = await openRequiring();
  assert.equal((await browser.post("/dashboard/account/close", { email })).status, 200);
  for (const table of ["user_passkey", "users"])
    assert.deepEqual(await fixture.rows(`SELECT * FROM ${table}`), [], table);
  assert.equal((await usePasskey(fixture.browser(), device)).status, 400);
});
