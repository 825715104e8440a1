import assert from "node:assert/strict";
import { test } from "node:test";
import type { Visitor } from "#api/dashboard/shapes.ts";
import { openFixture, openMember, start } from "./dashboard-fixture.ts";
import { PROVIDERS } from "./providers.ts";

test("responses are not cached, framed or readable by other sites", async () => {
  const fixture = openFixture();
  const { browser } = await openMember(fixture);
  const { status, headers } = await browser.get("/dashboard/home");
  assert.equal(status, 200);
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("cross-origin-resource-policy"), "same-origin");
  assert.match(headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
  assert.equal(headers.get("access-control-allow-origin"), null);
  assert.equal(headers.get("strict-transport-security"), null);
});

test("no response body contains a session token, and cookies are HttpOnly and SameSite=Lax", async () => {
  const fixture = openFixture();
  const { browser, email } = await openMember(fixture);
  const other = fixture.browser();
  const responses = [
    await fixture.signIn(other, email),
    await other.get("/dashboard/visitor"),
    await other.get("/dashboard/sessions"),
    await other.get("/dashboard/events"),
    await other.get("/dashboard/passkeys"),
    await other.post("/dashboard/auth/sign-out"),
    await browser.get("/dashboard/visitor"),
  ];
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200, 200, 200, 200, 200, 200],
  );
  const tokens = [...browser.cookies, ...other.cookies]
    .filter(([name]) => name.includes("session"))
    .map(([, value]) => decodeURIComponent(value).split(".")[0] ?? "");
  const kept = (await fixture.rows("SELECT token FROM user_session")).map(({ token }) =>
    String(token),
  );
  for (const token of [...tokens, ...kept]) {
    assert.ok(token.length > 20);
    for (const { text } of responses) assert.ok(!text.includes(token));
  }
  const cookies = responses.flatMap(({ headers }) => headers.getSetCookie());
  assert.ok(cookies.length >= 4);
  for (const cookie of cookies) {
    assert.match(cookie, /; *HttpOnly/i);
    assert.match(cookie, /; *SameSite=Lax/i);
    assert.match(cookie, /; *Path=\/(?:;|$)/i);
    assert.doesNotMatch(cookie, /Domain=/i);
  }
});

test("behind TLS and below a path, cookies and links stay below it, and HSTS is sent", async () => {
  const publicUrl = "https://x.test/tools";
  const fixture = openFixture({ publicUrl, providers: PROVIDERS });
  const browser = fixture.browser();
  const responses = [await start(browser, "ann@example.com")];
  const link = await fixture.lastLink("ann@example.com", "sign_up_code");
  assert.ok(link.startsWith(`${publicUrl}/sign-in/link#`), link);
  responses.push(await fixture.signIn(browser, "ann@example.com"));
  const visitor = await browser.get("/dashboard/visitor");
  assert.equal((visitor.body as Visitor).apiUrl, publicUrl);
  assert.equal((visitor.body as Visitor).user?.email, "ann@example.com");
  responses.push(visitor, await browser.post("/dashboard/auth/sign-out"));
  const begun = await browser.post("/dashboard/auth/sign-in/social", {
    ...{ provider: "github", callbackURL: `${publicUrl}/home` },
  });
  responses.push(begun);
  const { searchParams } = new URL((begun.body as { url: string }).url);
  assert.equal(searchParams.get("redirect_uri"), `${publicUrl}/dashboard/auth/callback/github`);
  const lost = await browser.get("/dashboard/auth/callback/github?error=x");
  assert.ok(lost.headers.get("location")?.startsWith(`${publicUrl}/sign-in?`));
  const cookies = responses.flatMap(({ headers }) => headers.getSetCookie());
  assert.ok(cookies.length >= 4);
  for (const cookie of cookies) {
    assert.match(cookie, /^__Secure-tb\./);
    assert.match(cookie, /; *Secure/i);
    assert.match(cookie, /; *Path=\/tools(?:;|$)/i);
  }
  for (const { headers } of responses) {
    assert.equal(headers.get("strict-transport-security"), "max-age=31536000");
  }
});

test("endpoints of Better Auth outside our list are 404", async () => {
  const fixture = openFixture({ providers: PROVIDERS });
  const { browser } = await openMember(fixture);
  const gets = ["list-sessions", "get-session", "list-accounts", "ok", "error", "callback/evil"];
  const posts = ["update-user", "delete-user", "set-password", "unlink-account", "link-social"];
  const retired = [
    "sign-up/email",
    "sign-in/email",
    "change-email",
    "verify-email",
    "reset-password",
  ];
  const others = ["revoke-session", "revoke-sessions", "get-access-token"];
  const odd = ["constructor", "__proto__", "sign-in/start/", "sign-in//start", "sign-in/start/x"];
  for (const path of [...gets, ...posts, ...retired, ...others, ...odd, "", "/"]) {
    const response = await browser.post(`/dashboard/auth/${path}`);
    assert.deepEqual([response.status, response.code], [404, "not_found"], `POST ${path}`);
    const read = await browser.get(`/dashboard/auth/${path}`);
    assert.deepEqual([read.status, read.code], [404, "not_found"], `GET ${path}`);
  }
  for (const path of [
    "/users",
    "/dashboard/",
    "/dashboard/keys/../home",
    "/dashboard/constructor",
  ]) {
    assert.ok([200, 404].includes((await browser.get(path)).status), path);
  }
});

test("behind TLS and without a path, neighboring hosts cannot set our cookies", async () => {
  const fixture = openFixture({ publicUrl: "https://x.test", providers: PROVIDERS });
  const { browser } = await openMember(fixture);
  const begun = await browser.post("/dashboard/auth/sign-in/social", { provider: "github" });
  assert.equal(begun.status, 200);
  const out = await browser.post("/dashboard/auth/sign-out");
  const names = [...browser.cookies.keys()].toSorted().join(" ");
  assert.match(names, /^__Host-tb\.known$/);
  const cookies = [begun, out].flatMap(({ headers }) => headers.getSetCookie());
  assert.ok(cookies.some((cookie) => /^__Host-tb\.session_token=;/.test(cookie)));
  for (const cookie of cookies) {
    assert.match(cookie, /^__Host-tb\./);
    assert.match(cookie, /; *Secure/i);
    assert.match(cookie, /; *Path=\/(?:;|$)/i);
    assert.doesNotMatch(cookie, /Domain=/i);
  }
});

test("a network that reads too fast is rejected for a moment, and other networks are not", async () => {
  const fixture = openFixture();
  const crowd = fixture.browser();
  const responses = await Promise.all(
    Array.from({ length: 61 }, () => crowd.get("/dashboard/visitor")),
  );
  assert.deepEqual(new Set(responses.slice(0, 60).map(({ status }) => status)), new Set([200]));
  const last = responses.at(-1);
  assert.deepEqual([last?.status, last?.code], [429, "too_many_requests"]);
  assert.equal(last?.headers.get("retry-after"), "1");
  assert.equal((await fixture.browser().get("/dashboard/visitor")).status, 200);
});

test("a network that makes changes too fast is rejected for a moment, and other networks are not", async () => {
  const fixture = openFixture();
  const crowd = fixture.browser("2001:db8:1:2:3:4:5:6");
  const neighbour = fixture.browser("2001:db8:1:2::9");
  const other = fixture.browser("2001:db8:1:3::9");
  const tries = Array.from({ length: 11 }, () =>
    crowd.send("POST", "/dashboard/auth/sign-out", {}),
  );
  const last = (await Promise.all(tries)).at(-1);
  assert.deepEqual([last?.status, last?.code], [429, "too_many_requests"]);
  assert.equal(last?.headers.get("retry-after"), "1");
  assert.equal((await neighbour.send("POST", "/dashboard/auth/sign-out", {})).status, 429);
  assert.equal((await other.send("POST", "/dashboard/auth/sign-out", {})).status, 200);
});
