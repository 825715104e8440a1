import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import type { HomeView, Visitor } from "#api/dashboard/shapes.ts";
import { accountPart, newKeyId } from "#ids.ts";
import { connectMcp } from "../../../http/mcp-client.ts";
import { applyMigrations } from "../../../stores/sql/d1-fixture.ts";
import { CONFIRM, newCredentials, proveWork, until } from "../../../support/dashboard-site.ts";
import { openEdgeSite } from "../../../support/edge-site.ts";
import { edgeMember, operatorOf, post, signUp, TOKEN } from "./fixture.ts";
import type { Asked } from "./worker-with-jurisdictions.ts";

/** The service with an https URL, in a jurisdiction and without request log; and on a local machine before its tables exist. */
const site = await openEdgeSite(
  { after },
  {
    texts: {
      PUBLIC_URL: "https://tools.example",
      TOOLBOOTH_OPERATOR_TOKEN: TOKEN,
      TOOLBOOTH_JURISDICTION: "eu",
      TOOLBOOTH_REQUEST_LOG_DAYS: "0",
    },
    around: "apps/edge/site/worker-with-jurisdictions.ts",
  },
);

test("with TOOLBOOTH_JURISDICTION, both Workers look for every object in it; without a request log, the pages say so", async () => {
  const operate = operatorOf(site);
  const { account, get } = await edgeMember("ada", site);
  const now = Date.now();
  const id = newKeyId(account, randomBytes);
  const { key } = await operate<{ key: string }>("createKey", { account, id, label: "key", now });
  const headers = { Authorization: `Bearer ${key}` };
  const call = await fetch(`${site.base}/api/v1/uuid`, { method: "POST", headers });
  assert.equal(call.status, 200);
  const client = await connectMcp({ url: `${site.base}/mcp`, key, revision: "2026-07-28" });
  await client.callTool({ name: "uuid", arguments: {} });
  await client.close();
  await operate("findAccount", { account, now });
  await operate("exportAccount", { account, place: null, snapshot: null, hold: false });
  const job = JSON.stringify({ account, callId: "call_of_a_test", at: now });
  await site.sql(
    `INSERT INTO job (id, queue, kind, target, label, payload, created_at, due_at)
     VALUES ('one', 'reversal', 'reverse-call', '${account}', '${account}', '${job}', ${now}, 0)`,
  );
  await site.cron();
  assert.equal((await fetch(`${site.base}/readyz`)).status, 200);

  assert.equal(((await get("/dashboard/visitor")).body as Visitor).requestLog, false);
  assert.equal((await get("/dashboard/requests")).status, 404);
  assert.equal(((await get("/dashboard/home")).body as HomeView).lastErrors, null);

  const asked = (await (await fetch(`${site.base}/test/asked`)).json()) as Asked[];
  const part = accountPart(account);
  const kinds = new Set(asked.map(({ name }) => (name === part ? "account" : name.split("-")[0])));
  assert.deepEqual([...kinds].sort(), ["account", "readiness", "sign"]);
  for (const { name, jurisdiction } of asked) assert.equal(jurisdiction, "eu", name);
});

test("checks passwords against the list among the assets, and offers passkeys", async () => {
  const user = { ...newCredentials(), password: "password123" };
  const { status, text } = await post("/auth/sign-up/email", user, {}, site);
  assert.deepEqual([status, JSON.parse(text).code], [400, "PASSWORD_TOO_COMMON"]);
  const asked = "/auth/passkey/generate-authenticate-options";
  const passkeys = await post(asked, {}, {}, site);
  assert.deepEqual([passkeys.status, JSON.parse(passkeys.text).rpId], [200, "tools.example"]);
});

test("a flood from many networks must solve proofs of work, each valid once, and the log gets one line", async () => {
  const ask = (turn: number, proof?: string) =>
    post(
      "/auth/request-password-reset",
      { email: "nobody@example.com", proof },
      { "CF-Connecting-IP": `2001:${(0x1000 + turn).toString(16)}::1` },
      site,
    );
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

test("on a local machine, the log says how to create the missing tables, and then shows emails", async (t) => {
  const local = await openEdgeSite(t, {
    texts: { MAIL_API_TOKEN: undefined, MAIL_API_URL: undefined, MAIL_FROM: undefined },
    isBare: true,
  });
  assert.equal((await fetch(`${local.base}/docs`)).status, 200);
  const { email } = newCredentials();
  const response = await signUp(email, {}, local);
  assert.equal(response.status, 500, response.text);
  const { detail } = JSON.parse(response.text) as { detail: string };
  assert.equal(detail, "Something went wrong on our side. Try again in a moment.");
  await local.cron();
  const hint = /D1 lacks tables.*d1 migrations list DB -c wrangler\.site\.jsonc/;
  await until("the hint", () => local.logs.some((line) => hint.test(line)));

  await applyMigrations(await local.miniflare.getD1Database("DB", "toolbooth-site"));
  assert.equal((await signUp(email, {}, local)).status, 200);
  const isEmail = (line: string) => line.includes(email) && line.includes("Subject:");
  const message = await until("the email", () => local.logs.find(isEmail));
  assert.match(message, /MAIL_API_TOKEN is not set/);
  assert.match(message, new RegExp(`Subject: ${CONFIRM.source.slice(1)}`));
  assert.ok(message.includes(`${local.base}/verify-email?token=`));
});
