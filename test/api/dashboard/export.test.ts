import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { csvCell } from "#api/dashboard/export.ts";
import type { EventsView } from "#api/dashboard/shapes.ts";
import { parseCallRef } from "#ids.ts";
import { clock, DAY } from "./clock.ts";
import {
  type Fixture,
  type Member,
  makeKey,
  openFixture,
  openMember,
} from "./dashboard-fixture.ts";

const EXPORT = "/dashboard/account/export";

async function makeCalls(fixture: Fixture, { browser, account }: Member, calls: number) {
  const { key, secret } = await makeKey(browser, "=1+1");
  const keySha256 = createHash("sha256").update(secret).digest("hex");
  for (let turn = 0; turn < calls; turn += 1) {
    const { outcome } = await fixture.accountDeps.ledger.debit({
      ...{ account, keySha256, callId: `call ${turn}`, tool: "hash", credits: 1 },
      ...{ freeCallCredits: 1, now: Date.now(), idempotency: null },
    });
    assert.equal(outcome, "debited");
  }
  return { id: key.id, secret, keySha256 };
}

test("the export has all data of the user and no secrets", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  const other = await openMember(fixture);
  const { browser, email, account } = member;
  const key = await makeCalls(fixture, member, 7);
  const endpoint = { url: "https://hooks.example/in", kinds: ["credits.low"], paused: false };
  assert.equal((await browser.post("/dashboard/webhooks", endpoint)).status, 201);
  const [{ secret: webhookSecret = "" } = {}] = await fixture.rows(
    "SELECT secret FROM webhook_endpoint",
  );
  const prices = { hash: 0, "secret-tool": 7, token: 2, uuid: 3 };
  for (const [tool, credits] of Object.entries(prices)) {
    const order = { account, price: { tool, credits }, now: Date.now() };
    await fixture.accountDeps.ledger.changeAccount(order);
  }
  clock.advance(25 * DAY);
  await fixture.signIn(browser, email);
  const response = await browser.get(EXPORT);
  assert.equal(response.status, 200, response.text);
  assert.match(
    response.headers.get("content-disposition") ?? "",
    /^attachment; filename="toolbooth-\d{4}-\d\d-\d\d\.json"$/,
  );
  // biome-ignore lint/suspicious/noExplicitAny: a document of many shapes, which the test reads here and there.
  const data = response.body as any;
  assert.equal(data.format, "personal-data");
  assert.deepEqual([data.version, data.complete], [1, true]);
  assert.deepEqual([data.account.account, data.account.state, data.balance], [account, "open", 94]);
  assert.deepEqual(
    data.account.prices.map(({ tool, credits }: { tool: string; credits: number }) => [
      tool,
      credits,
    ]),
    Object.entries(prices),
    "names of tools are no secrets",
  );
  assert.equal(data.profile.email, email);
  assert.deepEqual([data.logins, data.requiresPasskey], [[], false]);
  assert.equal(data.sessions[0].address, browser.peer);
  assert.deepEqual(data.emailChoices, { low: true, expiring: true });
  assert.deepEqual([data.apiKeys.length, data.apiKeys[0].id], [1, key.id]);
  assert.equal(data.grants[0].id, `starter:${account}`);
  assert.equal(data.webhookEndpoints[0].url, endpoint.url);
  assert.deepEqual(data.purchases, []);
  assert.deepEqual(
    data.usage.map(({ tool, calls }: { tool: string; calls: number }) => [tool, calls]),
    [["hash", 7]],
  );
  const kinds = data.activity.map(({ kind }: { kind: string }) => kind);
  assert.deepEqual(kinds.slice(0, 2), ["data_exported", "signed_in"]);
  assert.ok(kinds.includes("endpoint_added") && kinds.includes("signed_up"));
  for (const time of [data.exportedAt, data.usage[0].hour, data.activity[0].at])
    assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const [session] = await fixture.rows("SELECT token FROM user_session");
  for (const hidden of [
    ...[key.secret, key.keySha256, String(webhookSecret), other.email, other.account],
    String(session?.["token"]),
  ])
    assert.ok(hidden.length > 5 && !response.text.includes(hidden), hidden);
  assert.equal((await fixture.emailsTo(email, "data_exported")).length, 1);
});

test("entries are one JSON object a line, and the last line says that they are complete", async () => {
  const fixture = openFixture();
  const member = await openMember(fixture);
  await makeCalls(fixture, member, 5);
  const { text, headers } = await member.browser.get(`${EXPORT}/entries`);
  assert.equal(headers.get("content-type"), "application/jsonl");
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(lines.pop(), { complete: true });
  assert.equal(lines.length, 6);
  assert.deepEqual(
    lines.map(({ kind, at, callId }) => {
      const call = callId && parseCallRef(callId);
      return [kind, callId && call?.account === member.account && call?.at === Date.parse(at)];
    }),
    [...Array.from({ length: 5 }, () => ["debit", true]), ["grant", null]],
  );
  assert.equal(
    lines.reduce((sum, { credits }) => sum + credits, 0),
    96,
  );
});

test("HEAD and a download that cannot begin are no exports: nothing is recorded, and no email is sent", async () => {
  const fixture = openFixture();
  const { browser, email } = await openMember(fixture);
  const headers = new Headers({
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
  });
  const ask = (path: string, method: string) =>
    fixture.app.fetch(new Request(fixture.publicUrl + path, { method, headers }), browser.peer);
  for (const path of [EXPORT, `${EXPORT}/entries`]) {
    const { status, headers: sent } = await ask(path, "HEAD");
    assert.equal(status, 200);
    assert.match(sent.get("content-disposition") ?? "", /^attachment; filename="toolbooth-/);
  }
  const waiting = [await ask(EXPORT, "GET"), await ask(EXPORT, "GET")];
  assert.equal((await browser.get(EXPORT)).code, "too_many_downloads");
  for (const { body } of waiting) await body?.cancel();
  assert.equal((await fixture.emailsTo(email, "data_exported")).length, 0);
  const { events } = (await browser.get("/dashboard/events")).body as EventsView;
  assert.ok(!events.some(({ kind }) => kind === "data_exported"));
});

test("a stalled download reads no further, and an interrupted one is not a complete document", async () => {
  const fixture = openFixture();
  const { browser } = await openMember(fixture);
  const headers = new Headers({
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
  });
  const open = () =>
    fixture.app.fetch(new Request(`${fixture.publicUrl}${EXPORT}`, { headers }), browser.peer);
  fixture.wasCarriedOut.length = 0;
  const stalled = await open();
  const reader = stalled.body?.getReader();
  await reader?.read();
  assert.ok(!fixture.wasCarriedOut.includes("usage"), "a page is read when it is asked for");
  await reader?.cancel();
  fixture.failing.set("usage", 1);
  await assert.rejects((await open()).text(), /usage was made to fail/);
  assert.match(fixture.loggedErrors.join(), /A download was cut off/);
});

test("the activity list is exported as CSV without formulas, and as JSON", async () => {
  const fixture = openFixture();
  const { browser } = await openMember(fixture);
  for (let turn = 0; turn < 3; turn += 1)
    await browser.post("/dashboard/keys", { label: '=HYPERLINK("x","y")' });
  const csv = await browser.get("/dashboard/events/export?format=csv");
  // Reading the text of a response drops the byte order mark.
  const lines = csv.text.replace("\ufeff", "").split("\r\n");
  assert.equal(lines[0], "time,event,times,detail,ip_address,browser");
  assert.match(lines[1] ?? "", /^\d{4}-[^,]+,key_created,1,"'=HYPERLINK\(""x"",""y""\)",10\./);
  const json = await browser.get("/dashboard/events/export?format=json");
  const { events } = json.body as { events: { kind: string; at: string }[] };
  assert.equal(events.length, lines.length - 2);
  assert.equal(events[0]?.kind, "key_created");
});

test("a cell with which a spreadsheet would begin a formula is text", () => {
  for (const first of ["=", "+", "-", "@", "\t", "\r"])
    assert.match(csvCell(`${first}SUM(A1)`), /^"?'/, JSON.stringify(first));
  assert.equal(csvCell("SUM(A1)"), "SUM(A1)");
});

test("an old session alone exports nothing", async () => {
  const fixture = openFixture();
  const { browser, email } = await openMember(fixture);
  clock.advance(DAY);
  for (const path of [EXPORT, `${EXPORT}/ready`, `${EXPORT}/entries`]) {
    const { status, code } = await browser.get(path);
    assert.deepEqual([status, code], [403, "fresh_proof_required"], path);
  }
  assert.deepEqual(await fixture.emailsTo(email, "data_exported"), []);
  await fixture.signIn(browser, email);
  assert.equal((await browser.get(`${EXPORT}/ready`)).status, 200);
});
