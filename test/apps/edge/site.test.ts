import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { extname } from "node:path";
import { after, test } from "node:test";
import { newAccountId, newKeyId } from "#ids.ts";
import { DASHBOARD_BODY_BYTES_MAX, DRAIN_SLACK_BYTES } from "#limits.ts";
import { APP_ENTRY, listAppPages } from "#site/app-pages.ts";
import { TOOLS } from "#tools/registry.ts";
import { openOneConnection } from "../../http/one-connection.ts";
import { openRaw, rawPost } from "../../http/raw-socket.ts";
import { startServer, temporaryFolder } from "../../http/server-process.ts";
import {
  CONFIRM,
  emailsTo,
  linkTo,
  newCredentials,
  proveWork,
  until,
} from "../../support/dashboard-site.ts";
import { type EdgeSite, openEdgeSite } from "../../support/edge-site.ts";

/** The dashboard Worker behind the API Worker, in a real workerd, compared with the same service on Node. */

const OPERATOR_TOKEN = "the-operator-of-a-service-in-a-test";
const site = await openEdgeSite({ after }, { texts: { TOOLBOOTH_OPERATOR_TOKEN: OPERATOR_TOKEN } });

/** Headers that differ between the servers. */
const OWN = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "date",
  "etag",
  "keep-alive",
  "server-timing",
  "transfer-encoding",
  "vary",
  "x-request-id",
]);

async function get(base: string, path: string, method = "GET") {
  const headers = { "Accept-Encoding": "identity" };
  const response = await fetch(base + path, { method, headers, redirect: "manual" });
  const names = [...response.headers].filter(([name]) => !OWN.has(name) && !name.startsWith("cf-"));
  return {
    status: response.status,
    headers: Object.fromEntries(names),
    body: await response.text(),
  };
}

/** Invalid methods and paths. */
const OTHERS: [method: string, path: string][] = [
  ["POST", "/"],
  ["DELETE", "/sign-up"],
  ["PUT", "/nothing"],
  ["OPTIONS", "/docs"],
  ["OPTIONS", "/dashboard/visitor"],
  ["PUT", "/dashboard/keys"],
  ["POST", "/dashboard/visitor"],
];

const SIGN_UP = "/dashboard/auth/sign-up/email";
const READ_BYTES_MAX = DASHBOARD_BODY_BYTES_MAX + DRAIN_SLACK_BYTES - 1;
const CHUNKED = { "Transfer-Encoding": "chunked" };

type Sent = { path: string; body?: object; headers?: Record<string, string>; to?: EdgeSite };

async function post({ path, body = {}, headers = {}, to = site }: Sent) {
  const response = await fetch(`${to.base}/dashboard${path}`, {
    method: "POST",
    headers: { Origin: to.base, "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

const signUp = (email: string, headers: Record<string, string> = {}, to = site) =>
  post({ path: "/auth/sign-up/email", body: { ...newCredentials(), email }, headers, to });

test("every page has the same bytes as on Node", async (t) => {
  const server = await startServer(t, {
    DATA_DIR: temporaryFolder(t),
    PUBLIC_URL: site.base,
    ...site.provider.texts,
  });
  await until("the pages", async () => (await fetch(`${server.base}/sign-in`)).ok);
  const map = (await get(site.base, "/sitemap.xml")).body;
  const written = [...map.matchAll(/<loc>([^<]+)<\/loc>/g)].map(
    ([, url]) => new URL(url as string).pathname,
  );
  const drawn = listAppPages(TOOLS, site.base).map((page) => page.path);
  const texts = ["/sitemap.xml", "/robots.txt", "/llms.txt", "/openapi.json", "/dashboard/visitor"];
  const icons = ["/icon.svg", "/favicon.ico", "/manifest.webmanifest"];
  const ofTheWorker = ["manifest.json", "weak-passwords.bin", "disposable-domains.json"];
  const built = ofTheWorker.map((name) => `/build/${name}`);
  const wrong = ["/nothing", "/docs/", ...built, "/_headers", "/dashboard/nothing"];
  const paths = new Set([...written, ...drawn, ...texts, ...icons, ...wrong]);
  assert.ok(paths.size > 30, [...paths].join(" "));
  const compare = async (path: string, method: string) => {
    const [here, there] = await Promise.all(
      [site.base, server.base].map(async (base) => {
        const { body, ...rest } = await get(base, path, method);
        return { ...rest, body: body.replace(/"requestId":"[^"]+"/, "") };
      }),
    );
    assert.deepEqual(here, there, `${method} ${path}`);
  };
  for (const path of paths) {
    await compare(path, "GET");
    if (!path.startsWith("/dashboard/")) await compare(path, "HEAD");
  }
  for (const [method, path] of OTHERS) await compare(path, method);

  // The same provider sends the emails of Node.
  const { email } = newCredentials("on-node");
  const response = await signUp(email, { Origin: site.base }, { ...site, base: server.base });
  assert.equal(response.status, 200, response.text);
  assert.match(await linkTo(site, email, CONFIRM), /\/verify-email\?token=/);
});

test("serves assets with the headers of Node, and 404 for other names", async () => {
  const { body } = await get(site.base, "/sign-up");
  const files = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  assert.ok(
    files.some((path) => /\/main-/.test(path as string)),
    APP_ENTRY,
  );
  assert.ok(files.some((path) => path?.endsWith(".woff2")));
  assert.ok(files.some((path) => path?.endsWith(".png")));
  const types: Record<string, string> = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".woff2": "font/woff2",
    ".png": "image/png",
  };
  for (const path of files as string[]) {
    const { status, headers } = await get(site.base, path);
    assert.equal(status, 200, path);
    const isScript = path.endsWith(".js");
    assert.deepEqual(headers, {
      "cache-control": "public, max-age=31536000, immutable",
      "content-type": types[extname(path)],
      // Other sites show the image of a link.
      "cross-origin-resource-policy": path.endsWith(".png") ? "cross-origin" : "same-origin",
      "x-content-type-options": "nosniff",
      ...(isScript && { "content-security-policy": "default-src 'none'; script-src 'self'" }),
    });
  }
  for (const path of ["/assets/nothing.js", "/assets/../build/manifest.json", "/assets/%2e%2e/x"]) {
    const { status, headers } = await get(site.base, path);
    // Not cacheable: a file that is missing during a rollout would otherwise stay missing for a year.
    assert.deepEqual([status, headers["cache-control"]], [404, "no-store"], path);
  }
});

test("a page requests its styles again only if they changed", async () => {
  const { body } = await get(site.base, "/sign-up");
  const path = /\/assets\/style-[^"]+/.exec(body)?.[0] as string;
  const first = await fetch(site.base + path);
  const headers = { "If-None-Match": first.headers.get("etag") as string };
  assert.equal((await fetch(site.base + path, { headers })).status, 304);
});

test("a forged session has no user, and pages of other sites can change nothing", async () => {
  const cookie = "toolbooth.session_token=made.up; toolbooth.session_data=e30; known=x";
  const visitor = await fetch(`${site.base}/dashboard/visitor`, { headers: { Cookie: cookie } });
  assert.equal(((await visitor.json()) as { user: unknown }).user, null);
  const home = await fetch(`${site.base}/dashboard/home`, { headers: { Cookie: cookie } });
  assert.equal(home.status, 401);
  for (const headers of [
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { Origin: site.base.replace("127.0.0.1", "127.0.0.2") },
    { "Sec-Fetch-Site": "cross-site" },
  ]) {
    const response = await signUp("crossed@example.com", headers);
    assert.equal(response.status, 403, JSON.stringify(headers));
    assert.match(response.text, /"cross_site"/);
  }
  assert.deepEqual(emailsTo(site, "crossed@example.com"), []);
});

test("rejects bodies that are too large, compressed, not JSON or incomplete, and keeps the connection", async (t) => {
  const ask = openOneConnection(t, site.directPort);
  const whole = JSON.stringify({ ...newCredentials(), email: "whole@example.com" });
  for (const [what, body, status, more, path = SIGN_UP] of [
    ["too large", JSON.stringify({ email: "x".repeat(70_000) }), 413],
    ["the largest body that is read", "x".repeat(READ_BYTES_MAX), 413],
    ["declared as compressed", "not gzip", 400, { "Content-Encoding": "gzip" }],
    ["no JSON", "email=whole", 400],
    ["cut off", whole.slice(0, -20), 400],
    ["no body", "", 400],
    ["from another site", whole, 403, { Origin: "https://evil.example" }],
    ["to nothing", "x".repeat(20_000), 404, {}, "/dashboard/nothing"],
  ] as [string, string, number, object?, string?][]) {
    for (const length of [{ "Content-Length": Buffer.byteLength(body) }, CHUNKED]) {
      const headers = { Origin: site.base, "Content-Type": "application/json", ...length, ...more };
      const options = { path, method: "POST", headers };
      assert.equal(await ask(what, options, body), status, `${what} ${Object.keys(length)}`);
    }
  }
  // A client that disconnects within a body affects nothing else.
  const aborted = openRaw(site.directPort);
  aborted.write(rawPost(SIGN_UP, whole.slice(0, 20), { "Content-Length": String(whole.length) }));
  aborted.socket.end();
  await aborted.closed();
  assert.equal(await ask("after all that", { path: "/dashboard/visitor", method: "GET" }, ""), 200);
  assert.deepEqual(emailsTo(site, "whole@example.com"), []);
});

test("checks passwords against the list among the assets, and offers passkeys", async (t) => {
  const Origin = "https://tools.example";
  const texts = { PUBLIC_URL: Origin };
  const to = await openEdgeSite(t, { texts });
  const headers = { Origin };
  const body = { ...newCredentials(), password: "password123" };
  const response = await post({ path: "/auth/sign-up/email", body, headers, to });
  const { code } = JSON.parse(response.text);
  assert.deepEqual([response.status, code], [400, "PASSWORD_TOO_COMMON"]);
  assert.equal((await signUp(newCredentials().email, headers, to)).status, 200);
  const path = "/auth/passkey/generate-authenticate-options";
  const passkeys = await post({ path, headers, to });
  assert.deepEqual([passkeys.status, JSON.parse(passkeys.text).rpId], [200, "tools.example"]);
});

test("identifies clients only by the platform's header; clients without it share one limit", async () => {
  const from = (address: string) => ({ "CF-Connecting-IP": address });
  const statuses = [];
  for (let turn = 0; turn < 7; turn += 1) {
    statuses.push((await signUp(`many-${turn}@example.com`, from("192.0.2.7"))).status);
  }
  assert.deepEqual(statuses, [...Array(6).fill(200), 429]);
  const elsewhere = { "X-Forwarded-For": "192.0.2.99", ...from("192.0.2.7") };
  assert.equal((await signUp("posed@example.com", elsewhere)).status, 429);
  assert.equal((await signUp("other@example.com", from("2001:db8::1"))).status, 200);
  // Without the header: a separate client, which is not throttled by the one above.
  assert.equal((await signUp("without@example.com")).status, 200);
});

test("an email that the provider rejected is sent by cron", async () => {
  site.provider.responses(503);
  const { email } = newCredentials("late");
  assert.equal((await signUp(email, { "CF-Connecting-IP": "192.0.2.8" })).status, 200);
  await until("the error in the log", () =>
    site.logs.some((line) => /failed and will be retried/.test(line)),
  );
  site.provider.responses(200);
  assert.deepEqual(emailsTo(site, email), []);
  await site.sql("UPDATE job SET due_at = 0");
  await site.cron();
  assert.match(await linkTo(site, email, CONFIRM), /\/verify-email\?token=/);
  assert.ok(!site.logs.some((line) => line.includes(email)), "the log contains no email address");
});

test("cron deletes unconfirmed sign-ups after a week, every tenth minute", async () => {
  const { email } = newCredentials("stale");
  assert.equal((await signUp(email, { "CF-Connecting-IP": "192.0.2.9" })).status, 200);
  await site.sql(
    `UPDATE users SET "createdAt" = '2020-01-01T00:00:00.000Z' WHERE email = '${email}'`,
  );
  const found = async () =>
    (await site.sql(`SELECT id FROM users WHERE email = '${email}'`)).length;
  const tenth = Math.floor(Date.now() / 600_000) * 600_000;
  await site.cron(tenth + 60_000);
  assert.equal(await found(), 1);
  await site.cron(tenth);
  assert.equal(await found(), 0);
});

type Outcome = { outcome: Record<string, string>; code?: string };

async function operate(operation: string, order: object, token = OPERATOR_TOKEN): Promise<Outcome> {
  const response = await fetch(`${site.base}/operator/v1/perform`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ operation, order }),
  });
  return { status: response.status, ...((await response.json()) as object) } as unknown as Outcome;
}

async function openAccount(email: string) {
  const [now, account] = [Date.now(), newAccountId(randomBytes)];
  const credits = { grant: "operator:of-a-test", amount: 5 };
  const opened = await operate("openAccount", { account, email, credits, now });
  assert.equal(opened.outcome?.["account"], account, JSON.stringify(opened));
  const id = newKeyId(account, randomBytes);
  const created = await operate("createKey", { account, id, label: "laptop", now });
  return { account, key: created.outcome["key"] as string };
}

const call = (key: string) =>
  fetch(`${site.base}/api/v1/uuid`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}` },
  });

const remaining = (response: Response) => response.headers.get("credits-remaining");

test("an operator opens an account that works at once, and both actions are recorded", async () => {
  const wrong = await operate("listAccounts", { after: null, max: 5 }, "somebody else's");
  assert.equal(wrong.code, "wrong_token", JSON.stringify(wrong));
  const { account, key } = await openAccount("customer@example.com");
  assert.equal((await call(key)).status, 200);
  const listed = await operate("listAccounts", { after: null, max: 50 });
  assert.ok(JSON.stringify(listed.outcome).includes(account));
  const actions = await site.sql("SELECT action FROM operator_action ORDER BY no");
  assert.deepEqual(actions, [{ action: "openAccount" }, { action: "createKey" }]);
});

test("emails the owner about an operator action at once, not at the next cron", async () => {
  const { email } = newCredentials("told");
  assert.equal((await signUp(email, { "CF-Connecting-IP": "192.0.2.10" })).status, 200);
  await linkTo(site, email, CONFIRM);
  const { account } = await openAccount("told-later@example.com");
  await site.sql(`UPDATE users SET account = '${account}' WHERE email = '${email}'`);
  const id = newKeyId(account, randomBytes);
  await operate("createKey", { account, id, label: "phone", now: Date.now() });
  await until("the letter", () => emailsTo(site, email).length === 2);
});

test("cron reverses a stored call once", async () => {
  const { account, key } = await openAccount("unlucky@example.com");
  // The first call is free.
  assert.equal((await call(key)).status, 200);
  assert.equal(remaining(await call(key)), "4");
  const [debit] = (await site.ledgerRows(
    account,
    "SELECT call_id, at FROM debit WHERE credits = 1",
  )) as [{ call_id: string; at: number }];
  await site.sql(
    `INSERT INTO job (id, queue, kind, target, label, payload, created_at, due_at)
     VALUES ('one', 'reversal', 'reverse-call', '${account}', '${account}',
       '${JSON.stringify({ account, callId: debit.call_id, at: debit.at })}', 0, 0)`,
  );
  await site.cron();
  await site.cron();
  assert.deepEqual(await site.sql("SELECT * FROM job WHERE queue = 'reversal'"), []);
  assert.equal(remaining(await call(key)), "4");
});

test("cron reverses many stored calls of few accounts in one run", async () => {
  const { account, key } = await openAccount("outage@example.com");
  assert.equal((await call(key)).status, 200);
  for (const left of ["4", "3"]) assert.equal(remaining(await call(key)), left);
  const made = await site.ledgerRows(account, "SELECT call_id, at FROM debit WHERE credits = 1");
  const stored = (made as { call_id: string; at: number }[]).map(
    ({ call_id: callId, at }) => `('${JSON.stringify({ account, callId, at })}')`,
  );
  await site.sql(
    `WITH RECURSIVE numbers (no) AS (SELECT 1 UNION ALL SELECT no + 1 FROM numbers WHERE no < 700),
       calls (account, payload) AS (
         SELECT '${account}', column1 FROM (VALUES ${stored.join(", ")})
         UNION ALL
         SELECT a.column1, json_object('account', a.column1, 'callId', 'call_' || no, 'at', 1)
         FROM numbers, (VALUES ('${account}'), ('acc_of_nobody')) a)
     INSERT INTO job (id, queue, kind, target, label, payload, created_at, due_at)
     SELECT 'many' || row_number() OVER (), 'reversal', 'reverse-call', account, account, payload, 0, 0
     FROM calls`,
  );
  await site.cron();
  assert.deepEqual(await site.sql("SELECT * FROM job WHERE queue = 'reversal'"), []);
  assert.deepEqual(await site.sql("SELECT * FROM job_turn"), []);
  assert.equal(remaining(await call(key)), String(3 + made.length - 1));
});

test("logs no errors except the delayed email", () => {
  const lines = site.logs.filter(
    (line) => !/failed and will be retried|An operator.s action/.test(line),
  );
  assert.deepEqual(lines, []);
});

test("a flood from many networks must solve proofs of work, each valid once, and the log gets one line", async () => {
  const ask = (turn: number, proof?: string) =>
    post({
      path: "/auth/request-password-reset",
      body: { email: "nobody@example.com", proof },
      headers: { "CF-Connecting-IP": `2001:${(0x1000 + turn).toString(16)}::1` },
    });
  const before = site.logs.length;
  const flood = await Promise.all(Array.from({ length: 40 }, (_, turn) => ask(turn)));
  const rejected = flood.filter(({ status }) => status === 429);
  assert.ok(rejected.length >= 10, `${rejected.length}`);
  for (const { text } of rejected) assert.match(text, /"proof_required"/);
  const proof = await proveWork(site);
  assert.equal((await ask(50, proof)).status, 200);
  assert.equal((await ask(51, proof)).status, 429);
  const lines = site.logs.slice(before);
  assert.equal(lines.length, 1, lines.join("\n"));
  assert.match(lines[0] as string, /Rejecting requests.*proof_required/);
});
