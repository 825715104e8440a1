/** Who may use each route of the dashboard, from where, and with which methods. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DASHBOARD_ROUTES } from "#api/dashboard/dashboard-app.ts";
import type { EndpointSecretView } from "#api/dashboard/shapes.ts";
import { clock, SECOND } from "./clock.ts";
import {
  type Fixture,
  type Member,
  makeKey,
  openFixture,
  openMember,
  sessionsOf,
} from "./dashboard-fixture.ts";
import { PROVIDERS } from "./providers.ts";
import { openSales } from "./purchases-fixture.ts";

const UNSUBSCRIBE = "/dashboard/notifications/unsubscribe";
const ROUTES = Object.entries(DASHBOARD_ROUTES).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({
    method,
    path: path.replaceAll(/:\w+\{[^}]+\}/g, "x_1"),
  })),
);
const PUBLIC = new Set([
  ...["/dashboard/visitor", "/dashboard/prices", UNSUBSCRIBE],
  ...ROUTES.map(({ path }) => path).filter((path) => path.startsWith("/dashboard/auth/")),
]);
for (const path of ["generate-register-options", "verify-registration"])
  PUBLIC.delete(`/dashboard/auth/passkey/${path}`);

test("a browser without a session reaches nothing but the public routes", async () => {
  const fixture = openFixture({ publicUrl: "https://toolbooth.example" });
  await openMember(fixture);
  const others = ROUTES.filter(({ path }) => !PUBLIC.has(path));
  assert.ok(others.length > 35);
  for (const { method, path } of others) {
    const body = method === "GET" ? undefined : { email: "ann@example.com" };
    const { status, code } = await fixture.browser().send(method, path, body);
    assert.deepEqual([status, code], [401, "signed_out"], `${method} ${path}`);
  }
});

/** What a browser sends with a request that another site makes; "" leaves a header out. */
const FOREIGN: [string, Record<string, string>][] = [
  ["no Origin", { origin: "", "sec-fetch-site": "" }],
  ["a foreign Origin", { origin: "https://evil.test", "sec-fetch-site": "" }],
  ["Origin null", { origin: "null", "sec-fetch-site": "" }],
  ["the same host on another port", { origin: "http://127.0.0.1:8788", "sec-fetch-site": "" }],
  ["another scheme", { origin: "https://127.0.0.1:8787", "sec-fetch-site": "" }],
  ["Sec-Fetch-Site: cross-site", { "sec-fetch-site": "cross-site" }],
  ["Sec-Fetch-Site: same-site", { "sec-fetch-site": "same-site" }],
  ["Sec-Fetch-Site: none", { "sec-fetch-site": "none" }],
];

test("another site changes nothing, whatever its browser says about it", async () => {
  const fixture = openFixture({ providers: PROVIDERS });
  const { browser } = await openMember(fixture);
  fixture.wasCarriedOut.length = 0;
  const changes = ROUTES.filter(({ method, path }) => method !== "GET" && path !== UNSUBSCRIBE);
  changes.push({ method: "OPTIONS", path: "/dashboard/keys" });
  for (const [name, headers] of FOREIGN) {
    for (const { method, path } of changes) {
      const { status, code } = await browser.send(method, path, {}, headers);
      assert.deepEqual([status, code], [403, "cross_site"], `${name}: ${method} ${path}`);
    }
  }
  assert.deepEqual(fixture.wasCarriedOut, []);
});

const WRONG_METHODS: [method: string, path: string, allow: string][] = [
  ["PUT", "/dashboard/keys", "GET, HEAD, POST"],
  ["GET", "/dashboard/keys/key_1", "PATCH, DELETE"],
  ["DELETE", "/dashboard/visitor", "GET, HEAD"],
  ["GET", "/dashboard/account/close", "POST"],
  ["OPTIONS", "/dashboard/sessions/others", "DELETE"],
  ["PUT", "/dashboard/webhooks/whk_1", "PATCH, DELETE"],
  ["GET", "/dashboard/webhooks/whk_1/deliveries/dlv_1/again", "POST"],
  ["GET", "/dashboard/auth/sign-in/link?secret=x", "POST"],
  ["GET", "/dashboard/auth/undo-email-change", "POST"],
  ["PATCH", "/dashboard/auth/sign-in/start", "POST"],
  ["POST", "/dashboard/auth/callback/github", "GET, HEAD"],
];

test("another method gets 405 with the allowed methods", async () => {
  const fixture = openFixture();
  for (const [method, path, allow] of WRONG_METHODS) {
    const { status, code, headers } = await fixture.browser().send(method, path);
    const found = [status, code, headers.get("allow")];
    assert.deepEqual(found, [405, "wrong_method", allow], `${method} ${path}`);
  }
});

test("HEAD works like GET without a body, from any origin", async () => {
  const { browser } = await openMember(openFixture());
  for (const path of ["/dashboard/visitor", "/dashboard/keys", "/dashboard/x"]) {
    const got = await browser.get(path);
    const head = await browser.send("HEAD", path, undefined, { origin: "", "sec-fetch-site": "" });
    assert.deepEqual([head.status, head.text], [got.status, ""]);
    assert.equal(head.headers.get("content-type"), got.headers.get("content-type"));
  }
});

const ENDPOINT = { url: "https://shop.example/hooks", kinds: ["credits.low"], paused: false };

/** Something of each kind that an account has, by its name in the paths below. */
async function fill({ store }: Fixture, { browser, account }: Member) {
  const { key } = await makeKey(browser, "Bea's");
  const added = await browser.post("/dashboard/webhooks", ENDPOINT);
  const { endpoint } = added.body as EndpointSecretView;
  const { id: delivery } = (await browser.post(`/dashboard/webhooks/${endpoint.id}/test`)).body as {
    id: string;
  };
  const sessions = await sessionsOf(browser);
  const [purchase] = await store.purchases.list({ account, after: null, max: 1 });
  return {
    ...{ ":key": key.id, ":endpoint": endpoint.id, ":delivery": delivery },
    ...{ ":session": sessions[0]?.id ?? "", ":purchase": purchase?.id ?? "" },
  };
}

const THEIRS: [method: string, path: string, body?: object][] = [
  ["PATCH", "/dashboard/keys/:key", { label: "mine" }],
  ["DELETE", "/dashboard/keys/:key"],
  ["POST", "/dashboard/keys/:key/rotate", { keepHours: 0 }],
  ["GET", "/dashboard/webhooks/:endpoint/deliveries"],
  ["PATCH", "/dashboard/webhooks/:endpoint", ENDPOINT],
  ["DELETE", "/dashboard/webhooks/:endpoint"],
  ["POST", "/dashboard/webhooks/:endpoint/secret"],
  ["POST", "/dashboard/webhooks/:endpoint/test"],
  ["POST", "/dashboard/webhooks/:endpoint/deliveries/:delivery/again"],
  ["DELETE", "/dashboard/sessions/:session"],
  ["GET", "/dashboard/purchases/:purchase"],
];
const READS = [
  ...["home", "keys", "credits", "credits/entries", "events", "sessions", "webhooks", "purchases"],
  ...["notifications", "passkeys", "usage?from=2026-11-21&to=2026-11-30"],
].map((path) => `/dashboard/${path}`);

test("another account's things are not found, not shown and not changed", async (t) => {
  const { fixture, buyer, buy } = await openSales(t);
  await buy();
  const ids = await fill(fixture, buyer);
  const other = await openMember(fixture);
  const read = async () => {
    const texts: string[] = [];
    for (const path of READS) texts.push((await buyer.browser.get(path)).text);
    return texts;
  };
  const before = await read();
  for (const [method, pattern, body] of THEIRS) {
    clock.advance(SECOND);
    const path = pattern.replaceAll(/:\w+/g, (name) => ids[name as keyof typeof ids]);
    const { status, code } = await other.browser.send(method, path, body);
    assert.deepEqual([status, code], [404, "not_found"], `${method} ${path}`);
    // Nor is what has never existed.
    const none = await other.browser.send(method, pattern.replaceAll(/:\w+/g, "none"), body);
    assert.deepEqual([none.status, none.code], [404, "not_found"], `${method} ${pattern}`);
  }
  assert.equal((await other.browser.delete("/dashboard/sessions/others")).status, 200);
  assert.deepEqual(await read(), before);
  const theirs = [buyer.account, buyer.email, "Bea's", ...Object.values(ids)];
  for (const path of READS) {
    const { status, text } = await other.browser.get(path);
    assert.equal(status, 200, path);
    for (const secret of theirs) assert.ok(!text.includes(secret), `${path} has ${secret}`);
  }
});

test("a suspended account reads, revokes keys, and makes nothing new", async (t) => {
  const { fixture, buyer, buy } = await openSales(t);
  const { browser, account, email } = buyer;
  await buy();
  const ids = await fill(fixture, buyer);
  const { ledger } = fixture.accountDeps;
  await browser.post("/dashboard/account/email", { email: "away@example.com" });
  const code = await fixture.lastCode("away@example.com");
  await ledger.changeAccount({ account, now: Date.now(), state: "suspended" });
  const made: [string, object][] = [
    ["keys", { label: "new" }],
    ["webhooks", ENDPOINT],
    ["purchases", { offer: "small" }],
    ["account/email", { email: "away@example.com" }],
    ["account/email/code", { code }],
    ["account/close", { email }],
  ];
  for (const [path, body] of made) {
    const { status, code, text } = await browser.post(`/dashboard/${path}`, body);
    assert.deepEqual([status, code], [403, "account_suspended"], path);
    assert.match(text, /This account is suspended/, path);
  }
  for (const path of READS) assert.equal((await browser.get(path)).status, 200, path);
  assert.equal((await browser.delete(`/dashboard/keys/${ids[":key"]}`)).status, 200);
  await ledger.changeAccount({ account, now: Date.now(), state: "open" });
  for (const [path, body] of made.slice(0, 3))
    assert.equal((await browser.post(`/dashboard/${path}`, body)).status, 201, path);
});

test("paths that are not an id, and ids of the wrong form, are not found", async () => {
  const { browser } = await openMember(openFixture());
  for (const id of ["", "%00", "a%20b", "..", "x".repeat(81), "key_1/x", "others"])
    assert.equal((await browser.delete(`/dashboard/keys/${id}`)).status, 404, id);
});
