import assert from "node:assert/strict";
import { test } from "node:test";
import { createOTP } from "@better-auth/utils/otp";
import { passkeyPlaceOf } from "#accounts/factor-plugins.ts";
import { stepOf } from "#accounts/totp.ts";
import type {
  EndpointSecretView,
  EventsView,
  KeyView,
  ProofView,
  Visitor,
} from "#api/dashboard/shapes.ts";
import type { Browser } from "./browser.ts";
import { clock, DAY } from "./clock.ts";
import { AUTH_SECRET, openFixture } from "./dashboard-fixture.ts";
import {
  AUTH,
  addPasskey,
  addTotp,
  codeOf,
  factorsOf,
  finishByCode,
  finishByRecoveryCode,
  isSignedIn,
  ORIGIN,
  openMember,
  openSecureFixture,
  STEP,
  TEN_MINUTES,
  usePasskey,
} from "./factors-fixture.ts";
import { openDevice } from "./passkey-device.ts";
import { comeBackFrom, PROVIDERS, standIn } from "./providers.ts";

const kindsOf = async (browser: Browser) =>
  ((await browser.get("/dashboard/events")).body as EventsView).events.map(({ kind, detail }) =>
    `${kind} ${detail ?? ""}`.trim(),
  );

test("codes are those of RFC 6238, appendix B, and count one step before and after", async () => {
  const secret = "12345678901234567890";
  const vectors: [number, string][] = [
    ...[[59, "94287082"] as const, [1_111_111_109, "07081804"] as const],
    ...[[1_111_111_111, "14050471"] as const, [1_234_567_890, "89005924"] as const],
    ...[[2_000_000_000, "69279037"] as const, [20_000_000_000, "65353130"] as const],
  ].map(([seconds, code]) => [seconds, code]);
  for (const [seconds, eightDigits] of vectors) {
    const step = Math.floor(seconds / 30);
    assert.equal(await createOTP(secret, { digits: 8 }).hotp(step), eightDigits);
    // Six digits are the last six: both are remainders of the same number.
    const code = eightDigits.slice(2);
    const at = (steps: number) => stepOf(secret, code, (seconds + 30 * steps) * 1_000);
    assert.deepEqual([await at(-1), await at(0), await at(1)], [step, step, step]);
    assert.deepEqual([await at(-2), await at(2)], [null, null]);
    for (const wrong of ["", `${code}0`, code.slice(1), ` ${code}`]) {
      assert.equal(await stepOf(secret, wrong, seconds * 1_000), null);
    }
  }
});

test("with an authenticator app, a right password alone opens nothing", async () => {
  const fixture = openSecureFixture();
  const { browser, email, password } = await openMember(fixture);
  const { setup, recoveryCodes } = await addTotp(browser);
  assert.equal(recoveryCodes.length, 10);
  const other = fixture.browser();
  const begun = await fixture.signIn(other, email, password);
  assert.deepEqual([begun.status, begun.body], [200, { secondFactor: true }]);
  assert.equal(await isSignedIn(other), false);
  assert.equal((await kindsOf(browser)).filter((kind) => kind === "signed_in").length, 1);
  assert.deepEqual((await other.get(`${AUTH}/second-factor`)).body, {
    methods: { totp: true, passkey: false },
  });
  assert.equal((await finishByCode(other, await codeOf(setup))).status, 200);
  assert.equal(await isSignedIn(other), true);
  assert.deepEqual((await kindsOf(browser)).slice(0, 3), [
    ...["factor_used authenticator app", "signed_in_new_browser", "totp_added"],
  ]);
  assert.deepEqual((await other.get(`${AUTH}/second-factor`)).body, { methods: null });
  assert.deepEqual(fixture.loggedErrors, []);
});

test("a code counts once, also in two sign-ins at the same time", async () => {
  const fixture = openSecureFixture();
  const { browser, email, password } = await openMember(fixture);
  const { setup } = await addTotp(browser);
  const others = [fixture.browser(), fixture.browser(), fixture.browser()];
  for (const other of others) await fixture.signIn(other, email, password);
  const code = await codeOf(setup);
  const tries = await Promise.all(others.map((other) => finishByCode(other, code)));
  assert.equal(tries.filter(({ status }) => status === 200).length, 1);
  assert.equal(tries.filter((one) => one.code === "wrong_code").length, 2);
  clock.advance(TEN_MINUTES);
  const last = await codeOf(setup);
  const proof = (code: string) => browser.post("/dashboard/proof/code", { code });
  assert.equal((await proof(last)).status, 200);
  assert.equal((await proof(last)).code, "wrong_code");
  // Nor does the code of an earlier step count after a later one.
  assert.equal((await proof(await codeOf(setup, -1))).code, "wrong_code");
  assert.equal((await proof(await codeOf(setup, 1))).status, 200);
});

test("codes cannot be guessed: five tries a sign-in, ten wrong ones in a row lock them for a quarter of an hour", async () => {
  const fixture = openSecureFixture();
  const { browser, email, password } = await openMember(fixture);
  const { setup } = await addTotp(browser);
  const attacker = fixture.browser();
  const guess = (code: string) => finishByCode(attacker, code);
  await fixture.signIn(attacker, email, password);
  for (let tries = 0; tries < 5; tries += 1) {
    assert.equal((await guess("000000")).code, "wrong_code");
  }
  assert.equal((await guess(await codeOf(setup))).code, "sign_in_again");
  clock.advance(60_000);
  await fixture.signIn(attacker, email, password);
  for (let tries = 0; tries < 5; tries += 1) await guess("000000");
  clock.advance(60_000);
  await fixture.signIn(attacker, email, password);
  const locked = await guess(await codeOf(setup));
  assert.deepEqual([locked.status, locked.code], [429, "too_many_codes"]);
  assert.equal(locked.headers.get("retry-after"), "900");
  // The same bound holds for a stolen session.
  const code = await codeOf(setup);
  assert.equal((await browser.post("/dashboard/proof/code", { code })).code, "too_many_codes");
  clock.advance(15 * 60_000);
  await fixture.signIn(attacker, email, password);
  assert.equal((await guess(await codeOf(setup))).status, 200);
});

test("of a hundred concurrent guesses in a stolen session at most ten are compared", async () => {
  const fixture = openSecureFixture();
  const { browser } = await openMember(fixture);
  const { setup } = await addTotp(browser);
  const right = await codeOf(setup);
  const guesses = Array.from({ length: 100 }, (_, each) => String(each).padStart(6, "0"));
  const tries = [];
  for (const code of guesses.filter((one) => one !== right)) {
    // The limit of changes by one network is not what is tested.
    clock.advance(200);
    tries.push(browser.send("POST", "/dashboard/proof/code", { code }));
  }
  const outcomes = (await Promise.all(tries)).map(({ code }) => code);
  assert.equal(outcomes.filter((code) => code === "wrong_code").length, 10);
  assert.deepEqual(new Set(outcomes), new Set(["wrong_code", "too_many_codes"]));
});

test("a recovery code works once, in any spelling, and can be replaced", async () => {
  const fixture = openSecureFixture();
  const { browser, email, password } = await openMember(fixture);
  const { device, recoveryCodes } = await addPasskey(browser);
  const [first = "", second = ""] = recoveryCodes ?? [];
  const other = fixture.browser();
  const signIn = () => fixture.signIn(other, email, password);
  assert.deepEqual((await signIn()).body, { secondFactor: true });
  assert.deepEqual((await other.get(`${AUTH}/second-factor`)).body, {
    methods: { totp: false, passkey: true },
  });
  const typed = ` ${first.toUpperCase().replace("-", " ")}`;
  assert.equal((await finishByRecoveryCode(other, typed)).status, 200);
  assert.equal(await isSignedIn(other), true);
  assert.equal((await factorsOf(browser)).recoveryCodesLeft, 9);
  await other.post(`${AUTH}/sign-out`);
  await signIn();
  assert.equal((await finishByRecoveryCode(other, first)).code, "wrong_code");
  const replaced = await browser.post("/dashboard/factors/recovery-codes");
  assert.equal(replaced.status, 201);
  assert.equal((await finishByRecoveryCode(other, second)).code, "wrong_code");
  const [next = ""] = (replaced.body as { recoveryCodes: string[] }).recoveryCodes;
  assert.equal((await finishByRecoveryCode(other, next)).status, 200);
  assert.ok((await kindsOf(browser)).includes("factor_used recovery code"));
  assert.equal((await usePasskey(fixture.browser(), device)).status, 200);
});

test("a reset of the password by email does not bypass the second factor", async () => {
  const fixture = openSecureFixture();
  const { browser, email } = await openMember(fixture);
  const { setup } = await addTotp(browser);
  const thief = fixture.browser();
  await thief.post(`${AUTH}/request-password-reset`, { email });
  const link = new URL(await fixture.lastLink(email, "reset_password"));
  const token = link.searchParams.get("token");
  const newPassword = "the thief's own 1";
  assert.equal((await thief.post(`${AUTH}/reset-password`, { token, newPassword })).status, 200);
  assert.equal(await isSignedIn(thief), false);
  assert.deepEqual((await fixture.signIn(thief, email, newPassword)).body, { secondFactor: true });
  assert.equal(await isSignedIn(thief), false);
  assert.equal((await thief.get("/dashboard/factors")).status, 401);
  assert.equal((await finishByCode(thief, await codeOf(setup))).status, 200);
});

test("a sign-in with a provider asks for the second factor too, and goes on where it was headed", async () => {
  const fixture = openSecureFixture({ providers: PROVIDERS, publicUrl: "http://127.0.0.1:8787" });
  const { browser, email } = await openMember(fixture);
  const { setup } = await addTotp(browser);
  using _ = standIn({ email, verified: true });
  const other = fixture.browser();
  const page = new URL(await comeBackFrom("google", other));
  assert.equal(page.pathname, "/confirm-sign-in");
  assert.equal(page.searchParams.get("next"), "/home");
  assert.equal(await isSignedIn(other), false);
  assert.equal((await finishByCode(other, await codeOf(setup))).status, 200);
  assert.equal(await isSignedIn(other), true);
  assert.deepEqual(fixture.loggedErrors, []);
});

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
  const { user } = (await other.get("/dashboard/visitor")).body as Visitor;
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
  const [passkey] = (await factorsOf(browser)).passkeys;
  const path = `/dashboard/factors/passkeys/${passkey?.id}`;
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
  assert.deepEqual((await factorsOf(browser)).passkeys, []);
  assert.deepEqual(fixture.loggedErrors, []);
});

test("a user can sign in with a passkey alone, and never removes the only way in", async () => {
  const fixture = openSecureFixture();
  const { browser, email, password } = await openMember(fixture);
  const removePassword = () => browser.delete("/dashboard/factors/password");
  const removePasskey = (id: string) => browser.delete(`/dashboard/factors/passkeys/${id}`);
  assert.equal((await removePassword()).code, "last_sign_in");
  await addTotp(browser);
  // A code alone does not sign in.
  assert.equal((await removePassword()).code, "last_sign_in");
  const laptop = await addPasskey(browser);
  assert.equal(laptop.recoveryCodes, null, "the user has some from the authenticator app");
  const phone = await addPasskey(browser, "Phone");
  assert.equal((await removePassword()).status, 200);
  assert.equal((await fixture.signIn(fixture.browser(), email, password)).status, 401);
  assert.equal((await removePasskey(laptop.id)).status, 200);
  assert.equal((await removePasskey(phone.id)).code, "last_sign_in");
  assert.equal((await usePasskey(fixture.browser(), phone.device)).status, 200);
  assert.equal((await usePasskey(fixture.browser(), laptop.device)).status, 400);
  // A password set by email still asks for the second factor.
  await browser.post(`${AUTH}/request-password-reset`, { email });
  const link = new URL(await fixture.lastLink(email, "reset_password"));
  const newPassword = "a second password";
  const token = link.searchParams.get("token");
  await browser.post(`${AUTH}/reset-password`, { token, newPassword });
  const other = fixture.browser();
  assert.deepEqual((await fixture.signIn(other, email, newPassword)).body, { secondFactor: true });
  assert.equal((await usePasskey(other, phone.device)).status, 200);
  assert.equal((await other.delete(`/dashboard/factors/passkeys/${phone.id}`)).status, 200);
});

test("without any factor left, sign-ins no longer ask for one", async () => {
  const fixture = openSecureFixture();
  const { browser, email, password } = await openMember(fixture);
  await addTotp(browser);
  const { id } = await addPasskey(browser);
  const signIn = async () => (await fixture.signIn(fixture.browser(), email, password)).body;
  assert.equal((await browser.delete("/dashboard/factors/totp")).status, 200);
  assert.deepEqual(await signIn(), { secondFactor: true });
  assert.equal((await browser.delete(`/dashboard/factors/passkeys/${id}`)).status, 200);
  assert.deepEqual(await signIn(), {});
  assert.deepEqual(await factorsOf(browser), {
    ...{ passkeys: [], passkeysMax: 20, totp: false, recoveryCodesLeft: 0 },
  });
  assert.deepEqual(await fixture.rows("SELECT * FROM user_totp"), []);
});

test("guesses at the current password of a stolen session are throttled, from however many networks", async () => {
  const fixture = openFixture();
  const { browser } = await openMember(fixture);
  const codes: (string | undefined)[] = [];
  for (let turn = 0; turn < 100; turn += 1) {
    const thief = fixture.browser();
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
    const order = {
      currentPassword: `guess number ${turn}`,
      newPassword: "a password of the thief",
    };
    codes.push((await thief.send("POST", `${AUTH}/change-password`, order)).code);
  }
  assert.ok(codes.filter((code) => code === "INVALID_PASSWORD").length <= 10, `${codes}`);
  assert.equal(codes.at(-1), "too_many_requests");
});

/** Every action that needs a fresh proof. */
const ENDPOINT = { url: "https://one.example/", kinds: ["credits.low"], paused: false };
const GUARDED: [string, string, unknown?][] = [
  ["POST", "/dashboard/keys", { label: "CI" }],
  ["PATCH", "/dashboard/keys/:key", { limits: null }],
  ["POST", "/dashboard/keys/:key/rotate", { keepHours: 1 }],
  ["POST", "/dashboard/webhooks", ENDPOINT],
  ["PUT", "/dashboard/webhooks/:endpoint", { ...ENDPOINT, url: "https://two.example/" }],
  ["POST", "/dashboard/webhooks/:endpoint/secret"],
  ["GET", "/dashboard/account/export"],
  ["GET", "/dashboard/account/export/entries"],
  ["POST", `${AUTH}/change-email`, { newEmail: "new@example.com" }],
  ["POST", "/dashboard/factors/totp"],
  ["POST", "/dashboard/factors/totp/confirm", { code: "000000" }],
  ["DELETE", "/dashboard/factors/totp"],
  ["POST", "/dashboard/factors/recovery-codes"],
  ["DELETE", "/dashboard/factors/passkeys/x"],
  ["DELETE", "/dashboard/factors/password"],
  ["POST", `${AUTH}/passkey/generate-register-options`],
  ["POST", `${AUTH}/passkey/verify-registration`, { response: {}, name: "x" }],
];

/** Adds a key and an endpoint, and returns a function that puts their ids into a path. */
async function addGuarded(browser: Browser): Promise<(pattern: string) => string> {
  const made = await browser.post("/dashboard/keys", { label: "in time" });
  assert.equal(made.status, 201);
  const { key } = made.body as { key: KeyView };
  const added = await browser.post("/dashboard/webhooks", ENDPOINT);
  const { endpoint } = added.body as EndpointSecretView;
  return (pattern) => pattern.replace(":key", key.id).replace(":endpoint", endpoint.id);
}

test("ten minutes after the sign-in, what protects the account needs a fresh proof", async () => {
  const fixture = openSecureFixture();
  const { browser, email, password } = await openMember(fixture);
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
    ["PUT", pathOf("/dashboard/webhooks/:endpoint")],
  ] as const) {
    const order = { ...ENDPOINT, url: "http://example.com/hooks" };
    assert.equal((await browser.send(method, path, order)).code, "invalid_url", path);
  }
  const proof = (await browser.get("/dashboard/proof")).body as ProofView;
  assert.deepEqual(proof, { email, methods: ["password"] });
  const prove = (password: string) => browser.post("/dashboard/proof/password", { password });
  assert.equal((await prove("not the password")).code, "wrong_password");
  assert.equal((await browser.post("/dashboard/keys", { label: "CI" })).status, 403);
  assert.equal((await prove(password)).status, 200);
  assert.equal((await browser.post("/dashboard/keys", { label: "CI" })).status, 201);
  clock.advance(TEN_MINUTES);
  assert.equal((await browser.post("/dashboard/keys", { label: "CI" })).status, 403);
  const close = { email, password: "not the password" };
  assert.equal((await browser.post("/dashboard/account/close", close)).code, "wrong_password");
});

test("with a second factor only that is a proof: a stolen session and the password do not turn it off", async () => {
  const fixture = openSecureFixture();
  const { browser, email, password } = await openMember(fixture);
  const { setup, recoveryCodes } = await addTotp(browser);
  const { device } = await addPasskey(browser);
  const pathOf = await addGuarded(browser);
  clock.advance(TEN_MINUTES);
  const order = { currentPassword: password, newPassword: "another password" };
  const GUARDED_BY_FACTOR: [string, string, unknown?][] = [
    ...GUARDED,
    ["POST", `${AUTH}/change-password`, order],
    ["POST", "/dashboard/account/close", { email, password }],
  ];
  for (const [method, pattern, body] of GUARDED_BY_FACTOR) {
    clock.advance(1_000);
    const path = pathOf(pattern);
    const { code } = await browser.send(method, path, body);
    assert.equal(code, "fresh_proof_required", `${method} ${path}`);
  }
  const proof = (await browser.get("/dashboard/proof")).body as ProofView;
  assert.deepEqual(proof, { email, methods: ["passkey", "totp", "recovery"] });
  assert.equal((await browser.post("/dashboard/proof/password", { password })).status, 400);
  const makeKey = async () => (await browser.post("/dashboard/keys", { label: "CI" })).status;
  assert.equal(await makeKey(), 403);
  const byCode = (code: string, kind: string) =>
    browser.post("/dashboard/proof/code", { code, kind });
  assert.equal((await byCode(await codeOf(setup), "totp")).status, 200);
  assert.equal(await makeKey(), 201);
  clock.advance(TEN_MINUTES);
  assert.equal((await byCode(recoveryCodes[0] ?? "", "recovery")).status, 200);
  assert.equal(await makeKey(), 201);
  clock.advance(TEN_MINUTES);
  const sessions = () => fixture.rows("SELECT id FROM user_session");
  const before = (await sessions()).length;
  assert.equal((await usePasskey(browser, device)).status, 200);
  assert.equal(await makeKey(), 201);
  assert.equal((await sessions()).length, before, "the session was replaced");
});

test("someone else's passkey is no proof for this account", async () => {
  const fixture = openSecureFixture();
  const owner = await openMember(fixture);
  await addPasskey(owner.browser);
  const thief = await openMember(fixture);
  const { device } = await addPasskey(thief.browser);
  clock.advance(TEN_MINUTES);
  // It signs in to the thief's own account, in place of the owner's.
  await usePasskey(owner.browser, device);
  const { user } = (await owner.browser.get("/dashboard/visitor")).body as Visitor;
  assert.equal(user?.email, thief.email);
});

test("an abandoned setup of an authenticator app changes nothing", async () => {
  const fixture = openSecureFixture();
  const { browser, email, password } = await openMember(fixture);
  const { recoveryCodes } = await addPasskey(browser);
  assert.equal((await browser.post("/dashboard/factors/totp")).status, 200);
  assert.equal((await factorsOf(browser)).totp, false);
  const other = fixture.browser();
  await fixture.signIn(other, email, password);
  assert.equal((await finishByRecoveryCode(other, recoveryCodes?.[0] ?? "")).status, 200);
  // A wrong code does not confirm it, and a second setup makes the first one's codes wrong.
  assert.equal(
    (await browser.post("/dashboard/factors/totp/confirm", { code: "000000" })).code,
    "wrong_code",
  );
  const again = await browser.post("/dashboard/factors/totp");
  const code = await codeOf(again.body as { uri: string; secret: string });
  assert.equal((await browser.post("/dashboard/factors/totp/confirm", { code })).status, 201);
  clock.advance(STEP);
  assert.equal((await browser.post("/dashboard/factors/totp")).status, 400);
});

test("a copy of the database without SECRET has neither authenticator secrets nor recovery codes", async () => {
  const fixture = openSecureFixture();
  const { browser } = await openMember(fixture);
  const { setup, recoveryCodes } = await addTotp(browser);
  const [row] = await fixture.rows("SELECT * FROM user_totp");
  const stored = JSON.stringify(row);
  for (const code of recoveryCodes) assert.ok(!stored.includes(code));
  assert.ok(!stored.includes(setup.secret));
  assert.match(String(row?.["secret"]), /^\$ba\$\d+\$[0-9a-f]{80,}$/);
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
  assert.equal(((await browser.get("/dashboard/visitor")).body as Visitor).passkeyOrigin, null);
  for (const path of ["generate-register-options", "generate-authenticate-options"]) {
    const { status, text } = await browser.post(`${AUTH}/passkey/${path}`);
    assert.equal(status, 400);
    assert.match(text, /domain name/);
  }
});

test("closing the account deletes its passkeys, its authenticator app and its recovery codes", async () => {
  const fixture = openSecureFixture();
  const { browser, email, password } = await openMember(fixture);
  await addTotp(browser);
  const { device } = await addPasskey(browser, "The owner's laptop");
  const close = { email, password };
  assert.equal((await browser.post("/dashboard/account/close", close)).status, 200);
  for (const table of ["user_passkey", "user_totp", "users"]) {
    assert.deepEqual(await fixture.rows(`SELECT * FROM ${table}`), [], table);
  }
  assert.equal((await usePasskey(fixture.browser(), device)).status, 400);
});

test("an authenticator app still works after SECRET was rotated, as long as the old one is listed", async () => {
  const fixture = openSecureFixture();
  const { browser, email, password } = await openMember(fixture);
  const { setup } = await addTotp(browser);
  const beside = { kept: fixture.kept, emails: fixture.emails };
  const next = "another-secret-for-sessions-of-the-test";
  const rotated = openSecureFixture({ beside, authSecrets: [next, AUTH_SECRET] });
  const other = rotated.browser();
  await rotated.signIn(other, email, password);
  assert.equal((await finishByCode(other, await codeOf(setup))).status, 200);
  assert.equal((await factorsOf(other)).recoveryCodesLeft, 10);
});
